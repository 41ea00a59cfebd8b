/**
 * Pallets that passed before a shipment departed, and are reported after it (D21.4): the tower was offline, or sends in batches. They
 * belong to what left, and change its discrepancies, as long as that can be told.
 */
import { lpnKey } from "../labels/Lpn.ts"
import type { ReportedTimeSettings } from "../shipment/CheckIn.ts"
import { discrepanciesOf } from "../shipment/Discrepancies.ts"
import type { Discrepancy, ExpectedElsewhere, TrackedPallet, Tracking } from "../shipment/Discrepancies.ts"
import type { Dock, Sightings } from "../shipment/Shipment.ts"
import type { PalletId, ShipmentId } from "../values/Id.ts"
import { fromMillis } from "../values/Timestamp.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** The departure of a shipment, as pallets that come late need it. */
export interface Departure {
  readonly at: Timestamp
  /** What its discrepancies depend on. */
  readonly tracking: Tracking
}

/** How far the clock of a tower may be ahead of the clock of whoever notes the departure. */
const graceMillis = 300_000

const firstMillis = Date.parse("0001-01-01T00:00:00.000Z")

/**
 * The earliest departure of a shipment that has a pallet which names no shipment: an event that is a little later than the departure
 * by its clock is not of the next truck at the dock.
 */
export const departedSince = (occurredAt: Timestamp): Timestamp =>
  fromMillis(Math.max(firstMillis, Date.parse(occurredAt) - graceMillis))

/** Whether a shipment still takes pallets that passed before its departure. */
export const takesLate = (
  { at }: Departure,
  now: Timestamp,
  { lateEventHours }: ReportedTimeSettings
): boolean => Date.parse(now) - Date.parse(at) <= lateEventHours * 3_600_000

/** A pallet that comes late, and how it was seen. */
export interface LatePallet {
  readonly id: PalletId
  readonly lpn: string
  readonly sightings: Sightings
  /** The dock of its event. */
  readonly dock: Dock
  /** The open shipment that expects it, if that of the event does not. */
  readonly elsewhere: { readonly id: ShipmentId; readonly number: string } | null
}

/** What a late pallet changes of a departed shipment. */
export interface LateChange {
  /** All that is kept of who else expects its pallets. */
  readonly elsewhere: ReadonlyArray<ExpectedElsewhere>
  /** Its discrepancies, if they are others than before. */
  readonly discrepancies: ReadonlyArray<Discrepancy> | undefined
}

/** What a late pallet changes of what a shipment left with. */
export const lateChange = ({ tracking }: Departure, pallet: LatePallet): LateChange => {
  const elsewhere = elsewhereWith(tracking.elsewhere, pallet)
  const [before, after] = [
    discrepanciesOf(tracking),
    discrepanciesOf({ ...tracking, elsewhere, pallets: palletsWith(tracking.pallets, pallet) })
  ]
  return { elsewhere, discrepancies: isSame(before, after) ? undefined : after }
}

/** Who expects the pallet is as it is now, as its verdict says too: whoever did at the departure may have departed since. */
const elsewhereWith = (
  misses: ReadonlyArray<ExpectedElsewhere>,
  { elsewhere, lpn }: LatePallet
): ReadonlyArray<ExpectedElsewhere> => [
  ...misses.filter((other) => lpnKey(other.lpn) !== lpnKey(lpn)),
  ...(elsewhere === null ? [] : [{ lpn, shipmentId: elsewhere.id, shipmentNumber: elsewhere.number }])
]

const palletsWith = (
  pallets: ReadonlyArray<TrackedPallet>,
  { dock, id, lpn, sightings: { dockId, first, last } }: LatePallet
): ReadonlyArray<TrackedPallet> => {
  const before = pallets.find((pallet) => pallet.id === id)
  const dockSlug = dockId === dock.id ? dock.slug : before?.dockSlug ?? ""
  const after = { id, lpn: before?.lpn ?? lpn, first, last, dockId, dockSlug }
  return [...pallets.filter((pallet) => pallet.id !== id), after].sort((left, right) => left.id - right.id)
}

const isSame = (left: ReadonlyArray<Discrepancy>, right: ReadonlyArray<Discrepancy>): boolean =>
  JSON.stringify(left) === JSON.stringify(right)
