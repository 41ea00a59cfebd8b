/**
 * The differences between what has passed the dock and what was expected (D13.4), and the progress of a shipment: how many of
 * its pallets have passed (D13.1).
 *
 * Guarantee: discrepancies are a pure function of a shipment, its pallets, and the pallets that other open shipments expect.
 */
import { Schema } from "effect"
import { lpnKey } from "../labels/Lpn.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import type { DockId, ShipmentId } from "../values/Id.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import { hasPassed } from "./Shipment.ts"
import type { Dock, SeenPallet, Shipment } from "./Shipment.ts"

/** How many pallets of a shipment have passed the dock. */
export const Progress = Schema.Struct({
  expectedPallets: shownWhole("How many pallets are expected: the distinct LPNs of its items"),
  passedPallets: shownWhole(
    "How many pallets have passed: they were loaded if it is OUTBOUND, unloaded if INBOUND"
  ),
  missingPallets: shownWhole("How many expected pallets have not passed"),
  unexpectedPallets: shownWhole("How many pallets have passed whose LPN none of its items has")
}).annotate({ identifier: "Progress" })

/** How many pallets of a shipment have passed the dock. */
export type Progress = typeof Progress.Type

/** The part of a shipment that determines its expected LPNs: the items of its orders. */
export interface Expecting {
  readonly orders: ReadonlyArray<{ readonly items: ReadonlyArray<{ readonly lpn: string }> }>
}

/** The expected LPNs of a shipment by their keys (D22), in the order of the items; each LPN has the form of its first item. */
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

/** The kinds of discrepancies. */
const discrepancyKinds = ["SHORT", "OVER", "WRONG_SHIPMENT", "WRONG_DOCK"] as const

/** A difference between what was expected of a shipment and what has passed. */
export const Discrepancy = Schema.Struct({
  kind: Schema.Literals(discrepancyKinds).annotate({ description: "What is wrong" }),
  lpn: shownText("License plate of the pallet, or empty"),
  palletId: shownText("Id of the pallet; empty if it was not seen"),
  dockSlug: shownText("Slug of the dock where the pallet was seen last, or empty"),
  expectedOnId: shownWhole("WRONG_SHIPMENT: id of the open shipment that expects the pallet; otherwise 0"),
  expectedOnNumber: shownText(
    "WRONG_SHIPMENT: number of the open shipment that expects the pallet; otherwise empty"
  ),
  provisional: Schema.Boolean.annotate({
    description: "Whether it may still disappear, as the shipment has not departed"
  })
}).annotate({
  identifier: "Discrepancy",
  description: "A difference between what was expected of a shipment and what has passed."
})

/** A difference between what was expected of a shipment and what has passed. */
export type Discrepancy = typeof Discrepancy.Type

/** A pallet with the slug of the dock where it was seen last. */
export interface TrackedPallet extends SeenPallet {
  readonly dockSlug: string
}

/** An open shipment of the facility that expects a pallet of another shipment. */
export interface ExpectedElsewhere {
  readonly lpn: string
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
}

/** The data that the discrepancies of a shipment depend on. */
export interface Tracking {
  readonly direction: string
  readonly status: ShipmentStatus
  readonly dock: Dock | null
  /** The distinct LPNs of its items, in the order of the items. */
  readonly expectedLpns: ReadonlyArray<string>
  /** In id order. */
  readonly pallets: ReadonlyArray<TrackedPallet>
  /**
   * For each of its unexpected pallets, the latest created open shipment of the facility that expects it. For a departed shipment, as at
   * its departure.
   */
  readonly elsewhere: ReadonlyArray<ExpectedElsewhere>
}

/**
 * The discrepancies: first missing pallets, in the order of items, then the discrepancies of each pallet. A cancelled shipment has none.
 */
