/**
 * Port: the storage of intake. It loads a snapshot under locks, lets core decide, and applies the plan, all in one
 * transaction.
 *
 * Guarantee: documents that name the same shipment or order numbers at one facility behave as if they came one after another; when
 * `transact` has answered, the document is durable; a refused document or a dry run changes nothing (D2.1, D3). The record of a document
 * (D13.6) and its kept answer (D5.2) become durable with it.
 */
import { Context, Effect, Result } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { Keep } from "../access/Idempotency.ts"
import type { PlaceFilter } from "../shipment/ShipmentStore.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { NewestPageRequest, Page } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { Document } from "./Document.ts"
import type { DocumentPrecondition } from "./DocumentPrecondition.ts"
import type { DocumentOutcome, DocumentRecord, Sender } from "./DocumentRecord.ts"
import type { NewIds, Plan, Snapshot } from "./Plan.ts"

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
  /** In milliseconds; 90 days. If 0, nothing is recorded. */
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
