/**
 * What the model says of the progress of a shipment, written from D13.1 of WIRE.md alone.
 */
import type { ShipmentView } from "@dockline/core/View"
import { left } from "./ModelMovement.ts"
import { ordersOf } from "./ModelState.ts"
import type { Shipment, State } from "./ModelState.ts"

/** The different LPNs of the items of a shipment. */
export const expectedLpns = (state: State, shipment: Shipment): ReadonlyArray<string> =>
  ordersOf(state, shipment)
    .flatMap(({ items }) => items.map(({ fields }) => String(fields["lpn"])))
    .filter((lpn, index, all) => lpn !== "" && all.indexOf(lpn) === index)

/** How many pallets were expected, have passed, are missing, and have passed unexpected. */
export const progress = (state: State, shipment: Shipment): ShipmentView["progress"] => {
  const lpns = expectedLpns(state, shipment)
  const end = shipment.direction === "OUTBOUND" ? "LOADING" : "UNLOADING"
  const passed = left(state, shipment).filter(({ payload }) => payload["direction"] === end)
  return {
    expectedPallets: lpns.length,
    passedPallets: passed.length,
    missingPallets: lpns.filter((lpn) => !passed.some((pallet) => pallet.lpn === lpn)).length,
    unexpectedPallets: passed.filter((pallet) => !lpns.includes(pallet.lpn)).length
  }
}
