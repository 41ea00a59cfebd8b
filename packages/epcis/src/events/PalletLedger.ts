/**
 * The event in each message of a pallet: the pallet passes, has passed already, or goes back, so that the event of its passing is declared
 * wrong (D24.3).
 *
 * Guarantee: an entry is the same however often it is read, because it depends only on the messages recorded up to it. After each message,
 * the valid events of the pallet match its remaining passages by D6.6: one, in its direction, or none.
 */
import { remains, sightAgain } from "@dockline/core/shipment/Shipment"
import type { Sightings } from "@dockline/core/shipment/Shipment"
import type { MessageId } from "@dockline/core/values/Id"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { PalletDirection } from "@dockline/core/values/Vocabulary"

/** An event of a pallet, as it was recorded. */
export interface PalletRecord {
  readonly messageId: MessageId
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  /** The slug of the dock. */
  readonly dock: string
  readonly orders: ReadonlyArray<string>
}

/** The entry of a message: an event, its own or that of an earlier message, and the time since when that event is declared wrong. */
export interface PalletEntry {
  readonly record: PalletRecord
  /** `null` for a valid event. */
  readonly declarationTime: Timestamp | null
}

/** The entries of the messages of a pallet, by the ids of the messages; its records have to come in the order of these ids. */
export const ledgerOf = (records: ReadonlyArray<PalletRecord>): ReadonlyMap<number, PalletEntry> => {
  const entries = new Map<number, PalletEntry>()
  let sightings: Sightings | null = null
  let last: PalletEntry | null = null
  for (const record of records) {
    sightings = sightAgain(sightings, record.direction, record.occurredAt, 0)
    last = entryAfter(last, record, remains(sightings))
    entries.set(record.messageId, last)
  }
  return entries
}

/** The entry of a record after another: a record that does not change the result repeats the last entry. */
const entryAfter = (last: PalletEntry | null, record: PalletRecord, isThere: boolean): PalletEntry => {
  if (last === null || last.declarationTime !== null) {
    return isThere || last === null ? { record, declarationTime: null } : last
  }
  return isThere ? last : { record: last.record, declarationTime: record.occurredAt }
}
