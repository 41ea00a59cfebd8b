import { acme, aShipment, earlier, east, now } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { cursorOfShipment } from "../../src/movement/ShipmentList.ts"
import type { Shipment } from "../../src/shipment/Shipment.ts"
import { shipmentView } from "../../src/shipment/View.ts"
import { cursorOf } from "../../src/values/Page.ts"

describe("D13.10 the cursor behind a shipment holds its time", () => {
  it.each<readonly [string, Partial<Shipment>, string]>([
    ["of the expectation, whatever was noted at the gate", { checkIn: { DOOR_ASSIGNED: now } }, earlier],
    ["of the expectation, of one that was cancelled", { status: "CANCELLED", cancelledAt: now }, earlier],
    ["of the arrival, after which the truck checked out", {
      status: "ARRIVED",
      arrivedAt: earlier,
      checkIn: { CHECKED_OUT: now }
    }, earlier],
    ["of the departure", { status: "DEPARTED", arrivedAt: earlier, departedAt: now }, now]
  ])("%s", (_, fields, at) => {
    const view = shipmentView(aShipment(fields), { business: acme, facility: east })
    assert.strictEqual(cursorOfShipment(view, { order: "LATEST" }), cursorOf({ at, id: 1 }))
  })
})
