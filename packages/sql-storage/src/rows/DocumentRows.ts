/**
 * Rows of the record of documents: columns for `intake_apply`, and what `document_body` returns. What no statement looks for is
 * one text, the content.
 */
import {
  documentOutcomes,
  identified,
  recordedLimit,
  removesAnything,
  sizeOfRecord
} from "@dockline/core/document/DocumentRecord"
import type {
  DocumentEntry,
  DocumentOutcome,
  DocumentRecord,
  RecordedChange
} from "@dockline/core/document/DocumentRecord"
import type { Plan } from "@dockline/core/document/Plan"
import type { Location, Place } from "@dockline/core/places/Place"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { indexKey } from "./IndexKey.ts"
import { arrayOf } from "./PlanRows.ts"

/** The record of a document, with its plan if that is written. */
export interface PlacedEntry {
  readonly facilityId: number
  /** The time of a clock that was given; without one it is received when it is written (D21.1). */
  readonly givenNow: Timestamp | null
  readonly entry: DocumentEntry
  readonly plan: Plan | undefined
}

/**
 * The outcome of a document as its row has it: a document that removed something that it did not create again has a mark
 * behind its outcome, so that every index finds such documents.
 */
const rowOutcome = (outcome: DocumentOutcome, removes: boolean): string =>
  removes ? `${outcome}${removalMark}` : outcome

const removalMark = "-"

/** Outcomes of rows: of documents of an outcome, or of all, and with `removed` only of those that removed something. */
export const rowOutcomes = (
  outcome: DocumentOutcome | undefined,
  removed: boolean | undefined
): ReadonlyArray<string> =>
  (outcome === undefined ? documentOutcomes : [outcome]).flatMap((each) => [
    ...(removed === true ? [] : [rowOutcome(each, false)]),
    ...(each === "CREATED" || each === "UPDATED" ? [rowOutcome(each, true)] : [])
  ])

type Content = readonly [
  clientId: string,
  shipmentNumber: string,
  orderNumbers: ReadonlyArray<string>,
  strategies: ReadonlyArray<string>,
  code: string,
  counts: readonly [created: number, updated: number, removed: number, replaced: number],
  changes: ReadonlyArray<Run>
]

/** Changes of one kind that follow each other: the id and the reference of each. */
type Run = readonly [kind: string, ...ReadonlyArray<string>]

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

/** Runs are written above: a kind has two letters that are known here, and entities come as pairs. */
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

/**
 * The arguments of `intake_apply`: columns of documents, in their order; their contents, one a line, as JSON has no line breaks;
 * columns of their orders after the first; and columns of the LPNs that they removed. The plans are all that are written, in their
 * order.
 */
export const entryRows = (placed: ReadonlyArray<PlacedEntry>) => {
  if (placed.length === 0) return { records: [], contents: "", orders: [], removals: [] }
  const rows: Array<ReadonlyArray<string | number | null>> = []
  const contents: Array<string> = []
  const further: Array<ReadonlyArray<string | number>> = []
  const removals: Array<ReadonlyArray<string | number>> = []
  let [shipments, orders, items] = [0, 0, 0]
  for (const { entry, facilityId, givenNow, plan } of placed) {
    const isNew = plan?.shipment._tag === "Create"
    const newOrders = plan?.orders.filter(({ order }) => order._tag === "Create").length ?? 0
    const newItems = plan?.orders.reduce((sum, order) => sum + order.items.created.length, 0) ?? 0
    const numberKey = indexKey(entry.shipmentNumber)
    const { rows: rowCount, text } = sizeOfRecord(entry)
    const [first = "", ...others] = Array.from(new Set(entry.orderNumbers), indexKey)
    rows.push([
      facilityId,
      givenNow,
      rowOutcome(entry.outcome, removesAnything(entry.counts)),
      entry.correlationId,
      numberKey,
      first === numberKey ? null : first,
      entry.shipmentId,
      isNew ? shipments + 1 : null,
      orders + 1,
      orders + Math.min(newOrders, recordedLimit),
      items + 1,
      items + Math.min(newItems, recordedLimit),
      rowCount,
      text
    ])
    contents.push(JSON.stringify(contentOf(entry)))
    for (const key of others) further.push([rows.length, facilityId, key])
    for (const lpn of entry.removedLpns) removals.push([rows.length, facilityId, indexKey(lpn)])
    if (isNew) shipments++
    orders += newOrders
    items += newItems
  }
  const columns = (rows: ReadonlyArray<ReadonlyArray<string | number | null>>) =>
    (rows[0] ?? []).map((_, column) => arrayOf(rows.map((row) => row[column] ?? null)))
  return {
    records: columns(rows),
    contents: contents.join("\n"),
    orders: columns(further),
    removals: columns(removals)
  }
}

/** What `document_body` returns. */
export type DocumentBody = readonly [
  business: Place,
  facility: Place,
  id: number,
  receivedAt: string,
  rowOutcome: string,
  correlationId: string,
  shipmentId: number | null,
  newOrders: ReadonlyArray<string>,
  newItems: ReadonlyArray<string>,
  content: string
]

export const toRecord = (body: DocumentBody): DocumentRecord => {
  const [business, facility, id, receivedAt, marked, correlationId, shipmentId, orders, items, content] = body
  const written: Content = JSON.parse(content)
  const [clientId, shipmentNumber, orderNumbers, strategies, code, counts, changes] = written
  const location: Location = { business, facility }
  const [created, updated, removed, replaced] = counts
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
    outcome: documentOutcomes.find((outcome) => marked.replace(removalMark, "") === outcome)!,
    code,
    counts: { created, updated, removed, replaced },
    changes: identified(
      changes.flatMap(changesOf),
      { shipment: shipmentId ?? "", orders, items }
    )
  }
}
