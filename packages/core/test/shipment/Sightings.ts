/** Pallets that towers have seen, in short. */
import type { TrackedPallet } from "../../src/shipment/Discrepancies.ts"

/** Two docks of a facility. */
export const [d1, d2] = [{ id: 41, slug: "D1" }, { id: 42, slug: "D2" }]

const words = { L: "LOADING", U: "UNLOADING" } as const

/** Pallets, each as its LPN with the initials of its first and last direction, and its dock if that is D2: `"L1 LU D2"`. */
export const trackedPallets = (...pallets: ReadonlyArray<string>): ReadonlyArray<TrackedPallet> =>
  pallets.map((text, index) => {
    const [lpn, way, dock] = text.split(" ") as [string, string, string | undefined]
    const [first, last] = Array.from(way, (initial) => words[initial as "L" | "U"])
    const { id, slug } = dock === "D2" ? d2 : d1
    return { id: index + 1, lpn, first: first!, last: last!, dockId: id, dockSlug: slug }
  })
