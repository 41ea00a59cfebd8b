/**
 * Laws of intake over a storage: the state before, the answer, and the state afterwards (WIRE.md, processing rules; D2.1, D3, D5.3).
 *
 * Each law is a function of the stores, so that it can check your own storage. `Plan.ts` has the rule for eligible orders. A storage that
 * does not load all orders repeats a part of this rule in its own language. `leavesOutOnlyWhatIsNotChosen` breaks if the two differ,
 * whichever was changed.
 */
import { decide } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import type { Candidate, Plan, Snapshot } from "@dockline/core/document/Plan"
import { chooseCandidate } from "@dockline/core/document/Plan"
import type { StepPlan } from "@dockline/core/movement/Movement"
import { MovementStore } from "@dockline/core/movement/Movement"
import { shipmentView } from "@dockline/core/shipment/View"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { ShipmentStatus } from "@dockline/core/values/Vocabulary"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import * as assert from "../Assert.ts"
import type { DocumentOptions } from "../generators/Generators.ts"
import { aDocument, now, orderOf, places } from "../generators/Given.ts"
import { explainable, process } from "../generators/Serial.ts"
import * as Law from "../Law.ts"
import { look } from "../worlds/IntakeWorld.ts"
import { at } from "../worlds/MessageLogWorld.ts"
import type { MovementStores } from "../worlds/MovementWorld.ts"
import { aDocumentsWorld, entities, everyDocument, shipmentsOf } from "./IntakeRun.ts"
import type { IntakeLaw, ShipmentList } from "./IntakeRun.ts"

/**
 * A shipment to be created: the numbers of its orders, its time of creation, its status, and the earlier shipment to which it is linked.
 */
interface Place {
  readonly facility: string
  readonly direction: string
  readonly numbers: ReadonlyArray<string>
  readonly minute: number
  readonly status: ShipmentStatus
  readonly linkedTo: number | undefined
}

/** There are many numbers, because each number is a separate case of the rule. */
const numbers = Array.from({ length: 16 }, (_, index) => `O${index}`)
const directions = ["OUTBOUND", "INBOUND"]

const madeShipments: fc.Arbitrary<ReadonlyArray<Place>> = fc.noBias(fc.array(
  fc.record({
    facility: fc.constantFrom("east", "east", "east", "west"),
    direction: fc.constantFrom(...directions),
    numbers: fc.subarray(numbers, { minLength: 1 }),
    minute: fc.nat(2),
    status: fc.constantFrom("SCHEDULED", "SCHEDULED", "SCHEDULED", "ARRIVED", "DEPARTED", "CANCELLED"),
    linkedTo: fc.constantFrom(undefined, undefined, undefined, undefined, 0)
  }),
  { minLength: 6, maxLength: 10 }
))

/** Makes a shipment without remapping: it has new orders, and gets its status by handmade plans. */
const make = Effect.fnUntraced(function*(document: Document, { minute, status }: Place) {
  const intake = yield* IntakeStore
  const movement = yield* MovementStore
  const unaware = (snapshot: Snapshot): Result.Result<Plan, unknown> =>
    decide(document, { ...snapshot, candidates: [] })
  const { ids } = yield* at(Date.parse(now) + minute * 60_000)(
    intake.transact(document, unaware, { dryRun: false })
  )
  const shipmentId = Number(ids.shipment)
  const clientId = "mover"
  const take = (plan: StepPlan) =>
    movement.step({ shipmentId, dockSlug: "", withPallets: false }, () => Result.succeed(plan))
  if (status === "CANCELLED") yield* take({ _tag: "Cancel", clientId, cancelledAt: now, messages: [] })
  else if (status !== "SCHEDULED") {
    yield* take({ _tag: "Arrive", clientId, arrivedAt: now, dock: null, messages: [] })
  }
  if (status === "DEPARTED") {
    const { business, facility } = document
    const message = { business, facility, type: "SHIPMENT_COMPLETE", payload: {}, shipmentId } as const
    yield* take({ _tag: "Depart", clientId, departedAt: now, elsewhere: [], messages: [message] })
  }
  return shipmentId
})

