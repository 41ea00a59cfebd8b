import { anOrder, aShipment } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import { progressOf } from "../../src/shipment/Discrepancies.ts"
import { hasPassed } from "../../src/shipment/Shipment.ts"
import type { SeenPallet, Shipment } from "../../src/shipment/Shipment.ts"
import { palletDirections } from "../../src/values/Vocabulary.ts"
import { aStoredItem } from "../Stored.ts"
import { trackedPallets } from "./Sightings.ts"

/** A shipment whose orders expect these LPNs. */
const expecting = (
  orders: ReadonlyArray<ReadonlyArray<string>>,
  pallets: ReadonlyArray<SeenPallet>,
  direction = "OUTBOUND"
): Shipment =>
  aShipment({
    direction,
    pallets,
    orders: orders.map((lpns, at) =>
      anOrder(
        String(at + 1),
        `O${at + 1}`,
        lpns.map((lpn, n) => aStoredItem(String(100 * at + n + 10), lpn, `S${n}`))
      )
    )
  })

/** Progress as its four numbers: expected, passed, missing, unexpected. */
const numbers = (shipment: Shipment) => {
  const { expectedPallets, missingPallets, passedPallets, unexpectedPallets } = progressOf(shipment)
  return [expectedPallets, passedPallets, missingPallets, unexpectedPallets]
}

describe("D13.1 a pallet has passed when it remains on the side at which the direction ends", () => {
  it.each(
    [
      ["OUTBOUND", "LL", true],
      ["OUTBOUND", "LU", false],
      ["OUTBOUND", "UL", false],
      ["OUTBOUND", "UU", false],
      ["INBOUND", "UU", true],
      ["INBOUND", "UL", false],
      ["INBOUND", "LU", false],
      ["INBOUND", "LL", false],
      ["TRANSFER", "LL", true],
      ["TRANSFER", "UU", true],
      ["TRANSFER", "LU", false]
    ] as const
  )("%s, first and last %s: %s", (direction, way, isPassed) => {
    assert.strictEqual(hasPassed(direction, trackedPallets(`L1 ${way}`)[0]!), isPassed)
  })
})

describe("D13.1 progress", () => {
  it.each(
    [
      ["nothing is expected and nothing has passed", [], [], [0, 0, 0, 0]],
      ["none has passed", [["L1", "L2"]], [], [2, 0, 2, 0]],
      ["one of two has passed", [["L1", "L2"]], ["L1 LL"], [2, 1, 1, 0]],
      ["all have passed", [["L1", "L2"]], ["L2 LL", "L1 LL"], [2, 2, 0, 0]],
      ["a pallet that was taken off again is missing", [["L1"]], ["L1 LU"], [1, 0, 1, 0]],
      ["items of one pallet expect it once", [["L1", "L1", "L1"]], ["L1 LL"], [1, 1, 0, 0]],
      ["an lpn on two orders is expected once", [["L1"], ["L1", "L2"]], ["L1 LL"], [2, 1, 1, 0]],
      ["items without lpn expect no pallet", [["", "L1"]], ["L1 LL"], [1, 1, 0, 0]],
      ["a pallet that no order expects is unexpected", [["L1"]], ["L9 LL"], [1, 1, 1, 1]],
      ["an unexpected pallet that was taken off again is none", [["L1"]], ["L9 LU"], [1, 0, 1, 0]],
      ["pallets without lpn are unexpected, each for itself", [[""]], [" LL", " LL"], [0, 2, 0, 2]],
      ["the order of a pallet that passed was remapped", [], ["L1 LL"], [0, 1, 0, 1]]
    ] as const
  )("%s", (_, orders, pallets, expected) => {
    assert.deepStrictEqual(numbers(expecting(orders, trackedPallets(...pallets))), [...expected])
  })

  it("lpns compare exactly, case and zeros included", () => {
    assert.deepStrictEqual(numbers(expecting([["l1", "01"]], trackedPallets("L1 LL", "1 LL"))), [2, 2, 2, 2])
  })

  it("of an INBOUND shipment counts what was unloaded", () => {
    assert.deepStrictEqual(numbers(expecting([["L1", "L2"]], trackedPallets("L1 UU", "L2 LL"), "INBOUND")), [
      2,
      1,
      1,
      0
    ])
  })
})

const lpns = fc.constantFrom("", "L1", "L2", "L3", "L4")

const shipments = fc.record({
  orders: fc.array(fc.array(lpns, { maxLength: 4 }), { maxLength: 3 }),
  // A shipment has one pallet of each LPN, and any number without.
  pallets: fc.uniqueArray(
    fc.record({
      lpn: lpns,
      first: fc.constantFrom(...palletDirections),
      last: fc.constantFrom(...palletDirections)
    }),
    { selector: ({ lpn }) => lpn === "" ? Symbol() : lpn, maxLength: 6 }
  ),
  direction: fc.constantFrom("OUTBOUND", "INBOUND", "TRANSFER")
}).map(({ direction, orders, pallets }) =>
  expecting(orders, pallets.map((pallet, index) => ({ id: index + 1, dockId: 1, ...pallet })), direction)
)

describe("laws of D13.1", () => {
  it("what is expected has passed or is missing; what has passed is expected or unexpected", () =>
    fc.assert(
      fc.property(shipments, (shipment) => {
        const [expected, passedPallets, missing, unexpected] = numbers(shipment) as [
          number,
          number,
          number,
          number
        ]
        assert.strictEqual(expected - missing, passedPallets - unexpected)
        for (const each of [expected, passedPallets, missing, unexpected]) assert.isAtLeast(each, 0)
        assert.isAtMost(missing, expected)
        assert.isAtMost(unexpected, passedPallets)
      }),
      runs(300)
    ))

  it("the order of orders, items and pallets counts for nothing", () =>
    fc.assert(
      fc.property(shipments, (shipment) => {
        const reverse = {
          ...shipment,
          orders: shipment.orders.map((order) => ({ ...order, items: order.items.toReversed() }))
            .toReversed(),
          pallets: shipment.pallets.toReversed()
        }
        assert.deepStrictEqual(progressOf(reverse), progressOf(shipment))
      }),
      runs(100)
    ))
})
