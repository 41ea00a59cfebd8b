/**
 * The law of the orders that a storage of intake may leave out of a snapshot: those that remapping would not choose, and no others.
 *
 * Only `Remap.ts` has the rule of the eligible orders. A storage that does not load all orders repeats a part of the rule in its own
 * language, and this law breaks when the two differ, whichever of them was changed.
 */
import { decide } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import { IntakeStore } from "@dockline/core/document/IntakeStore"
import type { Plan, Snapshot } from "@dockline/core/document/Plan"
import * as Remap from "@dockline/core/document/Remap"
import type { StepPlan } from "@dockline/core/movement/Movement"
import { MovementStore } from "@dockline/core/movement/MovementStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { ShipmentStatus } from "@dockline/core/values/Vocabulary"
import { Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import * as assert from "../Assert.ts"
import { aDocument, now, orderOf } from "../generators/Given.ts"
import * as Law from "../Law.ts"
import { look } from "../worlds/IntakeWorld.ts"
import { at } from "../worlds/MessageLogWorld.ts"
import { aDocumentsWorld, shipmentsOf } from "./IntakeRun.ts"
import type { IntakeLaw } from "./IntakeRun.ts"

/** A shipment with orders of some numbers: its time of creation, its status, and the earlier shipment to which it is linked. */
interface Place {
  readonly facility: string
  readonly direction: string
  readonly numbers: ReadonlyArray<string>
  readonly minute: number
  readonly status: ShipmentStatus
  readonly linkedTo: number | undefined
}

/** Many numbers, because each is a case of its own: shipments differ in their orders. */
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

/** Makes a shipment without any remapping: it has orders of its own, and gets its status through plans made by hand. */
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
        shipment.orders.map((order): Remap.Candidate => ({
          order,
          createdAt: orders.find(({ id }) => id === shipment.id)!.createdAt,
          shipmentId: shipment.id,
          shipmentStatus: shipment.status,
          shipmentIsLinked: shipment.linkedShipmentIds.length > 0
        }))
      )
      for (const number of numbers) {
        assert.deepStrictEqual(
          Remap.choose(snapshot.candidates)(number, direction),
          Remap.choose(there)(number, direction)
        )
      }
    }
  }
})

/** D3.3: from the orders of a snapshot, remapping makes the same choice as from all orders. */
export const leavesOutOnlyWhatIsNotChosen: IntakeLaw = (stores) =>
  Law.effect(
    "D3.3 a storage leaves out of a snapshot only orders that remapping would not choose",
    madeShipments,
    (shipments) => Effect.provide(holds(shipments), Layer.fresh(stores), { local: true }),
    120
  )
