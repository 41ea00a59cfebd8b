/**
 * The rules for items without an lpn, for every storage of intake (D17.2).
 */
import { progressOf } from "@dockline/core/shipment/Discrepancies"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import { aWorld, itemsOf } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"

/** Goods without an lpn. */
const goods = (identifier: string, sku: string, quantity = 1) => anItem("", sku, { identifier, quantity })

/** Goods are identified by identifier and sku within their order, and are no pallets. */
export const looseItems = (test: AddTest): void => {
  test("D17.2 identifier and sku identify items without an lpn within their order", function*() {
    const { shipments, submit } = yield* aWorld
    const long = "9".repeat(1024)
    const there = [
      goods("I1", "S1"),
      goods("I2", "S1"),
      goods("", "I1S1"),
      goods(long, long),
      anItem("I1", "S1")
    ]
    yield* submit({}, orderOf("O1", "APPEND", there), orderOf("O2", "APPEND", there.slice(0, 4)))
    const [before] = yield* shipments
    const { updated } = yield* submit(
      {},
      orderOf("O1", "MERGE", [goods("I1", "S1", 7), goods(long, long, 8), goods("I3", "S1", 9)]),
      orderOf("O2", "DELETE", [goods("I2", "S1"), goods("", "I1S1")])
    )
    const [first, second] = assert.present(before).orders.map(({ items }) => items)
    assert.deepStrictEqual(
      updated.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => id),
      [assert.at(assert.present(first), 0).id, assert.at(assert.present(first), 3).id]
    )
    const [after] = yield* shipments
    const items = assert.present(after).orders.map(({ items }) => items)
    assert.deepStrictEqual(items, [
      [
        { ...assert.at(assert.present(first), 0), quantity: 7 },
        assert.at(assert.present(first), 1),
        assert.at(assert.present(first), 2),
        { ...assert.at(assert.present(first), 3), quantity: 8 },
        assert.at(assert.present(first), 4),
        { ...goods("I3", "S1", 9), id: assert.at(assert.at(items, 0), 5).id }
      ],
      [assert.at(assert.present(second), 0), assert.at(assert.present(second), 3)]
    ])
  })

  test("D17.2 items without an lpn are no pallets that are expected, and move with their order", function*() {
    const { shipments, submit } = yield* aWorld
    yield* submit(
      {},
      orderOf("O1", "APPEND", [goods("I1", "S1"), ...itemsOf("L1")]),
      orderOf("O2", "APPEND", [goods("I1", "S1"), goods("I2", "S1")])
    )
    yield* submit({ shipmentNumber: "S2" }, orderOf("O2", "APPEND", [goods("I3", "S1")]))
    const all = yield* shipments
    assert.deepStrictEqual(
      all.map((shipment) => [
        progressOf(shipment).expectedPallets,
        progressOf(shipment).missingPallets,
        shipment.orders.flatMap(({ items }) => items.map(({ identifier, lpn }) => lpn || identifier))
      ]),
      [[1, 1, ["I1", "L1"]], [0, 0, ["I1", "I2", "I3"]]]
    )
  })
}
