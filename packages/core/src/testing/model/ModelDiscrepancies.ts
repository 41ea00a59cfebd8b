/**
 * What the model says of the discrepancies of a shipment, written from D13.4 of WIRE.md alone.
 */
import type { Discrepancy } from "../../shipment/Discrepancies.ts"
import { isFinal, lastSeen, left } from "./ModelMovement.ts"
import { expectedLpns } from "./ModelProgress.ts"
import type { Shipment, State } from "./ModelState.ts"

/** The discrepancies of a shipment: those of now, or those of its departure. */
export const discrepancies = (state: State, shipment: Shipment): ReadonlyArray<Discrepancy> =>
  shipment.status === "DEPARTED" ? shipment.discrepancies : found(state, shipment)

/** The discrepancies of a shipment, kept at its departure. */
export const keep = (state: State, shipment: Shipment): void => {
  shipment.discrepancies = found(state, shipment).map((each) => ({ ...each, provisional: false }))
}

const found = (state: State, shipment: Shipment): ReadonlyArray<Discrepancy> => {
  // Nobody expects the pallets of what is cancelled.
  if (shipment.status === "CANCELLED") return []
  const none = { palletId: "", dockSlug: "", expectedOnId: 0, expectedOnNumber: "", provisional: true }
  const expected = expectedLpns(state, shipment)
  const end = shipment.direction === "OUTBOUND" ? "LOADING" : "UNLOADING"
  const passed = left(state, shipment).filter(({ payload }) => payload["direction"] === end)
  const all: Array<Discrepancy> = []
  for (const lpn of expected) {
    if (!passed.some((pallet) => pallet.lpn === lpn)) all.push({ ...none, kind: "SHORT", lpn })
  }
  for (const pallet of lastSeen(state, shipment)) {
    const { dockSlug, lpn, palletId } = pallet
    const wrong = { ...none, lpn, palletId: String(palletId), dockSlug }
    if (passed.some((each) => each.palletId === palletId) && !expected.includes(lpn)) {
      const other = state.shipments.findLast((each) =>
        each.id !== shipment.id && each.business === shipment.business &&
        each.facility === shipment.facility && !isFinal(each) &&
        expectedLpns(state, each).includes(lpn)
      )
      all.push(
        other === undefined
          ? { ...wrong, kind: "OVER" }
          : { ...wrong, kind: "WRONG_SHIPMENT", expectedOnId: other.id, expectedOnNumber: other.number }
      )
    }
    const dock = shipment.fields.dockSlug
    if (dock !== "" && dock !== dockSlug) all.push({ ...wrong, kind: "WRONG_DOCK" })
  }
  return all
}
