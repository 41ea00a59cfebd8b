/** The rules for the snapshot that a storage of intake passes to the decision, for every storage (D3). */
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { Snapshot } from "@dockline/core/document/Plan"
import { chooseCandidate } from "@dockline/core/document/Plan"
import type { OrderDraft } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf, unique } from "../../generators/Given.ts"
import { aWorld, deciding, east, itemsOf, look, outcomeOf } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"
import { at } from "../../worlds/MessageLogWorld.ts"

const noon = Date.parse("2026-11-20T12:00:00.000Z")
const minute = (n: number) => noon + n * 60_000
const timeOf = (millis: number) => new Date(millis).toISOString()

/** Places, the target and the time. */
export const snapshots = (test: AddTest): void => {
  test("a snapshot names business, facility and dock, or says that there are none", function*() {
    const { business, document } = yield* aWorld
    const placesOf = (fields: Parameters<typeof document>[0]) =>
      Effect.map(look(document(fields)), ({ business, facility, dock }) => [business, facility, dock?.slug])
    const slugAndName = { slug: business, name: `Business ${business}` }
    assert.deepStrictEqual(
      yield* Effect.all([
        placesOf({ dockSlug: "D2" }),
        placesOf({}),
        placesOf({ dockSlug: "D9" }),
        placesOf({ dockSlug: "d2" }),
        placesOf({ facility: "west", dockSlug: "D2" }),
        placesOf({ facility: "north", dockSlug: "D1" }),
        placesOf({ business: unique("nobody") })
      ]),
      [
        [slugAndName, east, "D2"],
        [slugAndName, east, undefined],
        [slugAndName, east, undefined],
        [slugAndName, east, undefined],
        [slugAndName, { slug: "west", name: "West" }, undefined],
        [slugAndName, null, undefined],
        [null, null, undefined]
      ]
    )
  })

  test("a snapshot is of the time of the clock, and of a shipment that is not there yet", function*() {
    const { document } = yield* aWorld
    const { now, target, candidates } = yield* at(minute(1) + 7)(look(document()))
    assert.deepStrictEqual({ now, target, candidates }, {
      now: timeOf(minute(1) + 7),
      target: null,
      candidates: []
    })
  })

  test("the target is the whole shipment, with the orders that the document does not name", function*() {
    const { document, submit } = yield* aWorld
    const store = yield* ShipmentStore
    yield* submit({ dockSlug: "D2", carrier: "C" }, orderOf("O2", "APPEND", itemsOf("L1", "L2")))
    yield* submit({}, orderOf("O3"), orderOf("O1", "APPEND", itemsOf("L3", "L4")))
    yield* submit({ trailerNumber: "T" }, orderOf("O2", "DELETE", itemsOf("L1")))
    const last = yield* submit({}, orderOf("O1", "MERGE", [anItem("L4", "S1", { lot: "lot" })]))
    const { target } = yield* look(document({}, orderOf("O9")))
    assert.deepStrictEqual(target, last.shipment)
    assert.deepStrictEqual(target, assert.present(yield* store.find(assert.present(target).id, [])).shipment)
    assert.deepStrictEqual(
      assert.present(target).orders.map(({ number, items }) => [number, items.map(({ lpn }) => lpn)]),
      [
        ["O2", ["L2"]],
        ["O3", []],
        ["O1", ["L3", "L4"]]
      ]
    )
  })

  test("numbers mean what they mean at their facility of their business only", function*() {
    const { document, submit } = yield* aWorld
    const other = yield* aWorld
    yield* submit({ facility: "west" }, orderOf("O1"))
    yield* submit({ facility: "west", shipmentNumber: "S2" }, orderOf("O2"))
    yield* other.submit({}, orderOf("O1"))
    yield* other.submit({ shipmentNumber: "S2" }, orderOf("O2"))
    const { target, candidates } = yield* look(document({}, orderOf("O1"), orderOf("O2")))
    assert.deepStrictEqual([target, candidates], [null, []])
    const { shipment } = yield* submit({}, orderOf("O1"), orderOf("O2"))
    assert.deepStrictEqual((yield* look(document())).target, shipment)
  })

  test("D3.5 numbers and keys are compared exactly, to the last character of the longest", function*() {
    const { document, submit, shipments } = yield* aWorld
    // The characters do not repeat, so that a storage cannot shorten its keys by compression.
    const long = Array.from({ length: 1023 }, (_, n) => String.fromCodePoint(0x10000 + (n * 7919) % 60_000))
      .join("")
    const numbers = ["s1", "S1", "S1 ", " S1", "S01", "1", "01", "é", "e\u0301", `${long}1`, `${long}2`]
    const withItems = (number: string) => orderOf(number, "MERGE", [anItem(number, number)])
    for (const number of numbers) yield* submit({ shipmentNumber: number }, withItems(number))
    const all = yield* shipments
    assert.deepStrictEqual(
      all.map(({ number, orders }) => [
        number,
        orders.map((order) => [order.number, order.items.map(({ lpn, sku }) => [lpn, sku])])
      ]),
      numbers.map((number) => [number, [[number, [[number, number]]]]])
    )
    for (const [index, number] of numbers.entries()) {
      const { target, candidates } = yield* look(document({ shipmentNumber: number }, withItems(number)))
      assert.deepStrictEqual([target, candidates], [all[index], []])
    }
    const again = yield* Effect.forEach(
      numbers,
      (number) => submit({ shipmentNumber: number }, withItems(number))
    )
    assert.deepStrictEqual(again.flatMap(({ created }) => created), [])
    // All items are on one order, so that similar keys are adjacent.
    const side = yield* submit(
      { shipmentNumber: "all" },
      orderOf("all", "MERGE", numbers.map((number) => anItem(number, "S")))
    )
    assert.deepStrictEqual(assert.at(side.shipment.orders, 0).items.map(({ lpn }) => lpn), numbers)
  })
}

