import {
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  decided,
  now,
  orderOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { changesAnything } from "../../src/document/Plan.ts"
import type { OrderChange, ShipmentChange, Snapshot } from "../../src/document/Plan.ts"
import { emptyOrderFields } from "../../src/shipment/Order.ts"
import type { OrderFields } from "../../src/shipment/Order.ts"
import { aStoredItem, headerOf } from "../Stored.ts"

const d1 = { id: 3, slug: "D1" }
const d2 = { id: 4, slug: "D2" }
const noItems = { created: [], updated: [], removed: [] }

const orderHeader = (id: string, number: string, fields: Partial<OrderFields> = {}) => {
  const { items: _, ...header } = anOrder(id, number, [], fields)
  return header
}

describe("D3.1 the target shipment", () => {
  it("is created with status SCHEDULED, scheduled and expected now", () => {
    const { orders, shipment } = decided(aDocument(), aSnapshot())
    assert.strictEqual(shipment._tag, "Create")
    assert.deepInclude(shipment.shipment, { status: "SCHEDULED", scheduledAt: now, expectedArrivalAt: now })
    assert.deepInclude(orders[0]!.order.order, { ...emptyOrderFields, status: "CREATED" })
  })

  it("is created with everything the document says of it and its order", () => {
    const plan = decided(
      aDocument(
        {
          direction: "INBOUND",
          expectedArrivalAt: "2026-12-01T00:00:00.000Z",
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
          linkedShipmentIds: [],
          checkIn: {},
          expectedArrivalAt: "2026-12-01T00:00:00.000Z",
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
      arrivedAt: "2026-11-20T10:00:00.000Z",
      linkedShipmentIds: [2]
    })
    assert.deepStrictEqual(decided(aDocument({ trailerNumber: "T2" }), aSnapshot({ target })).shipment, {
      _tag: "Update",
      shipment: { ...headerOf(target), trailerNumber: "T2" },
      changed: true
    })
  })
})

describe("D3.7 shipment-level fields: a given non-empty value replaces", () => {
  const target = aShipment({
    trailerNumber: "T1",
    carrier: "C1",
    dock: d1,
    additionalFields: [{ name: "a", value: "1" }, { name: "b", value: "2" }]
  })
  const shipmentAfter = (fields: Parameters<typeof aDocument>[0], snapshot: Partial<Snapshot> = {}) =>
    decided(aDocument(fields), aSnapshot({ target, ...snapshot })).shipment

  it("an update that says nothing leaves everything, expectedArrivalAt included", () => {
    assert.deepStrictEqual(shipmentAfter({}), { _tag: "Update", shipment: headerOf(target), changed: false })
  })

  it("an update that repeats what is there changes nothing", () => {
    const { expectedArrivalAt, trailerNumber, carrier, additionalFields } = target
    const same = { expectedArrivalAt, trailerNumber, carrier, additionalFields, dockSlug: "D1" }
    const unchanged: ShipmentChange = { _tag: "Update", shipment: headerOf(target), changed: false }
    assert.deepStrictEqual(shipmentAfter(same, { dock: { ...d1 } }), unchanged)
  })

  it.each(
    [
      [{ expectedArrivalAt: "2026-12-24T18:00:00.000Z" }, { expectedArrivalAt: "2026-12-24T18:00:00.000Z" }],
      [{ trailerNumber: "T2" }, { trailerNumber: "T2" }],
      [{ carrier: "C2" }, { carrier: "C2" }]
    ] as const
  )("%j", (given, changes) => {
    assert.deepStrictEqual(shipmentAfter(given), {
      _tag: "Update",
      shipment: { ...headerOf(target), ...changes },
      changed: true
    })
  })

  it("dockSlug, resolved to its dock", () => {
    assert.deepStrictEqual(shipmentAfter({ dockSlug: "D2" }, { dock: d2 }), {
      _tag: "Update",
      shipment: { ...headerOf(target), dock: d2 },
      changed: true
    })
  })
})

describe("D3.7 order-level fields: a given non-empty, non-zero value replaces", () => {
  const stored = { ...emptyOrderFields, client: "before", supplier: "before", expectedQuantity: 5 }
  const orderAfter = (fields: Partial<OrderFields>): OrderChange["order"] => {
    const target = aShipment({ orders: [anOrder("5", "O1", [], stored)] })
    return decided(aDocument({}, orderOf("O1", "OVERWRITE", [], fields)), aSnapshot({ target })).orders[0]!
      .order
  }
  const updated = (fields: OrderFields, changed: boolean): OrderChange["order"] => ({
    _tag: "Update",
    order: orderHeader("5", "O1", fields),
    changed,
    remappedFrom: null
  })

  it.each([{ client: "after" }, { expectedQuantity: 8 }])("%j", (given) => {
    assert.deepStrictEqual(orderAfter(given), updated({ ...stored, ...given }, true))
  })

  it("what is there already changes nothing, and neither does an empty text or a quantity of 0", () => {
    assert.deepStrictEqual(orderAfter({ client: "before" }), updated(stored, false))
    assert.deepStrictEqual(orderAfter(emptyOrderFields), updated(stored, false))
  })
})

describe("what a plan writes", () => {
  const target = aShipment({ orders: [anOrder("5", "O1", [aStoredItem("50", "L1", "S1")])] })
  const merged = (quantity: number) =>
    decided(aDocument({}, orderOf("O1", "MERGE", [anItem("L1", "S1", { quantity })])), aSnapshot({ target }))

  it("a matched item that came out as it was is not among those to write", () => {
    assert.deepStrictEqual(merged(5).orders[0]!.changedItems, [])
    assert.deepStrictEqual(merged(0).orders[0]!.changedItems, [])
    assert.deepStrictEqual(merged(6).orders[0]!.changedItems, [
      aStoredItem("50", "L1", "S1", { quantity: 6 })
    ])
  })

  it("changesAnything tells whether there is anything to write at all", () => {
    assert.deepStrictEqual(
      [
        merged(5),
        merged(6),
        decided(aDocument(), aSnapshot()),
        decided(aDocument({ carrier: "C" }), aSnapshot({ target }))
      ]
        .map(changesAnything),
      [false, true, true, true]
    )
  })

  it("a shipment that is created is a change by itself", () => {
    assert.isTrue(changesAnything({ ...decided(aDocument(), aSnapshot()), orders: [] }))
  })
})
