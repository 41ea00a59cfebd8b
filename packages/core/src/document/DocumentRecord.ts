/**
 * The record of documents: which client sent which document when, and what it changed (D13.6). The body of a document is not kept.
 *
 * {@link IntakeStore} is the port that stores documents with their record. It loads a snapshot under locks, lets core decide, and applies
 * the plan, all in one transaction.
 *
 * Guarantee: documents that name the same shipment or order numbers at one facility behave as if they came one after another. When
 * `transact` has answered, the document is committed. A refused document or a dry run changes no shipment (D2.1, D3). The record of a
 * document (D13.6) and its kept answer (D5.2) are committed with it.
 */
import { Context, Effect, Predicate, Result, Schema } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { Keep } from "../access/Idempotency.ts"
import { lpnKey } from "../labels/Lpn.ts"
import type { Location } from "../places/Place.ts"
import {
  EntityReference,
  haveSameKey,
  itemKey,
  itemReference,
  orderReference,
  shipmentReference
} from "../shipment/Shipment.ts"
import type { OrderItem, OrderItemDraft } from "../shipment/Shipment.ts"
import type { PlaceFilter } from "../shipment/ShipmentStore.ts"
import { PlaceView } from "../shipment/View.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import type { ShipmentId } from "../values/Id.ts"
import type { EntrySize, NewestPageRequest, Page } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { refusalRemedy } from "./Document.ts"
import type { Document } from "./Document.ts"
import type { DocumentPrecondition } from "./DocumentPrecondition.ts"
import { changesAnything } from "./Plan.ts"
import type { NewIds, Plan, Snapshot } from "./Plan.ts"

/** The outcomes of documents. */
export const documentOutcomes = ["CREATED", "UPDATED", "UNCHANGED", "REFUSED"] as const

/** The outcome of a document. A document that created any entity is CREATED, even if it only updated others. */
export type DocumentOutcome = (typeof documentOutcomes)[number]

/** The kinds of changes that a document makes to an entity. */
const entityChanges = ["CREATED", "UPDATED", "REMOVED"] as const

/** The most changes in the record of a document, and the most order numbers in its view. */
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
  updated: shownWhole("The number that it updated or found unchanged"),
  removed: shownWhole("How many it removed"),
  replaced: shownWhole("The number of removed items that it created again, with the same LPN and SKU")
}).annotate({ identifier: "DocumentCounts" })

/** How many entities a document touched. */
export type DocumentCounts = typeof DocumentCounts.Type

/** Whether a document removed something that it did not create again. */
export const removesAnything = ({ removed, replaced }: DocumentCounts): boolean => removed > replaced

/** The client or person that sent a document, and the correlation id of the request. */
export interface Sender {
  readonly clientId: string
  readonly correlationId: string
}

/** The recorded facts of a document. */
export interface DocumentFacts extends Sender {
  readonly receivedAt: Timestamp
  readonly shipmentNumber: string
  /** `null` when the shipment does not exist, and in an entry whose document creates the shipment. */
  readonly shipmentId: ShipmentId | null
  /** The numbers of all orders; a view shows the first {@link recordedLimit}. */
  readonly orderNumbers: ReadonlyArray<string>
  readonly strategies: ReadonlyArray<string>
  readonly outcome: DocumentOutcome
  /** The code of the refusal; `""` without a refusal. */
  readonly code: string
  readonly counts: DocumentCounts
  /**
   * The first {@link recordedLimit} changes: items removed for good, then replaced items, then all others. A created entity has an empty id
   * until {@link withIds}.
   */
  readonly changes: ReadonlyArray<RecordedChange>
}

/** A document as a store records it. */
export interface DocumentEntry extends DocumentFacts {
  /** The keys of all LPNs of items that the document removed and did not create again. */
  readonly removedLpns: ReadonlyArray<string>
}

/** A recorded document, read from a store. */
export interface DocumentRecord extends DocumentFacts {
  readonly id: number
  readonly location: Location
}

