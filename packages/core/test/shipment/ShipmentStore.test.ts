import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runner } from "../../../../test/support/Runner.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { ShipmentStore } from "../../src/shipment/ShipmentStore.ts"
import { shipmentView } from "../../src/shipment/View.ts"
import { aDocument, anItem, orderOf, submit } from "../../src/testing/generators/Given.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { shipmentStoreSuite } from "../../src/testing/suites/ShipmentStoreSuite.ts"
import { inMemory } from "../Stored.ts"

Suite.register(runner, shipmentStoreSuite, Memory.layer)

describe("D4.1 what is read is what was answered", () => {
  it.effect("an answer and a read show the same shipment", () =>
    inMemory(Effect.gen(function*() {
      const answer = yield* submit(
        aDocument({}, orderOf("O1", "APPEND", [anItem("L1", "S1")]), orderOf("O2"))
      )
      const store = yield* ShipmentStore
      const { shipment, location } = (yield* store.find(Number(answer.shipment.id)))!
      assert.deepStrictEqual(shipmentView(shipment, location), answer.shipment)
    })))
})
