/**
 * Rows of the record of documents: the input of `intake_apply` and the output of `document_body`. The fields that no statement searches are
 * stored as one text, the content.
 */
import {
  documentOutcomes,
  recordedLimit,
  removesAnything,
  sizeOfRecord,
  withIds
} from "@dockline/core/document/DocumentRecord"
import type {
  DocumentEntry,
  DocumentOutcome,
  DocumentRecord,
  RecordedChange
} from "@dockline/core/document/DocumentRecord"
import type { NewIds } from "@dockline/core/document/Plan"
import type { Location } from "@dockline/core/places/Place"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Schema } from "effect"
import { storedJson } from "../connections/Statements.ts"
import { indexKey } from "./BusinessRows.ts"
import { place, texts, timestamp, whole } from "./RowFields.ts"

/** The record of a document, with its id and the ids of the entities that it creates. */
export interface PlacedEntry {
  readonly id: number
  readonly facilityId: number
  /** The time of the clock that the program provides; if there is none, the time of receipt is the time of writing (D21.1). */
  readonly givenNow: Timestamp | null
  readonly entry: DocumentEntry
  readonly ids: NewIds
}

/**
 * The outcome of a document in its row. A mark follows the outcome if the document removed something and did not create it again, so that
 * every index finds such documents.
 */
const rowOutcome = (outcome: DocumentOutcome, removes: boolean): string =>
  removes ? `${outcome}${removalMark}` : outcome

const removalMark = "-"

/** The outcomes in rows for documents with an outcome, or for all; with `removed` only for those that removed something. */
export const rowOutcomes = (
  outcome: DocumentOutcome | undefined,
  removed: boolean | undefined
): ReadonlyArray<string> =>
  (outcome === undefined ? documentOutcomes : [outcome]).flatMap((each) => [
    ...(removed === true ? [] : [rowOutcome(each, false)]),
    ...(each === "CREATED" || each === "UPDATED" ? [rowOutcome(each, true)] : [])
  ])

/** Consecutive changes of one kind: the kind, then the id and the reference of each. */
const Run = Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.String])

type Run = typeof Run.Type

/**
 * The fields that no statement searches: client, shipment number, order numbers, strategies, code, the counts of created, updated, removed
 * and replaced entities, and the changes.
 */
const Content = Schema.Tuple([
  Schema.String,
  Schema.String,
  texts,
  texts,
  Schema.String,
  Schema.Tuple([whole, whole, whole, whole]),
  Schema.Array(Run)
])

type Content = typeof Content.Type

const readContent = storedJson(Content, "The record of a document")

const kindOf = ({ change, type }: RecordedChange): string =>
  change[0]! + (type === "ORDER_ITEM" ? "I" : type[0]!)

const changeOf: Readonly<Record<string, RecordedChange["change"]>> = {
  C: "CREATED",
  U: "UPDATED",
  R: "REMOVED"
}

const typeOf: Readonly<Record<string, RecordedChange["type"]>> = {
  S: "SHIPMENT",
  O: "ORDER",
  I: "ORDER_ITEM"
}

const runsOf = (changes: ReadonlyArray<RecordedChange>): ReadonlyArray<Run> => {
  const runs: Array<[kind: string, ...Array<string>]> = []
  let run: [kind: string, ...Array<string>] = [""]
  for (const change of changes) {
    const kind = kindOf(change)
    if (kind !== run[0]) runs.push(run = [kind])
    run.push(change.id, change.reference)
  }
  return runs
}

/** Reads a run that `runsOf` has written: a kind has two letters, and each entity has two members. */
const changesOf = ([kind, ...entities]: Run): ReadonlyArray<RecordedChange> =>
  Array.from({ length: entities.length / 2 }, (_, n) => ({
    change: changeOf[kind[0]!]!,
    type: typeOf[kind[1]!]!,
    id: entities[2 * n]!,
    reference: entities[2 * n + 1]!
  }))

const contentOf = (entry: DocumentEntry): Content => {
  const { created, removed, replaced, updated } = entry.counts
  return [
    entry.clientId,
    entry.shipmentNumber,
    entry.orderNumbers.slice(0, recordedLimit),
    entry.strategies,
    entry.code,
    [created, updated, removed, replaced],
    runsOf(entry.changes)
  ]
}

/** The records of documents, with rows for the orders after the first and for the removed LPNs; `null` instead of an empty set. */
export const entryRows = (entries: ReadonlyArray<PlacedEntry>) => {
  const records: Array<object> = []
  const orders: Array<object> = []
  const removals: Array<object> = []
  for (const { entry, facilityId, givenNow, id, ids } of entries) {
    const numberKey = indexKey(entry.shipmentNumber)
    const [first = "", ...others] = Array.from(new Set(entry.orderNumbers), indexKey)
    const { rows: rowCount, text: textSize } = sizeOfRecord(entry)
    const common = {
      id,
      facilityId,
      givenNow,
      outcome: rowOutcome(entry.outcome, removesAnything(entry.counts))
    }
    records.push({
      ...common,
      correlationId: entry.correlationId,
      numberKey,
      orderKey: first === numberKey ? null : first,
      shipmentId: entry.shipmentId ?? (ids.shipment || null),
      newOrders: ids.orders.slice(0, recordedLimit),
      newItems: ids.items.slice(0, recordedLimit),
      rowCount,
      textSize,
      content: contentOf(entry)
    })
    for (const key of others) orders.push({ ...common, key })
    for (const lpn of entry.removedLpns) removals.push({ ...common, key: indexKey(lpn) })
  }
  const json = (rows: ReadonlyArray<object>) => rows.length === 0 ? null : JSON.stringify(rows)
  return { records: json(records), orders: json(orders), removals: json(removals) }
}

/**
 * A row of the view `document_body`: business and facility, id, time of receipt, outcome as stored in rows, correlation id, shipment, ids
 * of new orders and of new items, and the content, which is JSON as text.
 */
export const DocumentBody = Schema.Tuple([
  place,
  place,
  whole,
  timestamp,
  Schema.String,
  Schema.String,
  Schema.NullOr(whole),
  texts,
  texts,
  Schema.String
])

export type DocumentBody = typeof DocumentBody.Type

export const toRecord = (body: DocumentBody): DocumentRecord => {
  const [business, facility, id, receivedAt, mark, correlationId, shipmentId, orders, items, content] = body
  const [clientId, shipmentNumber, orderNumbers, strategies, code, counts, changes] = readContent(content)
  const location: Location = { business, facility }
  const [created, updated, removed, replacements] = counts
  return {
    id,
    location,
    receivedAt,
    clientId,
    correlationId,
    shipmentNumber,
    shipmentId,
    orderNumbers,
    strategies,
    outcome: documentOutcomes.find((outcome) => mark.replace(removalMark, "") === outcome)!,
    code,
    counts: { created, updated, removed, replaced: replacements },
    changes: withIds(
      changes.flatMap(changesOf),
      { shipment: shipmentId ?? "", orders, items }
    )
  }
}
