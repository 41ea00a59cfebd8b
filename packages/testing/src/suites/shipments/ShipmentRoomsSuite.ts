/**
 * The rules for the room of answers with shipments and orders, for every storage (D12.3).
 */
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aDocument, anItem, orderOf } from "../../generators/Given.ts"
import { aBusiness, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import { aRoom, listOrders, listShipments } from "../../worlds/ReadWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

/** Cases of answers with shipments and orders that have enough room, or not. */
export const rooms = (test: AddTest): void => {
  test("a large shipment is loaded if its answer has room, and refused otherwise", function*() {
    const business = yield* aBusiness
    const items = Array.from({ length: 500 }, (_, at) => anItem(`L${at}`, "S1"))
    const { shipment } = outcomeOf(yield* write(aDocument({ business }, orderOf("O1", "APPEND", items))))
    const store = yield* ShipmentStore
    const scopes = [{ business, facilities: "*" as const }]
    for (
      const read of [
        Effect.asVoid(store.find(Number(shipment.id), scopes)),
        Effect.asVoid(listShipments(scopes)),
        Effect.asVoid(listOrders(scopes))
      ]
    ) {
      const enough = aRoom(Number.MAX_SAFE_INTEGER)
      yield* enough.within(read)
      // An item has some 300 characters in JSON.
      assert.isTrue(enough.room.asked >= 150_000 && enough.room.asked <= 300_000, String(enough.room.asked))
      const failure = yield* Effect.flip(aRoom(enough.room.asked - 1).within(read))
      assert.strictEqual(failure._tag, "Overloaded")
    }
  })
}
