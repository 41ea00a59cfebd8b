/**
 * Generated histories of documents at the facilities of one business, run over a storage. The run of a document has the state before it,
 * the answers to a dry run and to the real run, and the state afterwards. Many documents are for the shipment or the items of an earlier
 * document. Sometimes such a shipment arrives, departs, is linked or is cancelled.
 */
import type { Principal } from "@dockline/core/access/Access"
import type { Document } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import { defaultStrategies, Strategies } from "@dockline/core/document/Strategy"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import type { LocatedShipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import { documentsWith } from "../generators/Generators.ts"
import type { DocumentOptions, NamedStrategies } from "../generators/Generators.ts"
import { aGrant, aPrincipal, now, places, unique } from "../generators/Given.ts"
import * as Law from "../Law.ts"
import { at } from "../worlds/MessageLogWorld.ts"
import type { MovementStores } from "../worlds/MovementWorld.ts"

/** The new state of a document's shipment. */
export type AlteredTo = "ARRIVED" | "DEPARTED" | "LINKED" | "CANCELLED"

/** One event at a facility: a document, or a new state of a document's shipment. */
export type FacilityStep =
  | { readonly _tag: "Submit"; readonly document: Document }
  | { readonly _tag: "Alter"; readonly document: Document; readonly to: AlteredTo }

/** The random values from which a step is made when the earlier steps are known. */
interface Draw {
  readonly document: Document
  readonly to: AlteredTo | undefined
  /** Selects the earlier document to which the step refers. */
  readonly back: number
  /** The part of the earlier document that a document repeats. A new state applies to the shipment of the earlier document. */
  readonly again: "nothing" | "shipment" | "items"
}

const happening = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  "ARRIVED" as const,
  "DEPARTED" as const,
  "LINKED" as const,
  "CANCELLED" as const
)

/** The orders and the keys of the items of an earlier document, with the strategies and the content of a later one. */
const onItemsOf = (earlier: Document, later: Document): Document["orders"] => {
  const content = later.orders.flatMap(({ items }) => items)
  return earlier.orders.map((order, index) => ({
    ...order,
    strategy: (later.orders[index] ?? later.orders[0]!).strategy,
    items: order.items.map((item, position) => {
      const { identifier, lpn, sku } = item
      const variant = { ...item, ...content[position], lpn, sku }
      return lpn === "" ? { ...variant, identifier } : variant
    })
  }))
}

const stepsOf = (draws: ReadonlyArray<Draw>): ReadonlyArray<FacilityStep> => {
  const documents: Array<Document> = []
  return draws.map(({ again, back, document, to }): FacilityStep => {
    const earlier = documents.at(-1 - back) ?? documents[0] ?? document
    if (to !== undefined) return { _tag: "Alter", document: earlier, to }
    const { direction, facility, shipmentNumber } = again === "nothing" ? document : earlier
    const orders = again === "items" ? onItemsOf(earlier, document) : document.orders
    const fields = { ...document, direction, facility, shipmentNumber, orders }
    documents.push(fields)
    return { _tag: "Submit", document: fields }
  })
}

/** Histories whose documents name these strategies. */
export const facilityHistories = (
  strategies?: NamedStrategies
): fc.Arbitrary<ReadonlyArray<FacilityStep>> => {
  const options = strategies === undefined ? {} : { strategies }
  const step = fc.record({
    document: fc.oneof(
      { weight: 3, arbitrary: documentsWith(options) },
      { weight: 1, arbitrary: documentsWith({ ...options, distinct: false }) }
    ),
    to: happening,
    back: fc.nat(2),
    again: fc.constantFrom("nothing" as const, "shipment" as const, "items" as const)
  })
  return fc.array(step, { minLength: 1, maxLength: 10, size: "medium" }).map(stepsOf)
}

/** All shipments of a business. */
export type ShipmentList = ReadonlyArray<LocatedShipment>

/** One document of a history: its answers (`undefined` if it was refused), and the states before and after it. */
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

/** Changes the state of a document's shipment. A refused step is ignored. */
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
 * A law of intake over stores, which are built again for each history. If a storage is costly to build, pass a layer with a storage that is
 * already built. Each history has its own business.
 */
export type IntakeLaw = <E>(
  stores: Layer.Layer<MovementStores, E>,
  options?: Pick<DocumentOptions, "strategies">
) => Law.Law

/** Makes a law that has to hold for every document of every history. */
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
