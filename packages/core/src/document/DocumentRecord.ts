/**
 * The record of documents: which client sent which document when, and what it changed (D13.6). The body of a document is not
 * kept.
 */
import { Schema } from "effect"
import type { Location } from "../places/Place.ts"
import { EntityReference } from "../shipment/internal/EntityReference.ts"
import { PlaceView } from "../shipment/View.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import type { EntrySize } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { refusalRemedies } from "./DocumentErrors.ts"
import type { NewIds } from "./Plan.ts"

/** What became of a document. */
export const documentOutcomes = ["CREATED", "UPDATED", "UNCHANGED", "REFUSED"] as const

/** What became of a document: the most that it did. */
export type DocumentOutcome = (typeof documentOutcomes)[number]

/** What a document did to an entity. */
export const entityChanges = ["CREATED", "UPDATED", "REMOVED"] as const

/** The most changed entities, and the most order numbers, that a record shows of a document. */
export const recordedLimit = 1000

/** An entity that a document touched. */
export const RecordedChange = Schema.Struct({
  change: Schema.Literals(entityChanges).annotate({ description: "What the document did to it" }),
  ...EntityReference.fields
}).annotate({ identifier: "RecordedChange", description: "An entity that a document touched." })

/** An entity that a document touched. */
export type RecordedChange = typeof RecordedChange.Type

/** How many entities a document touched. */
export const DocumentCounts = Schema.Struct({
  created: shownWhole("How many entities it created"),
  updated: shownWhole("How many it updated, or found as they should be"),
  removed: shownWhole("How many it removed"),
  replaced: shownWhole("How many of those that it removed it created again, with the same LPN and SKU")
}).annotate({ identifier: "DocumentCounts" })

/** How many entities a document touched. */
export type DocumentCounts = typeof DocumentCounts.Type

/** Whether a document removed something that it did not create again. */
export const removesAnything = ({ removed, replaced }: DocumentCounts): boolean => removed > replaced

/** Who sent a document. */
export interface Sender {
  readonly clientId: string
  readonly correlationId: string
}

/** What the record tells of a document. */
export interface DocumentFacts extends Sender {
  readonly receivedAt: Timestamp
  readonly shipmentNumber: string
  /** `null` when there is no such shipment, or the document creates it. */
  readonly shipmentId: number | null
  /** All of them; a record shows the first {@link recordedLimit}. */
  readonly orderNumbers: ReadonlyArray<string>
  readonly strategies: ReadonlyArray<string>
  readonly outcome: DocumentOutcome
  /** The code of the refusal, or empty. */
  readonly code: string
  readonly counts: DocumentCounts
  /** The first: what was removed for good, what was replaced, then all others. The ids of created ones are empty. */
  readonly changes: ReadonlyArray<RecordedChange>
}

/** A recorded document. */
export interface DocumentEntry extends DocumentFacts {
  /** Each LPN of an item that it removed and did not create again; all of them. */
  readonly removedLpns: ReadonlyArray<string>
}

/** A recorded document. */
export interface DocumentRecord extends DocumentFacts {
  readonly id: number
  readonly location: Location
}

/** The size of a recorded document in a list: the document, its order numbers that are shown and its changes are rows. */
export const sizeOfRecord = ({ changes, orderNumbers }: DocumentEntry): EntrySize => {
  const numbers = orderNumbers.slice(0, recordedLimit)
  return {
    rows: 1 + numbers.length + changes.length,
    text: numbers.reduce((sum, number) => sum + number.length, 0) +
      changes.reduce((sum, { reference }) => sum + reference.length, 0)
  }
}

/** The changes with the ids that the store gave to what was created. */
export const withIds = (
  changes: ReadonlyArray<RecordedChange>,
  { items, orders, shipment }: NewIds
): ReadonlyArray<RecordedChange> => {
  const [orderIds, itemIds] = [orders.values(), items.values()]
  return changes.map((each) => {
    if (each.change !== "CREATED") return each
    if (each.type === "SHIPMENT") return { ...each, id: String(shipment) }
    return { ...each, id: (each.type === "ORDER" ? orderIds : itemIds).next().value ?? "" }
  })
}

/** A recorded document as clients see it. */
export const DocumentRecordView = Schema.Struct({
  id: shownWhole("Its id"),
  receivedAt: shownTime("When it was recorded, after all that it waited for"),
  clientId: shownText("Who sent it: the id of a client, or `person:` and the id of a person"),
  correlationId: shownText("The correlation id of its request, or empty"),
  business: PlaceView,
  facility: PlaceView,
  shipmentNumber: shownText("Shipment number"),
  shipmentId: shownWhole("Id of the shipment; 0 if there is none"),
  orderNumbers: Schema.Array(Schema.String).annotate({
    description: `The numbers of its orders, the first ${recordedLimit}`
  }),
  strategies: Schema.Array(Schema.String).annotate({ description: "Its item update strategies" }),
  outcome: Schema.Literals(documentOutcomes).annotate({ description: "What became of it" }),
  code: shownText("The code of the refusal, or empty"),
  remedy: shownText("What its sender does about the refusal, or empty"),
  counts: DocumentCounts.annotate({ description: "How many entities it touched" }),
  changes: Schema.Array(RecordedChange).annotate({
    description:
      `The entities that it touched, the first ${recordedLimit}; what it removed and did not create again comes first, then what it created again`
  })
}).annotate({ identifier: "DocumentRecord", description: "Who sent a document when, and what it changed." })

/** A recorded document as clients see it. */
export type DocumentRecordView = typeof DocumentRecordView.Type

/** Shows a recorded document. */
export const documentRecordView = (record: DocumentRecord): DocumentRecordView => ({
  id: record.id,
  receivedAt: record.receivedAt,
  clientId: record.clientId,
  correlationId: record.correlationId,
  ...record.location,
  shipmentNumber: record.shipmentNumber,
  shipmentId: record.shipmentId ?? 0,
  orderNumbers: record.orderNumbers.slice(0, recordedLimit),
  strategies: record.strategies,
  outcome: record.outcome,
  code: record.code,
  remedy: refusalRemedies[record.code as keyof typeof refusalRemedies] ?? "",
  counts: record.counts,
  changes: record.changes
})
