/**
 * Checks concurrent histories: whether processing the documents one after another in some order explains the final state (D3). For the
 * stores in memory this is a formality. For a database it shows that its locks suffice.
 */
import { decide } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import { outcome } from "@dockline/core/document/Outcome"
import type { Outcome } from "@dockline/core/document/Outcome"
import { drawIds } from "@dockline/core/document/Plan"
import type { Plan, Snapshot } from "@dockline/core/document/Plan"
import { defaultStrategies } from "@dockline/core/document/Strategy"
import type { Place } from "@dockline/core/places/Place"
import { itemKey } from "@dockline/core/shipment/Shipment"
import type { Shipment } from "@dockline/core/shipment/Shipment"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Result } from "effect"
import type { NamedStrategies } from "./Generators.ts"
import { without } from "./Given.ts"

/** A facility with its shipments. An order with a higher id was created later. */
export interface World {
  readonly business: Place
  readonly facility: Place
  readonly docks: ReadonlyArray<string>
  readonly shipments: ReadonlyArray<Shipment>
}

/** The answer that a client gets: the code of a refusal, or whether anything was created. */
export type Answer = "CREATED" | "UPDATED" | (string & {})

/** The answer for an outcome. */
export const answerOf = ({ created }: Pick<Outcome, "created">): Answer =>
  created.length > 0 ? "CREATED" : "UPDATED"

const atProcessing = Timestamp.of("9999-12-31T23:59:59.998Z")

/**
 * Whether the documents, all for the same facility, can have been processed one after another in some order, so that the final shipments
 * are `finalState` (except ids and times of processing) and, if `answers` is given, each document got its answer. The function tries every
 * order, so it is only suitable for up to five documents. No document may contain the time at which it is processed.
 */
export const explainable = (
  initial: World,
  documents: ReadonlyArray<Document>,
  finalState: ReadonlyArray<Shipment>,
  answers?: ReadonlyArray<Answer>,
  strategies: NamedStrategies = defaultStrategies
): boolean => {
  const times = processingTimes(initial, documents)
  const target = comparable(finalState, times)
  const search = (world: World, indexes: ReadonlyArray<number>): boolean =>
    indexes.length === 0
      ? comparable(world.shipments, times) === target
      : indexes.some((index) => {
        const [after, answer] = process(world, documents[index]!, strategies)
        return (answers === undefined || answers[index] === answer) &&
          search(after, indexes.filter((each) => each !== index))
      })
  return search(initial, Array.from(documents.keys()))
}

/** The world after a document, and the answer to its client; a refused document leaves the world unchanged. */
export const process = (
  world: World,
  document: Document,
  strategies: NamedStrategies = defaultStrategies
): readonly [after: World, answer: Answer] => {
  const snapshot = snapshotOf(world, document)
  const decision = decide(document, snapshot, strategies)
  if (Result.isFailure(decision)) return [world, decision.failure.code]
  const plan = decision.success
  const result = outcome(snapshot, plan, newIds(world, plan))
  const movedIds = new Set(result.shipment.orders.map(({ id }) => id))
  const after = { ...result.shipment, id: Number(result.shipment.id) }
  const others = world.shipments
    .filter((shipment) => shipment.id !== after.id)
    .map((shipment) => ({ ...shipment, orders: shipment.orders.filter(({ id }) => !movedIds.has(id)) }))
  return [{ ...world, shipments: [...others, after] }, answerOf(result)]
}

const snapshotOf = (world: World, document: Document): Snapshot => {
  const target = world.shipments.find(({ number }) => number === document.shipmentNumber) ?? null
  const numbers = new Set(document.orders.map(({ orderNumber }) => orderNumber))
  return {
    now: atProcessing,
    business: world.business.slug === document.business ? world.business : null,
    facility: world.facility.slug === document.facility ? world.facility : null,
    dock: world.docks.includes(document.dockSlug)
      ? dockOf(world, document.dockSlug)
      : null,
    target,
    candidates: world.shipments
      .filter((shipment) => shipment !== target)
      .flatMap((shipment) =>
        shipment.orders.filter(({ number }) => numbers.has(number)).map((order) => ({
          order,
          // The ids of orders determine which was created later; see `World`.
          createdAt: Timestamp.earliest,
          shipmentId: shipment.id,
          shipmentStatus: shipment.status,
          shipmentIsLinked: shipment.linkedShipmentIds.length > 0
        }))
      )
  }
}

/** A dock that no shipment has used gets a negative id, which no real dock has. */
const dockOf = (world: World, slug: string) =>
  world.shipments.find(({ dock }) => dock?.slug === slug)?.dock ??
    { id: -1 - world.docks.indexOf(slug), slug }

const newIds = (world: World, plan: Plan) => {
  let last = Math.max(
    0,
    ...world.shipments.flatMap(({ id, orders }) => [
      id,
      ...orders.flatMap((order) => [Number(order.id), ...order.items.map((item) => Number(item.id))])
    ])
  )
  return drawIds(plan, () => ++last)
}

/**
 * Makes the function that replaces the times of a new shipment that stem from processing by a fixed time: the time at which it was
 * scheduled, and its expected arrival unless a document contains it.
 */
const processingTimes = (initial: World, documents: ReadonlyArray<Document>) => {
  const existing = new Set(initial.shipments.map(({ number }) => number))
  const arrivals = new Set(documents.map(({ expectedArrivalAt }) => expectedArrivalAt))
  return (shipment: Shipment): Shipment =>
    existing.has(shipment.number)
      ? shipment
      : {
        ...shipment,
        scheduledAt: atProcessing,
        expectedArrivalAt: arrivals.has(shipment.expectedArrivalAt)
          ? shipment.expectedArrivalAt
          : atProcessing
      }
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** Shipments in a form that can be compared: sorted by number, orders by number and items by key, without ids and versions. */
const comparable = (shipments: ReadonlyArray<Shipment>, times: (shipment: Shipment) => Shipment): string => {
  const numberOf = new Map(shipments.map(({ id, number }) => [id, number]))
  const result = shipments.map(times).map(({ dock, linkedShipmentIds, orders, ...shipment }) => ({
    ...without(shipment, "id", "version"),
    dock: dock?.slug ?? "",
    linked: linkedShipmentIds.map((id) => numberOf.get(id) ?? String(id)).sort(compareText),
    orders: orders
      .map(({ items, ...order }) => ({
        ...without(order, "id"),
        items: items
          .map((item) => without(item, "id"))
          .sort((left, right) => compareText(itemKey(left), itemKey(right)))
      }))
      .sort((left, right) => compareText(left.number, right.number))
  }))
  return JSON.stringify(inKeyOrder(result.sort((left, right) => compareText(left.number, right.number))))
}

/** The value with the members of every object sorted by name, because stores may list them in different orders. */
const inKeyOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => compareText(left, right))
      .map(([name, member]) => [name, inKeyOrder(member)])
  )
}
