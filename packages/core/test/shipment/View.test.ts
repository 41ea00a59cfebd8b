import {
  acme,
  aDocument,
  anOrder,
  aShipment,
  aSnapshot,
  earlier,
  east,
  now,
  planOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Outcome from "../../src/document/Outcome.ts"
import { noIds } from "../../src/document/Plan.ts"
import { emptyOrderFields, emptyOrderItem } from "../../src/shipment/Shipment.ts"
import * as View from "../../src/shipment/View.ts"
import { aStoredItem } from "../Stored.ts"

const location = { business: acme, facility: east }

const event = (status: string, displayName: string, completedAt: string) => ({
  status,
  displayName,
  completed: completedAt !== "",
  completedAt,
  completedBy: ""
})

describe("WIRE.md empty defaults: missing strings are \"\", numbers 0, booleans false, lists []", () => {
  it("on a shipment of which nothing is known, its order and its item", () => {
    const item = { ...emptyOrderItem, id: "50" }
    const shipment = aShipment({ orders: [anOrder("5", "O1", [item])] })
    assert.deepStrictEqual(View.shipmentView(shipment, location), {
      id: 1,
      shipmentNumber: "S1",
      status: "SCHEDULED",
      direction: "OUTBOUND",
      business: { slug: "acme", name: "Acme Inc." },
      facility: { slug: "east", name: "East Hub" },
      expectedArrivalAt: earlier,
      scheduledAt: earlier,
      trailerNumber: "",
      dockId: "",
      dockSlug: "",
      carrier: "",
      additionalFields: [],
      statusEvents: [
        event("SCHEDULED", "Scheduled", earlier),
        event("ARRIVED", "Arrived", ""),
        event("DEPARTED", "Departed", "")
      ] as ReadonlyArray<View.StatusEvent>,
      progress: { expectedPallets: 0, passedPallets: 0, missingPallets: 0, unexpectedPallets: 0 },
      version: 1,
      orders: [{
        id: "5",
        orderNumber: "O1",
        status: "CREATED",
        direction: "OUTBOUND",
        ...emptyOrderFields,
        items: [item]
      }]
    })
  })
})

describe("D4.1 the shipment and all its fields", () => {
  it("every field that is known is shown as it is", () => {
    const order = { ...emptyOrderFields, client: "Client", expectedQuantity: 3, carrier: "Carrier" }
    const item = aStoredItem("50", "L1", "S1", {
      isDangerousGood: true,
      caseSerials: [{ id: "C1", quantity: 2 }]
    })
    const shipment = aShipment({
      direction: "INBOUND",
      trailerNumber: "T1",
      carrier: "Carrier",
      dock: { id: 3, slug: "D1" },
      additionalFields: [{ name: "driverName", value: "Kim" }],
      orders: [anOrder("5", "O1", [item], { ...order, status: "COMPLETED", direction: "INBOUND" })]
    })
    const view = View.shipmentView(shipment, location)
    assert.deepStrictEqual(view, {
      ...View.shipmentView(aShipment(), location),
      progress: { expectedPallets: 1, passedPallets: 0, missingPallets: 1, unexpectedPallets: 0 },
      version: 1,
      direction: "INBOUND",
      trailerNumber: "T1",
      carrier: "Carrier",
      dockId: "3",
      dockSlug: "D1",
      additionalFields: [{ name: "driverName", value: "Kim" }],
      orders: [{
        id: "5",
        orderNumber: "O1",
        status: "COMPLETED",
        direction: "INBOUND",
        ...order,
        items: [item]
      }]
    })
  })

  it("WIRE.md: the response has every field that it promises, and what its schema says", () => {
    const snapshot = aSnapshot()
    const plan = planOf(aDocument(), snapshot)
    const ids = { shipment: 1, orders: ["2"], items: [] }
    const result = Outcome.intakeResult(Outcome.outcome(snapshot, plan, ids), location)
    assert.deepStrictEqual(Object.keys(result), ["created", "updated", "removed", "shipment"])
    assert.deepStrictEqual(Schema.decodeUnknownSync(Outcome.IntakeResult)(result), result)
    assert.deepStrictEqual(Object.keys(result.shipment), Object.keys(View.ShipmentView.fields))
    assert.sameMembers(Object.keys(result.shipment.orders[0]!), Object.keys(View.OrderView.fields))
  })
})

describe("an answer shows what its schema declares, and nothing else that a storage keeps", () => {
  it("of a shipment, its fields, its orders, their items and the entries of their lists", () => {
    const more = { internalNote: "not for clients" }
    const serial = { id: "C1", quantity: 2 }
    const item = aStoredItem("50", "L1", "S1", { caseSerials: [serial] })
    const shipmentOf = (more: object) =>
      aShipment({
        additionalFields: [{ name: "driverName", value: "Kim", ...more }],
        orders: [
          anOrder(
            "5",
            "O1",
            [{ ...item, ...more }, { ...item, caseSerials: [{ ...serial, ...more }] }],
            more
          )
        ],
        ...more
      })
    assert.deepStrictEqual(
      View.shipmentView(shipmentOf(more), location),
      View.shipmentView(shipmentOf({}), location)
    )
  })
})

describe("WIRE.md status events: SCHEDULED, ARRIVED and DEPARTED, in this order", () => {
  it.each([["ARRIVED", now, null], ["DEPARTED", now, now]] as const)(
    "of a shipment that is %s: incomplete with an empty completed time until it gets there",
    (status, arrivedAt, departedAt) => {
      const shipment = aShipment({ status, arrivedAt, departedAt })
      assert.deepStrictEqual<unknown>(View.shipmentView(shipment, location).statusEvents, [
        event("SCHEDULED", "Scheduled", earlier),
        event("ARRIVED", "Arrived", now),
        event("DEPARTED", "Departed", departedAt ?? "")
      ])
    }
  )
})

describe("D5.3 a dry run shows empty ids", () => {
  it("D1.5 0 where the id is an integer", () => {
    const snapshot = aSnapshot()
    const plan = planOf(aDocument(), snapshot)
    const { shipment } = Outcome.intakeResult(Outcome.outcome(snapshot, plan, noIds(plan)), location)
    assert.deepStrictEqual([shipment.id, shipment.orders[0]!.id], [0, ""])
  })
})
