import type { RecordedPallet } from "./Pallet.ts"

/** Sorts by time of occurrence; events of one instant in the order of recording. */
const byOccurrence = (left: RecordedPallet, right: RecordedPallet): number =>
  left.occurredAt === right.occurredAt
    ? left.messageId - right.messageId
    : left.occurredAt < right.occurredAt
    ? -1
    : 1

/**
 * The last event of each pallet that remains on a shipment at its departure, by pallet id (D6.6). For each pallet, in order
 * of occurrence, repeats of one direction collapse first, and opposite neighbours then cancel: loaded, unloaded, unloaded,
 * loaded leaves the pallet loaded.
 *
 * Without repeats the directions alternate, so they cancel in pairs: a pallet remains when its direction changed an odd
 * number of times, and then in the direction of its last event.
 */
export const remaining = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<RecordedPallet> => {
  const pallets = new Map<number, { readonly turns: number; readonly last: RecordedPallet }>()
  for (const event of [...events].sort(byOccurrence)) {
    const before = pallets.get(event.palletId)
    const turned = before?.last.direction !== event.direction
    pallets.set(event.palletId, { turns: (before?.turns ?? 0) + (turned ? 1 : 0), last: event })
  }
  return Array.from(pallets.values())
    .filter(({ turns }) => turns % 2 === 1)
    .map(({ last }) => last)
    .sort((left, right) => left.palletId - right.palletId)
}
