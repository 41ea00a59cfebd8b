/**
 * Which pallets of a shipment remain at its departure, of all that crossed the dock either way (D6.6).
 */
import type { RecordedPallet } from "./Pallet.ts"

/** In order of occurrence; events of one instant in the order in which they were recorded. */
const byOccurrence = (left: RecordedPallet, right: RecordedPallet): number =>
  left.occurredAt === right.occurredAt
    ? left.messageId - right.messageId
    : left.occurredAt < right.occurredAt
    ? -1
    : 1

/**
 * The last event of each pallet that remains, by pallet id. Pallet by pallet, in order of occurrence, repeats of one
 * direction collapse first and opposite neighbours cancel then: loaded, unloaded, unloaded, loaded remains loaded.
 *
 * What is left of the repeats alternates, so that it cancels in pairs: a pallet remains when it turned an odd number
 * of times, in the direction of its last event.
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