const holds = Effect.fnUntraced(function*(shipments: ReadonlyArray<Place>) {
  const { business } = yield* aDocumentsWorld
  const movement = yield* MovementStore
  const orders: Array<{ readonly id: number; readonly createdAt: Timestamp.Timestamp }> = []
  for (const [index, each] of shipments.entries()) {
    const { direction, facility } = each
    const document = aDocument(
      { business, facility, direction, shipmentNumber: `S${index}` },
      ...each.numbers.map((number) => orderOf(number))
    )
    const id = yield* make(document, each)
    orders.push({ id, createdAt: Timestamp.fromMillis(Date.parse(now) + each.minute * 60_000) })
    const other = each.linkedTo === undefined || each.linkedTo === index ? undefined : orders[each.linkedTo]
    if (other !== undefined) yield* movement.link(id, other.id, () => Result.succeed({ _tag: "Link" }))
  }
  const all = yield* shipmentsOf(business, "east")
  for (const shipmentNumber of ["S0", "new"]) {
    for (const direction of directions) {
      const snapshot = yield* look(
        aDocument({ business, direction, shipmentNumber }, ...numbers.map((number) => orderOf(number)))
      )
      const elsewhere = all.filter(({ shipment }) => shipment.number !== shipmentNumber)
      const there = elsewhere.flatMap(({ shipment }) =>
        shipment.orders.map((order): Candidate => ({
          order,
          createdAt: orders.find(({ id }) => id === shipment.id)!.createdAt,
          shipmentId: shipment.id,
          shipmentStatus: shipment.status,
          shipmentIsLinked: shipment.linkedShipmentIds.length > 0
        }))
      )
      for (const number of numbers) {
        assert.deepStrictEqual(
          chooseCandidate(snapshot.candidates)(number, direction),
          chooseCandidate(there)(number, direction)
        )
      }
    }
  }
})

/** D3.3: remapping chooses the same order from a snapshot as from all orders. */
export const leavesOutOnlyWhatIsNotChosen: IntakeLaw = (stores) =>
  Law.effect(
    "D3.3 a storage leaves out of a snapshot only orders that remapping would not choose",
    madeShipments,
    (shipments) => Effect.provide(holds(shipments), Layer.fresh(stores), { local: true }),
    120
  )

export type { IntakeLaw, ProcessedDocument as Processed, ShipmentList as Shipped } from "./IntakeRun.ts"

const difference = (left: ReadonlyArray<string>, right: ReadonlyArray<string>) => {
  const others = new Set(right)
  return left.filter((each) => !others.has(each))
}

const namesOf = (references: IntakeResult["created"]) => references.map(({ type, id }) => `${type} ${id}`)

const ordersOf = (shipments: ShipmentList) =>
  new Map(
    shipments.flatMap(({ location, shipment }) =>
      shipment.orders.map((order) => [order.id, { order, shipment, location }] as const)
    )
  )

/** WIRE.md: `created` contains exactly the new entities, so the answer is 201 exactly if something was created. */
export const createdIsWhatIsNew = everyDocument(
  "WIRE.md: created holds exactly what is new, so 201 exactly when something was created",
  ({ after, answer, before }) => {
    if (answer === undefined) return
    assert.sameMembers(namesOf(answer.created), difference(entities(after), entities(before)))
  }
)

/** Entities reported as removed are gone, and no others are. Entities reported as updated existed before and still exist. */
export const removedIsWhatIsGone = everyDocument(
  "removed holds exactly what is gone, and updated what was there and still is",
  ({ after, answer, before }) => {
    if (answer === undefined) return
    assert.sameMembers(namesOf(answer.removed), difference(entities(before), entities(after)))
    assert.deepStrictEqual(difference(namesOf(answer.updated), entities(before)), [])
    assert.deepStrictEqual(difference(namesOf(answer.updated), entities(after)), [])
  }
)

