/**
 * Late pallets (D21.4): they passed before their shipment departed, but are reported after it, because the tower was offline or sends in
 * batches. They belong to the departed shipment and change its discrepancies, for a limited number of hours after the departure.
 */
import { lpnKey } from "../labels/Lpn.ts"
import type { ReportedTimeSettings } from "../shipment/CheckIn.ts"
import { discrepanciesOf } from "../shipment/Discrepancies.ts"
import type { Discrepancy, ExpectedElsewhere, TrackedPallet, Tracking } from "../shipment/Discrepancies.ts"
import type { Dock, Sightings } from "../shipment/Shipment.ts"
import type { PalletId, ShipmentId } from "../values/Id.ts"
import { fromMillis } from "../values/Timestamp.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** The departure of a shipment, with the data that late pallets need. */
export interface Departure {
  readonly at: Timestamp
  /** The data that its discrepancies depend on. */
  readonly tracking: Tracking
}

/** The most by which the clock of a tower may be ahead of the clock that times the departure. */
const graceMillis = 300_000

const firstMillis = Date.parse("0001-01-01T00:00:00.000Z")

/**
 * A pallet event that names no shipment matches shipments that departed at this time or later. An event that, by its own clock, is a little
 * later than a departure still belongs to that truck and not to the next one at the dock.
 */
export const departedSince = (occurredAt: Timestamp): Timestamp =>
  fromMillis(Math.max(firstMillis, Date.parse(occurredAt) - graceMillis))

/** Whether a shipment still accepts pallets that passed before its departure. */
export const takesLate = (
  { at }: Departure,
  now: Timestamp,
  { lateEventHours }: ReportedTimeSettings
): boolean => Date.parse(now) - Date.parse(at) <= lateEventHours * 3_600_000

/** A late pallet with its sightings. */
export interface LatePallet {
  readonly id: PalletId
  readonly lpn: string
  readonly sightings: Sightings
  /** The dock of its event. */
  readonly dock: Dock
  /** The open shipment that expects it, if the shipment of the event does not. */
  readonly elsewhere: { readonly id: ShipmentId; readonly number: string } | null
}

/** The change that a late pallet makes to a departed shipment. */
export interface LateChange {
  /** The complete new list of other shipments that expect its pallets. */
  readonly elsewhere: ReadonlyArray<ExpectedElsewhere>
  /** Its discrepancies, if they have changed. */
  readonly discrepancies: ReadonlyArray<Discrepancy> | undefined
}

/** Decides the change that a late pallet makes to a departed shipment. */
export const lateChange = ({ tracking }: Departure, pallet: LatePallet): LateChange => {
  const elsewhere = elsewhereWith(tracking.elsewhere, pallet)
  const [before, after] = [
    discrepanciesOf(tracking),
    discrepanciesOf({ ...tracking, elsewhere, pallets: palletsWith(tracking.pallets, pallet) })
  ]
  return { elsewhere, discrepancies: isSame(before, after) ? undefined : after }
}

/**
 * Uses the shipment that expects the pallet now, as the verdict does: the shipment that expected it at the departure may have departed
 * since.
 */
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
