/**
 * The pallets that towers have seen of a shipment: where each of them is now, by its first and its last event (D6.6,
 * D13.1).
 */
import type { Timestamp } from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"

/** A pallet of a shipment, as its events leave it. Its first and last event are those in the order of occurrence. */
export interface SeenPallet {
  /** A positive integer below 2^53. */
  readonly id: number
  /** `""` for a pallet without an LPN label. */
  readonly lpn: string
  /** The direction of its first event. */
  readonly first: PalletDirection
  /** The direction of its last event. */
  readonly last: PalletDirection
  /** The id of the dock of its last event. */
  readonly dockId: number
}

/** Where and when a pallet was seen first and last, in the order of occurrence. */
export interface Sightings extends Pick<SeenPallet, "first" | "last" | "dockId"> {
  readonly firstSeenAt: Timestamp
  readonly lastSeenAt: Timestamp
}

/** The sightings of a pallet after a further event. Of events of one instant, those recorded first occurred first. */
export const sightAgain = (
  before: Sightings | null,
  direction: PalletDirection,
  occurredAt: Timestamp,
  dockId: number
): Sightings => ({
  ...(before === null || occurredAt < before.firstSeenAt
    ? { first: direction, firstSeenAt: occurredAt }
    : { first: before.first, firstSeenAt: before.firstSeenAt }),
  ...(before === null || occurredAt >= before.lastSeenAt
    ? { last: direction, lastSeenAt: occurredAt, dockId }
    : { last: before.last, lastSeenAt: before.lastSeenAt, dockId: before.dockId })
})

/**
 * Whether loading and unloading leave the pallet on the side that its last event took it to (D6.6). Without repeats the
 * directions alternate and cancel in pairs, so one event is left if and only if the first and the last have one direction.
 */
export const remains = ({ first, last }: Pick<SeenPallet, "first" | "last">): boolean => first === last

/** The direction that takes pallets to the side at which a shipment of a direction ends. */
export const ends: Readonly<Record<string, PalletDirection>> = { INBOUND: "UNLOADING", OUTBOUND: "LOADING" }

/**
 * Whether the pallet remains on the side at which a shipment of the direction ends (D13.1). A direction of the service's own ends at
 * either side.
 */
export const hasPassed = (direction: string, pallet: Pick<SeenPallet, "first" | "last">): boolean =>
  remains(pallet) && (ends[direction] ?? pallet.last) === pallet.last