/** The orders on other shipments from which remapping chooses. A storage may leave out orders that remapping could not choose. */
export const candidates = (test: AddTest): void => {
  test("D3.3 candidates are orders of these numbers on other shipments of the facility", function*() {
    const { document, submit } = yield* aWorld
    const fields = { supplier: "Sup", expectedQuantity: 7 }
    const from = yield* at(minute(1))(
      submit(
        { shipmentNumber: "S2" },
        orderOf("O1", "APPEND", itemsOf("L1", "L2"), fields),
        orderOf("O2"),
        orderOf("O3")
      )
    )
    yield* at(minute(2))(submit({ shipmentNumber: "S3" }, orderOf("O4")))
    const target = yield* submit({}, orderOf("O5"))
    const candidates = (yield* look(document({}, orderOf("O3"), orderOf("O1"), orderOf("O5"), orderOf("O9"))))
      .candidates
    const on = {
      shipmentId: Number(from.shipment.id),
      shipmentStatus: "SCHEDULED",
      shipmentIsLinked: false
    }
    assert.deepStrictEqual(
      candidates.toSorted((left, right) => Number(left.order.id) - Number(right.order.id)),
      [assert.at(from.shipment.orders, 0), assert.at(from.shipment.orders, 2)].map((order) => ({
        order,
        createdAt: timeOf(minute(1)),
        ...on
      }))
    )
    assert.deepStrictEqual(target.shipment.orders.map(({ number }) => number), ["O5"])
  })

  test("D3.3 of several orders of a number the latest created of the direction is there", function*() {
    const { document } = yield* aWorld
    const store = yield* IntakeStore
    /** Creates an order O1 on a shipment, without remapping an existing order. */
    const another = Effect.fnUntraced(function*(shipmentNumber: string, n: number, direction = "OUTBOUND") {
      const draft = document({ shipmentNumber, direction }, orderOf("O1"))
      const decide = (snapshot: Snapshot) => deciding(draft)({ ...snapshot, candidates: [] })
      const { shipment } = outcomeOf(yield* at(minute(n))(store.transact(draft, decide, { dryRun: false })))
      return {
        order: assert.at(shipment.orders, 0),
        createdAt: timeOf(minute(n)),
        shipmentId: Number(shipment.id),
        shipmentStatus: "SCHEDULED",
        shipmentIsLinked: false
      } as const
    })
    const choice = Effect.map(
      look(document({}, orderOf("O1"))),
      ({ candidates }) => chooseCandidate(candidates)("O1", "OUTBOUND")
    )
    yield* another("S2", 9, "INBOUND")
    assert.strictEqual(yield* choice, undefined)
    const late = yield* another("S3", 5)
    assert.deepStrictEqual(yield* choice, late)
    yield* another("S4", 1)
    assert.deepStrictEqual(yield* choice, late, "though S4 has the later id")
    const later = yield* another("S5", 5)
    assert.deepStrictEqual(yield* choice, later, "created at one time with the order of S3")
  })

  test("D17.2 numbers in use on other shipments are those of orders of every status", function*() {
    const { document, submit } = yield* aWorld
    const store = yield* IntakeStore
    const make = (shipmentNumber: string, orderNumber: string, direction: string, status = "CREATED") => {
      const draft = document({ shipmentNumber, direction }, orderOf(orderNumber))
      const decide = (snapshot: Snapshot) =>
        Result.map(deciding(draft)({ ...snapshot, candidates: [] }), (plan) => ({
          ...plan,
          orders: plan.orders.map((change) => ({
            ...change,
            order: change.order._tag === "Create"
              ? { ...change.order, order: { ...change.order.order, status } as OrderDraft }
              : change.order
          }))
        }))
      return store.transact(draft, decide, { dryRun: false })
    }
    yield* make("S2", "inbound", "INBOUND")
    yield* make("S3", "over", "OUTBOUND", "COMPLETED")
    yield* make("S3", "open", "OUTBOUND")
    for (const n of [4, 5, 6]) yield* make(`S${n}`, "often", "OUTBOUND", n === 5 ? "CREATED" : "CANCELLED")
    yield* submit({ facility: "west" }, orderOf("west"))
    yield* submit({}, orderOf("here"))
    const numbers = ["new", "here", "west", "over", "often", "open", "inbound"]
    const question = document({}, ...numbers.map((number) => orderOf(number)))
    const { numbersInUse = [] } = yield* look(question, { ordersAreNew: true })
    assert.deepStrictEqual(
      new Map(numbersInUse.map(({ isOpen, orderNumber }) => [orderNumber, isOpen])),
      new Map([
        ["over", false],
        ["often", true],
        ["open", true],
        ["inbound", false]
      ])
    )
    assert.strictEqual(numbersInUse.length, 4)
    assert.strictEqual((yield* look(question)).numbersInUse, undefined)
    assert.deepStrictEqual((yield* look(document({}, orderOf("new")), { order: null })).numbersInUse, [])
  })
}
