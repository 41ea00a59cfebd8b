/** The compiler, which checks tests too, refuses ids of other entities and texts that are no timestamps. */
import { assert, describe, it } from "vitest"
import type { DockId, ItemId, MessageId, OrderId, PalletId, ShipmentId } from "../../src/values/Id.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"

describe("an id", () => {
  const shipment: ShipmentId = 7
  const order: OrderId = "7"
  const pallet: PalletId = 9

  it("is of one kind", () => {
    // @ts-expect-error A pallet's id is no shipment's.
    const ofPallet: ShipmentId = pallet
    // @ts-expect-error A shipment's id is no dock's.
    const ofShipment: DockId = shipment
    // @ts-expect-error An order's id is no item's.
    const ofOrder: ItemId = order
    // @ts-expect-error Not in lists either.
    const list: ReadonlyArray<MessageId> = [shipment]
    assert.deepStrictEqual([ofPallet, ofShipment, ofOrder, ...list], [9, 7, "7", 7])
  })

  it("is the number or the text that the storage has given", () => {
    const ids: readonly [number, string] = [shipment, order]
    assert.deepStrictEqual(ids, [7, "7"])
  })
})

describe("a timestamp", () => {
  it("is no text that a program has not checked", () => {
    // @ts-expect-error What clients write is parsed first.
    const isoText: Timestamp.Timestamp = "2026-11-20T17:00:00Z"
    assert.strictEqual(Timestamp.parse(isoText), "2026-11-20T17:00:00.000Z")
    assert.throws(() => Timestamp.of(isoText), "Not a timestamp: 2026-11-20T17:00:00Z")
    const text: string = Timestamp.of("2026-11-20T17:00:00.000Z")
    assert.strictEqual(text, "2026-11-20T17:00:00.000Z")
  })
})
