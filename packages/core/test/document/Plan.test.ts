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
import { emptyOrderFields, orderFieldNames } from "../../src/shipment/Order.ts"
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
    assert.deepStrictEqual(decided(aDocument(), aSnapshot()), {
      shipment: {
        _tag: "Create",
        shipment: {
          number: "S1",
          status: "SCHEDULED",
          direction: "OUTBOUND",
          scheduledAt: now,
          arrivedAt: null,
          departedAt: null,
          linkedShipmentIds: [],
          checkIn: {},
          expectedArrivalAt: now,
          trailerNumber: "",
          carrier: "",
          dock: null,
          additionalFields: []
        }
      },
      orders: [{
        order: {
          _tag: "Create",
          order: { ...emptyOrderFields, number: "O1", status: "CREATED", direction: "OUTBOUND" }
        },
        items: noItems,
        changedItems: []
      }]
    })
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

  it("additionalFields merge by name: replaced in place, added at the end, not cleared by \"\"", () => {
    const additionalFields = [
      { name: "c", value: "3" },
      { name: "a", value: "9" },
      { name: "b", value: "" },
      { name: "d", value: "" },
      { name: "__proto__", value: "p" }
    ]
    assert.deepStrictEqual(shipmentAfter({ additionalFields }), {
      _tag: "Update",
      shipment: {
        ...headerOf(target),
        additionalFields: [
          { name: "a", value: "9" },
          { name: "b", value: "2" },
          { name: "c", value: "3" },
          { name: "__proto__", value: "p" }
        ]
      },
      changed: true
    })
  })

  it("of a name given twice the last non-empty value counts", () => {
    const additionalFields = [{ name: "n", value: "1" }, { name: "n", value: "2" }, { name: "n", value: "" }]
    const created = decided(aDocument({ additionalFields }), aSnapshot()).shipment
    assert.deepStrictEqual(created.shipment.additionalFields, [{ name: "n", value: "2" }])
  })
})

describe("D3.7 order-level fields: a given non-empty, non-zero value replaces", () => {
  const values = (suffix: string, expectedQuantity: number): OrderFields => ({
    ...Object.fromEntries(orderFieldNames.map((name) => [name, `${name} ${suffix}`])),
    expectedQuantity
  } as OrderFields)
  const stored = values("before", 5)
  const given = values("after", 8)
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

  it.each(orderFieldNames)("%s", (name) => {
    assert.deepStrictEqual(
      orderAfter({ [name]: given[name] }),
      updated({ ...stored, [name]: given[name] }, true)
    )
    assert.deepStrictEqual(
      orderAfter({ ...given, [name]: emptyOrderFields[name] }),
      updated({ ...given, [name]: stored[name] }, true)
    )
    assert.deepStrictEqual(orderAfter({ [name]: stored[name] }), updated(stored, false))
  })

  it("WIRE.md: an expectedQuantity of 0 does not clear, an empty string does not either", () => {
    assert.deepStrictEqual(orderAfter(emptyOrderFields), updated(stored, false))
  })
})

describe("WIRE.md rule 5: without items existing items are unchanged", () => {
  it.each(["APPEND", "MERGE", "DELETE", "OVERWRITE"])("%s", (strategy) => {
    const stored = [aStoredItem("50", "L1", "S1")]
    const target = aShipment({ orders: [anOrder("5", "O1", stored)] })
    assert.deepStrictEqual(decided(aDocument({}, orderOf("O1", strategy)), aSnapshot({ target })).orders, [
      {
        order: { _tag: "Update", order: orderHeader("5", "O1"), changed: false, remappedFrom: null },
        items: noItems,
        changedItems: []
      }
    ])
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