/** The size of a recorded document in a list: its text, and a row for the document, each order number in its view, and each change. */
export const sizeOfRecord = ({ changes, orderNumbers }: DocumentEntry): EntrySize => {
  const numbers = orderNumbers.slice(0, recordedLimit)
  return {
    rows: 1 + numbers.length + changes.length,
    text: numbers.reduce((sum, number) => sum + number.length, 0) +
      changes.reduce((sum, { reference }) => sum + reference.length, 0)
  }
}

/** The changes with the ids that the store gave to created entities. */
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
  receivedAt: shownTime("When it was recorded, after it had waited for its locks"),
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
  remedy: shownText("How its sender can fix the refusal, or empty"),
  counts: DocumentCounts.annotate({ description: "How many entities it touched" }),
  changes: Schema.Array(RecordedChange).annotate({
    description:
      `The entities that it touched, at most ${recordedLimit}: first those that it removed for good, then those that it replaced`
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
  remedy: refusalRemedy(record.code),
  counts: record.counts,
  changes: record.changes
})

/** The record entry of a decided document. */
export const entryOf = (
  document: Document,
  { clientId, correlationId }: Sender,
  { now, target }: Pick<Snapshot, "now" | "target">,
  decision: Result.Result<Plan, unknown>
): DocumentEntry => {
  const origin = {
    receivedAt: now,
    clientId,
    correlationId,
    shipmentNumber: document.shipmentNumber,
    shipmentId: target?.id ?? null,
    orderNumbers: document.orders.map(({ orderNumber }) => orderNumber),
    strategies: Array.from(new Set(document.orders.map(({ strategy }) => strategy)))
  }
  if (decision._tag === "Failure") {
    return { ...origin, ...nothing, outcome: "REFUSED", code: codeOf(decision.failure) }
  }
  const plan = decision.success
  const { counts, ...changes } = changesOf(plan)
  const outcome = changesAnything(plan) ? "UPDATED" : "UNCHANGED"
  return { ...origin, outcome: counts.created > 0 ? "CREATED" : outcome, code: "", counts, ...changes }
}

/** The counts and changes of a refused document. */
const nothing = {
  counts: { created: 0, updated: 0, removed: 0, replaced: 0 },
  changes: [],
  removedLpns: []
}

const codeOf = (refusal: unknown): string =>
  Predicate.hasProperty(refusal, "code") ? String(refusal.code) : ""

const countNames = {
  CREATED: "created",
  UPDATED: "updated",
  REMOVED: "removed"
} as const satisfies Record<RecordedChange["change"], keyof DocumentCounts>

/**
 * The items that a plan removes: first those that it does not create again, then those that it creates again. Usually the same items return
 * in the same order, so items at the same position are compared first.
 */
const removalsOf = ({ orders }: Plan): readonly [gone: Array<OrderItem>, replaced: Array<OrderItem>] => {
  const [removals, replacements]: [Array<OrderItem>, Array<OrderItem>] = [[], []]
  const rest: Array<OrderItem> = []
  const created: Array<OrderItemDraft> = []
  for (const { items } of orders) {
    for (const [index, item] of items.removed.entries()) {
      ;(isSame(item, items.created[index]) ? replacements : rest).push(item)
    }
    for (const [index, item] of items.created.entries()) {
      if (!isSame(item, items.removed[index])) created.push(item)
    }
  }
  if (rest.length === 0) return [removals, replacements]
  const remainder = new Map<string, number>()
  for (const item of created) remainder.set(itemKey(item), (remainder.get(itemKey(item)) ?? 0) + 1)
  for (const item of rest) {
    const count = remainder.get(itemKey(item)) ?? 0
    remainder.set(itemKey(item), count - 1)
    ;(count > 0 ? replacements : removals).push(item)
  }
  return [removals, replacements]
}

const isSame = (item: OrderItemDraft, other: OrderItemDraft | undefined): boolean =>
  other !== undefined && haveSameKey(item, other)

