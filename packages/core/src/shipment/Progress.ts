/**
 * The progress of a shipment: how many of its pallets have passed the dock (D13.1).
 */
import { Schema } from "effect"
import { lpnKey } from "../labels/Lpn.ts"
import { shownWhole } from "../values/Field.ts"
import { hasPassed } from "./SeenPallet.ts"
import type { Shipment } from "./Shipment.ts"

/** How many pallets of a shipment have passed the dock. */
export const Progress = Schema.Struct({
  expectedPallets: shownWhole("How many pallets are expected: the different LPNs of its items"),
  passedPallets: shownWhole(
    "How many pallets have passed: they were loaded if it is OUTBOUND, unloaded if INBOUND"
  ),
  missingPallets: shownWhole("How many expected pallets have not passed"),
  unexpectedPallets: shownWhole("How many pallets have passed though none of its items has their LPN")
}).annotate({ identifier: "Progress" })

/** How many pallets of a shipment have passed the dock. */
export type Progress = typeof Progress.Type

/** What a shipment expects: the LPNs of the items of its orders. */
export interface Expecting {
  readonly orders: ReadonlyArray<{ readonly items: ReadonlyArray<{ readonly lpn: string }> }>
}

/**
 * The LPNs on which the items of a shipment are expected, by their keys (D22), in the order of the items: each in the form that comes
 * first.
 */
export const expectedLpns = ({ orders }: Expecting): ReadonlyMap<string, string> => {
  const lpns = new Map<string, string>()
  for (const { items } of orders) {
    for (const { lpn } of items) {
      const key = lpnKey(lpn)
      if (lpn !== "" && !lpns.has(key)) lpns.set(key, lpn)
    }
  }
  return lpns
}

/** The progress of a shipment. */
export const progressOf = (shipment: Pick<Shipment, "direction" | "pallets"> & Expecting): Progress => {
  const expected = expectedLpns(shipment)
  const passes = shipment.pallets.filter((pallet) => hasPassed(shipment.direction, pallet))
  const unexpected = passes.filter(({ lpn }) => !expected.has(lpnKey(lpn))).length
  return {
    expectedPallets: expected.size,
    passedPallets: passes.length,
    missingPallets: expected.size - (passes.length - unexpected),
    unexpectedPallets: unexpected
  }
}
