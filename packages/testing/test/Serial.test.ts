import type { Shipment } from "@dockline/core/shipment/Shipment"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { assert, describe, it } from "@effect/vitest"
import { acme, aDocument, anItem, anOrder, aShipment, east, orderOf } from "../src/generators/Given.ts"
import type { World } from "../src/generators/Serial.ts"
import { explainable } from "../src/generators/Serial.ts"

const worldOf = (...shipments: ReadonlyArray<Shipment>): World => ({
  business: acme,
  facility: east,
  docks: ["D1", "D2"],
  shipments
})

describe("explainable tells what no serial order explains", () => {
  const order = (...items: ReadonlyArray<string>) =>
    anOrder("5", "O1", items.map((lpn, index) => ({ ...anItem(lpn, "S1"), id: String(50 + index) })))
  const after = (...items: ReadonlyArray<string>) => [aShipment({ orders: [order(...items)] })]
  const initial = worldOf(...after("L1"))
  const appending = (lpn: string) => aDocument({}, orderOf("O1", "APPEND", [anItem(lpn, "S1")]))
  const overwriting = (lpn: string) => aDocument({}, orderOf("O1", "OVERWRITE", [anItem(lpn, "S1")]))

  it("a lost update", () => {
    const both = [appending("L2"), appending("L3")]
    assert.isTrue(explainable(initial, both, after("L1", "L3", "L2")))
    assert.isFalse(explainable(initial, both, after("L1", "L2")))
    assert.isFalse(explainable(initial, both, after("L1", "L3")))
  })

  it("a mixture of two overwrites", () => {
    const both = [overwriting("L2"), overwriting("L3")]
    assert.isTrue(explainable(initial, both, after("L2")))
    assert.isTrue(explainable(initial, both, after("L3")))
    assert.isFalse(explainable(initial, both, after("L2", "L3")))
    assert.isFalse(explainable(initial, both, after("L1")))
  })

  it("an order that is in two places, or in none, after it was remapped", () => {
    const both = [aDocument({ shipmentNumber: "S2" }), aDocument({ shipmentNumber: "S3" })]
    const later = Timestamp.of("2026-11-21T00:00:00.000Z")
    const start = worldOf(...after("L1"))
    const at = (number: string, id: number, ...orders: ReadonlyArray<Shipment["orders"][number]>) =>
      aShipment({ id, number, scheduledAt: later, expectedArrivalAt: later, orders })
    const [shipment] = [aShipment()]
    assert.isTrue(explainable(start, both, [shipment!, at("S2", 2, order("L1")), at("S3", 3)]))
    assert.isTrue(explainable(start, both, [shipment!, at("S3", 7, order("L1")), at("S2", 8)]))
    assert.isFalse(explainable(start, both, [shipment!, at("S2", 2, order("L1")), at("S3", 3, order("L1"))]))
    assert.isFalse(explainable(start, both, [shipment!, at("S2", 2), at("S3", 3)]))
    assert.isFalse(explainable(start, both, [shipment!, at("S2", 2, order("L1"))]))
  })
})
