/**
 * A history of documents, run over a storage in a new business: the state before each document, the answers, of the dry run and of the real
 * one, and the state afterwards.
 */
import type { Principal } from "@dockline/core/access/Access"
import type { Document } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { defaultStrategies, Strategies } from "@dockline/core/document/Strategy"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Directory"
import type { LocatedShipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Effect, Layer, Result } from "effect"
import { facilityHistories } from "../generators/FacilityHistories.ts"
import type { FacilityStep } from "../generators/FacilityHistories.ts"
import type { DocumentOptions, NamedStrategies } from "../generators/Generators.ts"
import { aGrant, aPrincipal, now, places } from "../generators/Given.ts"
import * as Law from "../Law.ts"
import { unique } from "../Unique.ts"
import { at } from "../worlds/MessageLogWorld.ts"
import type { MovementStores } from "../worlds/MovementWorld.ts"

/** All shipments of a business. */
export type ShipmentList = ReadonlyArray<LocatedShipment>

/** One document of a history: its answer, unless it was refused, and the states around it. */
export interface ProcessedDocument {
  readonly document: Document
  readonly before: ShipmentList
  readonly dryAnswer: IntakeResult | undefined
  readonly afterDryRun: ShipmentList
  readonly answer: IntakeResult | undefined
  readonly after: ShipmentList
  /** All entities that existed at any time of the history, including removed ones, by the keys of `entities`. */
  readonly ever: ReadonlySet<string>
  /** The strategies that documents may name. */
  readonly strategies: NamedStrategies
}

/** All present entities, by the types and ids of references. */
export const entities = (shipments: ShipmentList): ReadonlyArray<string> =>
  shipments.flatMap(({ shipment }) => [
    `SHIPMENT ${shipment.id}`,
    ...shipment.orders.flatMap((order) => [
      `ORDER ${order.id}`,
      ...order.items.map(({ id }) => `ORDER_ITEM ${id}`)
    ])
  ])

/** All shipments of a business, or of one of its facilities, in id order. */
export const shipmentsOf = Effect.fnUntraced(function*(business: string, facility?: string) {
  const store = yield* ShipmentStore
  const { items } = yield* store.listShipments(
    [{ business, facilities: "*" }],
    { business, facility, shipmentNumber: undefined, status: undefined },
    { limit: 1000, after: 0 }
  )
  return items
})

/** A new business with the facilities that generated documents name, and a client with all permissions there. */
export const aDocumentsWorld = Effect.gen(function*() {
  const directory = yield* Directory
  const business = unique("documents")
  yield* directory.put([{ ...places[0]!, slug: business }])
  const client = aPrincipal(aGrant(business, "*", ["documents:write", "shipments:write"]))
  return { business, client }
})

const bring = Effect.fnUntraced(function*(
  { document, to }: Extract<FacilityStep, { readonly _tag: "Alter" }>,
  client: Principal
) {
  const shipments = yield* Shipments
  const all = yield* shipmentsOf(document.business, document.facility)
  const match = all.find(({ shipment }) => shipment.number === document.shipmentNumber)
  const other = all.find((each) => each !== match)
  if (match === undefined) return
  const id = String(match.shipment.id)
  if (to === "LINKED") {
    if (other !== undefined) yield* shipments.link(id, String(other.shipment.id), client)
    return
  }
  if (to === "CANCELLED") {
    yield* shipments.cancel(id, client)
    return
  }
  yield* shipments.arrive(id, {}, client)
  if (to === "DEPARTED") yield* shipments.depart(id, {}, client)
})

/** Advances a document's shipment, if possible: a refused step leaves it unchanged. */
const alter = (...parameters: Parameters<typeof bring>) => Effect.ignore(bring(...parameters))

const run = Effect.fnUntraced(function*(
  history: ReadonlyArray<FacilityStep>,
  strategies: NamedStrategies,
  holds: (run: ProcessedDocument) => void
) {
  const intake = yield* Intake
  const { business, client } = yield* aDocumentsWorld
  const world = shipmentsOf(business)
  const ever = new Set<string>()
  const take = Effect.fnUntraced(function*(step: FacilityStep) {
    const document = { ...step.document, business }
    if (step._tag === "Alter") {
      yield* alter({ ...step, document }, client)
      return
    }
    const before = yield* world
    entities(before).forEach((each) => ever.add(each))
    const dryAnswer = Result.getOrUndefined(
      yield* Effect.result(intake.submit(document, client, { dryRun: true }))
    )
    const afterDryRun = yield* world
    const answer = Result.getOrUndefined(yield* Effect.result(intake.submit(document, client)))
    holds({ document, before, dryAnswer, afterDryRun, answer, after: yield* world, ever, strategies })
  })
  for (const [index, step] of history.entries()) yield* at(Date.parse(now) + index * 60_000)(take(step))
})

/**
 * A law of intake over stores, which are built anew for each history: if a storage is costly to build, pass a layer of a built one. Each
 * history has a business of its own.
 */
export type IntakeLaw = <E>(
  stores: Layer.Layer<MovementStores, E>,
  options?: Pick<DocumentOptions, "strategies">
) => Law.Law

/** Holds for every document of every history. */
export const everyDocument =
  (name: string, holds: (run: ProcessedDocument) => void): IntakeLaw =>
  (stores, { strategies = defaultStrategies } = {}) => {
    const services = Layer.mergeAll(Intake.layer(), Shipments.layer()).pipe(
      Layer.provideMerge(stores),
      Layer.provide(Layer.succeed(Strategies, strategies))
    )
    return Law.effect(
      name,
      facilityHistories(strategies),
      (history) => Effect.provide(run(history, strategies, holds), services, { local: true }),
      60,
      Law.brief
    )
  }