const changesOf = (plan: Plan): Pick<DocumentEntry, "changes" | "counts" | "removedLpns"> => {
  const { orders, shipment } = plan
  const [removals, replacements] = removalsOf(plan)
  const changes: Array<RecordedChange> = []
  const counts = { created: 0, updated: 0, removed: 0, replaced: replacements.length }
  const add = (change: RecordedChange["change"], { id, reference, type }: EntityReference) => {
    counts[countNames[change]]++
    if (changes.length < recordedLimit) changes.push({ change, type, id, reference })
  }
  for (const removed of [removals, replacements]) {
    for (const item of removed) add("REMOVED", itemReference(item))
  }
  if (shipment._tag === "Create") {
    add("CREATED", shipmentReference({ id: "", number: shipment.shipment.number }))
  } else add("UPDATED", shipmentReference(shipment.shipment))
  for (const { items, order } of orders) {
    if (order._tag === "Create") add("CREATED", orderReference({ id: "", number: order.order.number }))
    else add("UPDATED", orderReference(order.order))
    for (const { identifier, lpn, sku } of items.created) {
      add("CREATED", itemReference({ id: "", identifier, lpn, sku }))
    }
    for (const item of items.updated) add("UPDATED", itemReference(item))
  }
  const removedLpns = new Set(removals.flatMap(({ lpn }) => lpn === "" ? [] : [lpnKey(lpn)]))
  return { changes, counts, removedLpns: Array.from(removedLpns) }
}

/** A decided document. Unless it was a dry run, it is applied. */
export interface IntakeTransaction {
  readonly snapshot: Snapshot
  readonly plan: Plan
  readonly ids: NewIds
}

/** Options of a document's transaction. */
export interface TransactOptions<out F = never> {
  readonly dryRun: boolean
  /** The document is recorded if it has a sender, is no dry run, and its facility exists, even if it is refused. */
  readonly sender?: Sender | undefined
  /** How the answer is kept under the key of the request, also for a dry run or a refusal. */
  readonly keep?: Keep<IntakeTransaction, F> | undefined
  /** The precondition, which the decision checks. Some preconditions need more data in the snapshot. */
  readonly precondition?: DocumentPrecondition | undefined
}

/** Narrows the record of documents; `undefined` does not narrow. */
export interface RecordFilter extends PlaceFilter {
  readonly shipmentNumber: string | undefined
  readonly orderNumber: string | undefined
  readonly correlationId: string | undefined
  readonly outcome: DocumentOutcome | undefined
  /** If `true`, only documents that removed something without creating it again; `false` does not narrow. */
  readonly removed?: boolean | undefined
  /** Documents that removed an item with this LPN without creating it again. */
  readonly lpn?: string | undefined
  /** Documents that were received at this time or later, and before `to`. */
  readonly from: Timestamp | undefined
  readonly to: Timestamp | undefined
}

/** How long the record of documents is kept. */
export interface DocumentRecordSettings {
  /** In milliseconds; 90 days by default. If 0, nothing is recorded. */
  readonly retentionMillis: number
}

/** The settings of the record of documents. */
export const DocumentRecordConfig: Context.Reference<DocumentRecordSettings> = Context.Reference(
  "@dockline/core/DocumentRecordConfig",
  { defaultValue: () => ({ retentionMillis: 90 * 86_400_000 }) }
)

/** The storage of intake. */
export class IntakeStore extends Context.Service<IntakeStore, {
  /** `decide` is pure. It is called again when the transaction is repeated, and not when the key of `keep` is in use. */
  readonly transact: <E, F = never>(
    document: Document,
    decide: (snapshot: Snapshot) => Result.Result<Plan, E>,
    options: TransactOptions<F>
  ) => Effect.Effect<IntakeTransaction, E | F | StorageUnavailable>
  /** The recorded document with that id, at any facility; `null` when it does not exist. For `reader`, see `ShipmentStore`. */
  readonly findRecord: (
    id: number,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<DocumentRecord | null, StorageUnavailable>
  /** Recorded documents within the scopes, newest first: by the time of receipt, and then by id. */
  readonly listRecords: (
    scopes: ReadonlyArray<ReadScope>,
    filter: RecordFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<DocumentRecord>, StorageUnavailable>
}>()("@dockline/core/document/IntakeStore") {}