/** The shipment in the answer is the shipment that the storage then has. */
export const theAnswerIsStored = everyDocument(
  "the shipment of the answer is the one that the store then holds",
  ({ after, answer }) => {
    if (answer === undefined) return
    const { shipment, location } = after.find((each) => each.shipment.id === answer.shipment.id)!
    assert.deepStrictEqual(shipmentView(shipment, location), answer.shipment)
  }
)

/** D3: the new state of the storage is the result of core's decision about its earlier state. */
export const whatIsDecidedIsDone = everyDocument(
  "D3 what is there afterwards is what the decision makes of what was there",
  ({ after, before, document, strategies }) => {
    const { business, facility } = document
    const here = (shipments: ShipmentList) =>
      shipments.filter(({ location }) => location.facility.slug === facility).map(({ shipment }) => shipment)
    const world = {
      business: { slug: business, name: business },
      facility: { slug: facility, name: facility },
      docks: places[0]!.facilities.find(({ slug }) => slug === facility)?.docks ?? [],
      shipments: here(before)
    }
    const [expected] = process(world, document, strategies)
    assert.isTrue(
      explainable(world, [document], here(after), undefined, strategies),
      `expected ${Law.brief(expected.shipments)}, but there is ${Law.brief(here(after))}`
    )
  }
)

/** D2.1: a document is all or nothing. */
export const refusedLeavesNothing = everyDocument(
  "D2.1 a refused document leaves nothing",
  ({ after, answer, before }) => {
    if (answer === undefined) assert.deepStrictEqual(after, before)
  }
)

/** D5.3: a dry run gives the same answer as the real run, with empty ids for new entities, and changes nothing. */
export const dryRunsChangeNothing = everyDocument(
  "D5.3 a dry run answers the same with empty ids and changes nothing",
  ({ afterDryRun, answer, before, dryAnswer }) => {
    assert.deepStrictEqual(afterDryRun, before)
    assert.deepStrictEqual(dryAnswer, answer === undefined ? undefined : withEmptyIds(answer))
  }
)

/** D3.3: other shipments stay unchanged, except that an eligible shipment may lose an order. */
export const otherShipmentsStay = everyDocument(
  "other shipments stay, but for an order that was taken from one that had not arrived and was not linked",
  ({ after, answer, before, document }) => {
    const numbers = new Set(document.orders.map(({ orderNumber }) => orderNumber))
    const afterById = new Map(after.map((each) => [each.shipment.id, each.shipment]))
    for (const { shipment, location } of before) {
      if (shipment.id === answer?.shipment.id) continue
      const shipmentAfter = afterById.get(shipment.id)!
      const ordersTaken = shipment.orders.filter(({ id }) =>
        shipmentAfter.orders.every((order) => order.id !== id)
      )
      assert.deepStrictEqual(shipmentAfter, {
        ...shipment,
        version: shipment.version + (ordersTaken.length === 0 ? 0 : 1),
        orders: shipment.orders.filter((order) => !ordersTaken.includes(order))
      })
      for (const order of ordersTaken) {
        assert.deepStrictEqual(
          [location.facility.slug, shipment.status, shipment.linkedShipmentIds, order.direction],
          [document.facility, "SCHEDULED", [], document.direction]
        )
        assert.isTrue(numbers.has(order.number))
        assert.isTrue(answer!.shipment.orders.some(({ id }) => id === order.id))
      }
    }
  }
)

/** D3.2: a departed shipment is final. */
export const departedIsFinal = everyDocument(
  "D3.2 a departed shipment never changes again",
  ({ after, before }) => {
    const departed = (shipments: ShipmentList) =>
      shipments.filter(({ shipment }) => shipment.departedAt !== null)
    assert.deepStrictEqual(departed(after), departed(before))
  }
)