export const discrepanciesOf = (tracking: Tracking): ReadonlyArray<Discrepancy> => {
  const { direction, dock, expectedLpns, pallets, status } = tracking
  if (status === "CANCELLED") return []
  const elsewhere = new Map(tracking.elsewhere.map((other) => [lpnKey(other.lpn), other]))
  const expected = new Set(expectedLpns.map(lpnKey))
  const passes = new Set(pallets.filter((pallet) => hasPassed(direction, pallet)))
  const here = new Set(Array.from(passes, ({ lpn }) => lpnKey(lpn)))
  const none = {
    palletId: "",
    dockSlug: "",
    expectedOnId: 0,
    expectedOnNumber: "",
    provisional: status !== "DEPARTED"
  }
  const short = expectedLpns.filter((lpn) => !here.has(lpnKey(lpn))).map((lpn): Discrepancy => ({
    ...none,
    kind: "SHORT",
    lpn
  }))
  const wrong = pallets.flatMap((pallet): ReadonlyArray<Discrepancy> => {
    const { id, lpn } = pallet
    const key = lpnKey(lpn)
    const of = { ...none, lpn, palletId: String(id), dockSlug: pallet.dockSlug }
    const isOver = passes.has(pallet) && !expected.has(key)
    const other = elsewhere.get(key)
    return [
      ...(!isOver ? [] : other === undefined ? [{ ...of, kind: "OVER" as const }] : [{
        ...of,
        kind: "WRONG_SHIPMENT" as const,
        expectedOnId: other.shipmentId,
        expectedOnNumber: other.shipmentNumber
      }]),
      ...(isAtWrongDock(dock, pallet) ? [{ ...of, kind: "WRONG_DOCK" as const }] : [])
    ]
  })
  return [...short, ...wrong]
}

const isAtWrongDock = (dock: Dock | null, pallet: SeenPallet): boolean =>
  dock !== null && dock.id !== pallet.dockId

/** Counts of the discrepancies of a shipment (D13.4). */
export interface DiscrepancyCounts {
  /** Expected pallets that have not passed: `SHORT`. */
  readonly missingPallets: number
  /** Pallets that have passed and are not expected: `OVER` or `WRONG_SHIPMENT`. */
  readonly unexpectedPallets: number
  /** Pallets that were seen last at another dock than the shipment's: `WRONG_DOCK`. */
  readonly wrongDockPallets: number
}

/** The data that the {@link DiscrepancyCounts} of a shipment depend on. It contains nothing of other shipments. */
export interface CountInput extends Pick<Shipment, "direction" | "dock" | "pallets">, Expecting {}

/** Counts the discrepancies of a shipment, as if it were not cancelled. */
export const countDiscrepancies = (shipment: CountInput): DiscrepancyCounts => {
  const { missingPallets, unexpectedPallets } = progressOf(shipment)
  return {
    missingPallets,
    unexpectedPallets,
    wrongDockPallets: shipment.pallets.filter((pallet) => isAtWrongDock(shipment.dock, pallet)).length
  }
}

/**
 * Updates the counts of a shipment after one of its pallets was seen. `counts` include `before`, the earlier state of the pallet, which
 * is `null` for a new pallet.
 */
export const recount = (
  counts: DiscrepancyCounts,
  { direction, dockId, isExpected }: {
    readonly direction: string
    /** The id of the shipment's dock, after the event. */
    readonly dockId: DockId | null
    /** Whether an item of the shipment is expected on the pallet. */
    readonly isExpected: boolean
  },
  before: Pick<SeenPallet, "first" | "last" | "dockId"> | null,
  after: Pick<SeenPallet, "first" | "last" | "dockId">
): DiscrepancyCounts => {
  const change = (is: (pallet: typeof after) => boolean): number =>
    Number(is(after)) - Number(before !== null && is(before))
  const passes = change((pallet) => hasPassed(direction, pallet))
  return {
    missingPallets: counts.missingPallets - (isExpected ? passes : 0),
    unexpectedPallets: counts.unexpectedPallets + (isExpected ? 0 : passes),
    wrongDockPallets: counts.wrongDockPallets +
      change((pallet) => dockId !== null && pallet.dockId !== dockId)
  }
}

/** Whether a shipment with this status and these counts has discrepancies. */
export const isDiscrepant = (
  status: ShipmentStatus,
  { missingPallets, unexpectedPallets, wrongDockPallets }: DiscrepancyCounts
): boolean => status !== "CANCELLED" && missingPallets + unexpectedPallets + wrongDockPallets > 0

/** Whether a shipment has {@link discrepanciesOf | discrepancies}. */
export const hasDiscrepancies = (shipment: CountInput & Pick<Shipment, "status">): boolean =>
  isDiscrepant(shipment.status, countDiscrepancies(shipment))
