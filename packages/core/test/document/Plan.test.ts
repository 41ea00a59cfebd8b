import {
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  now,
  orderOf,
  planOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { changesAnything, countsAfter, drawIds, itemsOfOrders } from "../../src/document/Plan.ts"
import type { OrderChange } from "../../src/document/Plan.ts"
import { emptyOrderFields } from "../../src/shipment/Shipment.ts"
import { sizeOfItem } from "../../src/shipment/ShipmentSize.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { aStoredItem, headerOf } from "../Stored.ts"

const d1 = { id: 3, slug: "D1" }
const d2 = { id: 4, slug: "D2" }
const noItems = { created: [], updated: [], removed: [] }

describe("D3.1 the target shipment", () => {
  it("is created with status SCHEDULED, scheduled and expected now", () => {
    const { orders, shipment } = planOf(aDocument(), aSnapshot())
    assert.strictEqual(shipment._tag, "Create")
    assert.deepInclude(shipment.shipment, { status: "SCHEDULED", scheduledAt: now, expectedArrivalAt: now })
    assert.deepInclude(orders[0]!.order.order, { ...emptyOrderFields, status: "CREATED" })
  })

  it("is created with everything the document says of it and its order", () => {
    const plan = planOf(
      aDocument(
        {
          direction: "INBOUND",
          expectedArrivalAt: Timestamp.of("2026-12-01T00:00:00.000Z"),
          trailerNumber: "T1",
          carrier: "Carrier",
          dockSlug: "D1",
          additionalFields: [{ name: "colour", value: "red" }, { name: "driverName", value: "Kim" }]
        },
        orderOf("O1", "APPEND", [anItem("L1", "S1")], { client: "Client", carrier: "Carrier" })
      ),
      aSnapshot({ dock: d1 })
    )
    assert.deepStrictEqual(plan, {
      shipment: {
        _tag: "Create",
        shipment: {
          number: "S1",
          status: "SCHEDULED",
          direction: "INBOUND",
          scheduledAt: now,
          arrivedAt: null,
          departedAt: null,
          cancelledAt: null,
          linkedShipmentIds: [],
          checkIn: {},
          stepClients: {},
          expectedArrivalAt: Timestamp.of("2026-12-01T00:00:00.000Z"),
          trailerNumber: "T1",
          carrier: "Carrier",
          dock: d1,
          additionalFields: [{ name: "colour", value: "red" }, { name: "driverName", value: "Kim" }]
        }
      },
      orders: [{
        order: {
          _tag: "Create",
          order: {
            ...emptyOrderFields,
            client: "Client",
            carrier: "Carrier",
            number: "O1",
            status: "CREATED",
            direction: "INBOUND"
          }
        },
        items: { ...noItems, created: [anItem("L1", "S1")] },
        changedItems: []
      }]
    })
  })

  it("is found by its number, and keeps its status, times and links", () => {
    const target = aShipment({
      status: "ARRIVED",
      arrivedAt: Timestamp.of("2026-11-20T10:00:00.000Z"),
      linkedShipmentIds: [2]
    })
    assert.deepStrictEqual(planOf(aDocument({ trailerNumber: "T2" }), aSnapshot({ target })).shipment, {
      _tag: "Update",
      shipment: { ...headerOf(target), trailerNumber: "T2" },
      isChanged: true
    })
  })
})

// What a document replaces is what the laws of decisions say; they hold what is equal, not what is the same.
describe("D3.7 a document that repeats what is there", () => {
  const target = aShipment({
    trailerNumber: "T1",
    carrier: "C1",
    dock: d1,
    additionalFields: [{ name: "a", value: "1" }]
  })

  const { additionalFields, carrier, expectedArrivalAt, trailerNumber } = target
  const same = { additionalFields, carrier, expectedArrivalAt, trailerNumber, dockSlug: "D1" }

  it.each([["says nothing", {}, null], ["says it all again", same, { ...d1 }]])(
    "changes nothing when it %s",
    (_, fields, dock) => {
      assert.deepStrictEqual(planOf(aDocument(fields), aSnapshot({ target, dock })).shipment, {
        _tag: "Update",
        shipment: headerOf(target),
        isChanged: false
      })
    }
  )

  it("at another dock moves the shipment there", () => {
    const { shipment } = planOf(aDocument({ dockSlug: "D2" }), aSnapshot({ target, dock: d2 }))
    assert.deepStrictEqual(shipment, {
      _tag: "Update",
      shipment: { ...headerOf(target), dock: d2 },
      isChanged: true
    })
  })
})

describe("what a plan writes", () => {
  const target = aShipment({ orders: [anOrder("5", "O1", [aStoredItem("50", "L1", "S1")])] })
  const planWith = (quantity: number) =>
    planOf(aDocument({}, orderOf("O1", "MERGE", [anItem("L1", "S1", { quantity })])), aSnapshot({ target }))

  it("a matched item that came out as it was is not among those to write", () => {
    assert.deepStrictEqual(planWith(5).orders[0]!.changedItems, [])
    assert.deepStrictEqual(planWith(0).orders[0]!.changedItems, [])
    assert.deepStrictEqual(planWith(6).orders[0]!.changedItems, [
      aStoredItem("50", "L1", "S1", { quantity: 6 })
    ])
  })

  it("an order is changed by a field that says something else, and by none that repeats it", () => {
    const isChanged = (client: string) => {
      const { order } = planOf(
        aDocument({}, orderOf("O1", "MERGE", [], { client })),
        aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", [], { client: "Client" })] }) })
      ).orders[0]!
      return order._tag === "Update" && order.isChanged
    }
    assert.deepStrictEqual(["Client", "", "Other"].map(isChanged), [false, false, true])
  })

  it("changesAnything tells whether there is anything to write at all", () => {
    assert.deepStrictEqual(
      [
        planWith(5),
        planWith(6),
        planOf(aDocument(), aSnapshot()),
        planOf(aDocument({ carrier: "C" }), aSnapshot({ target }))
      ]
        .map(changesAnything),
      [false, true, true, true]
    )
  })

  it("a shipment that is created is a change by itself", () => {
    assert.isTrue(changesAnything({ ...planOf(aDocument(), aSnapshot()), orders: [] }))
  })

  const unchanged = planWith(5)
  const change = unchanged.orders[0]!
  const creation = planOf(aDocument(), aSnapshot())
  const update = change.order as Extract<OrderChange["order"], { _tag: "Update" }>

  it.each<[string, Partial<OrderChange>]>([
    ["an order that is created", { order: creation.orders[0]!.order }],
    ["an order that changes", { order: { ...update, isChanged: true } }],
    ["an order that is remapped", { order: { ...update, remappedFrom: 7 } }],
    ["an item that is created", { items: { ...noItems, created: [anItem("L2", "S1")] } }],
    ["an item that is removed", { items: { ...noItems, removed: [aStoredItem("50", "L1", "S1")] } }],
    ["an item that changes", { changedItems: [aStoredItem("50", "L1", "S1")] }]
  ])("%s is a change by itself", (_, part) => {
    const quiet = { ...change, items: noItems, changedItems: [] }
    assert.isFalse(changesAnything({ ...unchanged, orders: [quiet] }))
    assert.isTrue(changesAnything({ ...unchanged, orders: [{ ...quiet, ...part }] }))
  })

  it("an order that is created had no items, and leaves none", () => {
    const itemsOf = itemsOfOrders(aSnapshot({ target }))
    assert.deepStrictEqual(itemsOf(creation.orders[0]!), { had: undefined, left: [] })
    assert.deepStrictEqual(itemsOf(change).had, target.orders[0]!.items)
  })

  it("ids are drawn of the kind of what is created, and of nothing else", () => {
    const kinds: Array<string> = []
    const draw = (kind: string) => kinds.push(kind)
    const items = [anItem("L1", "S1"), anItem("L2", "S1")]
    const both = planOf(aDocument({}, orderOf("O1", "APPEND", items)), aSnapshot())
    assert.deepStrictEqual(drawIds(both, draw), { shipment: 1, orders: ["2"], items: ["3", "4"] })
    assert.deepStrictEqual(kinds, ["shipment", "order", "item", "item"])
    assert.deepStrictEqual(drawIds(unchanged, draw), { shipment: "", orders: [], items: [] })
  })
})

describe("D13.4 the counts after a plan", () => {
  const items = [aStoredItem("21", "L1", "S1"), aStoredItem("22", "L2", "S1")]
  const target = aShipment({ orders: [anOrder("5", "O1", items)] })
  const ordersAfter = (...after: ReadonlyArray<ReturnType<typeof anItem>>) => {
    const before = aSnapshot({ target })
    return countsAfter(before, planOf(aDocument({}, orderOf("O1", "OVERWRITE", after)), before)).orders
  }

  it("of a new order are those of its items, and a change", () => {
    const before = aSnapshot()
    const plan = planOf(aDocument({}, orderOf("O1", "APPEND", [anItem("L1", "S1")])), before)
    const { discrepancies, orders: [order] } = countsAfter(before, plan)
    assert.deepInclude(order!, { rows: 2, isChanged: true })
    assert.deepStrictEqual(discrepancies, { missingPallets: 1, unexpectedPallets: 0, wrongDockPallets: 0 })
  })

  it("of an order change with its number of items and with their texts", () => {
    assert.isFalse(ordersAfter(anItem("L1", "S1"), anItem("L2", "S1"))[0]!.isChanged)
    assert.isTrue(ordersAfter(anItem("L1", "S1"))[0]!.isChanged)
    assert.isTrue(ordersAfter(anItem("L1", "S1"), anItem("L2", "S1", { description: "Oats" }))[0]!.isChanged)
    assert.isTrue(ordersAfter(anItem("L1", "S1"), anItem("L2", "S1"), anItem("L3", "S1"))[0]!.isChanged)
    const description = "x".repeat(sizeOfItem(items[1]!).text)
    assert.isTrue(
      ordersAfter(anItem("L1", "S1", { description }))[0]!.isChanged,
      "fewer items of as much text"
    )
  })

  it("of the shipment are its discrepancies, with the items that the plan adds", () => {
    const before = aSnapshot({ target })
    const plan = planOf(aDocument({}, orderOf("O1", "APPEND", [anItem("L9", "S1")])), before)
    const { discrepancies, isDiscrepant } = countsAfter(before, plan)
    assert.deepStrictEqual(discrepancies, { missingPallets: 3, unexpectedPallets: 0, wrongDockPallets: 0 })
    assert.isTrue(isDiscrepant)
  })
})
