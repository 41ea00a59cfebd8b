import { aDocument, places, submit } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import { shipmentStoreSuite } from "@dockline/testing/suites/ShipmentStoreSuite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import { Intake } from "../../src/document/Intake.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { Directory } from "../../src/places/Place.ts"
import { ShipmentStore } from "../../src/shipment/ShipmentStore.ts"
import { aRecordedPallet } from "../movement/MotionSnapshots.ts"

const overOneDatabase = Intake.layer().pipe(
  Layer.provideMerge(Memory.layerOverDatabase),
  Layer.provideMerge(MemoryDatabase.layer)
)

Suite.register(runner, shipmentStoreSuite, Memory.layer)

describe("D5.1 pages", () => {
  it.effect("a page ends early rather than hold more than 10,000 rows, pallets too", () =>
    Effect.gen(function*() {
      const { pallets } = yield* MemoryDatabase
      const directory = yield* Directory
      yield* directory.put(places)
      const store = yield* ShipmentStore
      for (const [shipmentNumber, count] of [["A", 5997], ["B", 3999], ["C", 0], ["D", 1]] as const) {
        const { shipment } = yield* submit(aDocument({ shipmentNumber }))
        for (let at = 1; at <= count; at++) {
          const event = aRecordedPallet({ palletId: 1e6 + Number(shipment.id) * 1e4 + at })
          pallets.add(Number(shipment.id), "", 0, event, event.occurredAt)
        }
      }
      const filter = {
        business: undefined,
        facility: undefined,
        shipmentNumber: undefined,
        status: undefined
      }
      const page = yield* store.listShipments([{ business: "acme", facilities: "*" }], filter, {
        limit: 100,
        after: 0
      })
      assert.deepStrictEqual(page.items.map(({ shipment }) => shipment.number), ["A", "B", "C"])
    }).pipe(Effect.provide(overOneDatabase)))
})