/** D3.1: business, facility and number permanently identify one shipment. */
export const numbersNameOneShipment = everyDocument(
  "D3.1 business, facility and number name one shipment for ever",
  ({ after, before }) => {
    const names = (shipments: ShipmentList) =>
      shipments.map(({ shipment, location }) => `${location.facility.slug} ${shipment.number}`)
    assert.strictEqual(new Set(names(after)).size, after.length)
    assert.deepStrictEqual(names(after).slice(0, before.length), names(before))
  }
)

/** D3.3: an order permanently keeps its number, direction and facility, and is on one shipment. */
export const ordersKeepTheirNames = everyDocument(
  "D3.3 an order keeps its number, direction and facility for ever, and is on one shipment",
  ({ after, before }) => {
    const ids = after.flatMap(({ shipment }) => shipment.orders.map(({ id }) => id))
    assert.strictEqual(new Set(ids).size, ids.length)
    const now = ordersOf(after)
    for (const [id, { location, order, shipment }] of ordersOf(before)) {
      const orderAfter = now.get(id)!
      assert.deepStrictEqual(
        [
          orderAfter.order.number,
          orderAfter.order.direction,
          orderAfter.shipment.direction,
          orderAfter.location.facility.slug
        ],
        [order.number, order.direction, shipment.direction, location.facility.slug]
      )
    }
  }
)

/** An id is never used again, because answers and messages still name it after its entity is gone. */
export const idsAreNeverUsedAgain = everyDocument(
  "what is created gets ids that nothing had before, nothing that is gone either",
  ({ answer, ever }) => {
    assert.deepStrictEqual(namesOf(answer?.created ?? []).filter((each) => ever.has(each)), [])
  }
)

/** D3.3: whatever documents were sent, at most one order with a given number is eligible. */
export const oneOrderIsEligible = everyDocument(
  "D3.3 over our own interface at most one order of a number is eligible",
  ({ after }) => {
    const eligible = after
      .filter(({ shipment }) => shipment.status === "SCHEDULED" && shipment.linkedShipmentIds.length === 0)
      .flatMap(({ shipment, location }) =>
        shipment.orders.map(({ number, direction }) => `${location.facility.slug} ${direction} ${number}`)
      )
    assert.strictEqual(new Set(eligible).size, eligible.length)
  }
)

/** An answer in the form of a dry run: without the ids of created entities. */
const withEmptyIds = ({ created, shipment, ...rest }: IntakeResult): IntakeResult => {
  const fresh = new Set(namesOf(created))
  const idOf = (type: string, id: string) => (fresh.has(`${type} ${id}`) ? "" : id)
  return {
    ...rest,
    created: created.map((each) => ({ ...each, id: "" })),
    shipment: {
      ...shipment,
      id: fresh.has(`SHIPMENT ${shipment.id}`) ? 0 : shipment.id,
      orders: shipment.orders.map((order) => ({
        ...order,
        id: idOf("ORDER", order.id),
        items: order.items.map((item) => ({ ...item, id: idOf("ORDER_ITEM", item.id) }))
      }))
    }
  }
}

const all: ReadonlyArray<IntakeLaw> = [
  createdIsWhatIsNew,
  removedIsWhatIsGone,
  theAnswerIsStored,
  whatIsDecidedIsDone,
  refusedLeavesNothing,
  dryRunsChangeNothing,
  otherShipmentsStay,
  departedIsFinal,
  numbersNameOneShipment,
  ordersKeepTheirNames,
  idsAreNeverUsedAgain,
  oneOrderIsEligible,
  leavesOutOnlyWhatIsNotChosen
]

/** The guarantees of intake, over these stores. `options.strategies` replaces the four strategies of the wire contract. */
export const everyLaw = <E>(
  stores: Layer.Layer<MovementStores, E>,
  options?: Pick<DocumentOptions, "strategies">
): ReadonlyArray<Law.Law> => all.map((law) => law(stores, options))
