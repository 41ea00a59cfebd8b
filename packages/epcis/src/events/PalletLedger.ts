/**
 * What each message of a pallet tells as an event: the pallet passes, has passed already, or goes back, so that the event of its passing is
 * declared not to have occurred (D24.3).
 *
 * Guarantee: a message is the same however often it is read, as it depends on the messages that were recorded up to it alone. After each
 * message, the events of the pallet that stand are what remains of it by D6.6: one, in its direction, or none.
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

/** What a message of a pallet tells: an event, its own or that of an earlier message, and since when that is declared to be wrong. */
export interface PalletEntry {
  readonly record: PalletRecord
  /** `null` of an event that stands. */
  readonly declarationTime: Timestamp | null
}

/** The entries of the messages of a pallet, by the ids of the messages; its records come in the order of these ids. */
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

/** The entry of a record after another: what changes nothing of what remains tells the same again. */
const entryAfter = (last: PalletEntry | null, record: PalletRecord, isThere: boolean): PalletEntry => {
  if (last === null || last.declarationTime !== null) {
    return isThere || last === null ? { record, declarationTime: null } : last
  }
  return isThere ? last : { record: last.record, declarationTime: record.occurredAt }
}
