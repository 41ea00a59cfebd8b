import { Order } from "effect"
import type { TrackedPallet } from "../../shipment/Discrepancies.ts"
import { remains } from "../../shipment/SeenPallet.ts"
import type { SeenPallet } from "../../shipment/SeenPallet.ts"
import { lpnOf } from "../Pallet.ts"
import type { RecordedPallet } from "../Pallet.ts"

/** Sorts by time of occurrence; events of one instant in the order of recording. */
export const byOccurrence = (left: RecordedPallet, right: RecordedPallet): number =>
  Order.String(left.occurredAt, right.occurredAt) || left.messageId - right.messageId

/**
 * The last event of each pallet that remains on a shipment at its departure, by pallet id (D6.6): of a pallet, repeats of one
 * direction collapse, and opposite neighbours then cancel.
 */
export const remaining = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<RecordedPallet> =>
  ofPallets(events).flatMap(({ first, last }) =>
    remains({ first: first.direction, last: last.direction }) ? [last] : []
  )

/**
 * The pallets of these events, which come in the order of recording, with the docks where they were seen last, in id order. A pallet
 * has its LPN in the form of the event that was recorded first (D22).
 */
export const trackedPallets = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<TrackedPallet> => {
  const lpns = new Map<number, string>()
  for (const { labels, palletId } of events) if (!lpns.has(palletId)) lpns.set(palletId, lpnOf(labels))
  return ofPallets(events).map(({ first, last }) => ({
    id: last.palletId,
    lpn: lpns.get(last.palletId)!,
    first: first.direction,
    last: last.direction,
    dockId: last.dock.id,
    dockSlug: last.dock.slug
  }))
}

/** The pallets of these events, in id order. */
export const seenPallets = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<SeenPallet> =>
  trackedPallets(events).map(({ dockId, first, id, last, lpn }) => ({ id, lpn, first, last, dockId }))

/** The first and the last event of each pallet, in id order. */
const ofPallets = (events: ReadonlyArray<RecordedPallet>) => {
  const pallets = new Map<number, { readonly first: RecordedPallet; readonly last: RecordedPallet }>()
  for (const event of [...events].sort(byOccurrence)) {
    pallets.set(event.palletId, { first: pallets.get(event.palletId)?.first ?? event, last: event })
  }
  return Array.from(pallets.values()).sort((left, right) => left.last.palletId - right.last.palletId)
}
