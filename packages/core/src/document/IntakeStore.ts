/**
 * Port: the storage of intake. It loads a snapshot under locks, lets core decide, and applies the plan, all in one
 * transaction.
 *
 * Guarantee: documents that name the same shipment or order numbers at one facility behave as if they came one after
 * another; what `transact` answered is durable; a failed decision or a dry run changes nothing (D2.1, D3). The record of a
 * document is durable with it (D13.6), and so is an answer that is kept (D5.2).
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

/** A decided and, unless it was a dry run, applied document. */
export interface IntakeTransaction {
  readonly snapshot: Snapshot
  readonly plan: Plan
  readonly ids: NewIds
}

/** Options of a document's transaction. */
export interface TransactOptions<out F = never> {
  readonly dryRun: boolean
  /** The document is recorded if it has a sender, is no dry run, and its facility is there, whether it is refused or not. */
  readonly sender?: Sender | undefined
  /** The answer to keep under the key of the request, also of a dry run or a refusal. */
  readonly keep?: Keep<IntakeTransaction, F> | undefined
  /** What the document expects, which its decision judges: some of it needs more of the snapshot. */
  readonly precondition?: DocumentPrecondition | undefined
}

/** Narrows the record of documents; `undefined` does not narrow. */
export interface RecordFilter extends PlaceFilter {
  readonly shipmentNumber: string | undefined
  readonly orderNumber: string | undefined
  readonly correlationId: string | undefined
  readonly outcome: DocumentOutcome | undefined
  /** With true, documents that removed something that they did not create again; `false` does not narrow. */
  readonly removed?: boolean | undefined
  /** Documents that removed an item with this LPN that they did not create again. */
  readonly lpn?: string | undefined
  /** The first time within, and the first one after. */
  readonly from: Timestamp | undefined
  readonly to: Timestamp | undefined
}

/** How long documents are recorded. */
export interface DocumentRecordSettings {
  /** In milliseconds; 90 days. If 0, nothing is recorded. */
  readonly retentionMillis: number
}

/** The settings in force. */
export const DocumentRecordConfig: Context.Reference<DocumentRecordSettings> = Context.Reference(
  "@dockline/core/DocumentRecordConfig",
  { defaultValue: () => ({ retentionMillis: 90 * 86_400_000 }) }
)

/** The storage of intake. */
export class IntakeStore extends Context.Service<IntakeStore, {
  /** `decide` is pure. It is called again when the transaction is repeated, and not when the key of `keep` is taken. */
  readonly transact: <E, F = never>(
    document: Document,
    decide: (snapshot: Snapshot) => Result.Result<Plan, E>,
    options: TransactOptions<F>
  ) => Effect.Effect<IntakeTransaction, E | F | StorageUnavailable>
  /** The recorded document of that id, wherever it belongs; `null` when there is none. `reader`: as in `ShipmentStore`. */
  readonly findRecord: (
    id: number,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<DocumentRecord | null, StorageUnavailable>
  /** Recorded documents within the scopes, newest first: by the time at which they were received, and then by id. */
  readonly listRecords: (
    scopes: ReadonlyArray<ReadScope>,
    filter: RecordFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<DocumentRecord>, StorageUnavailable>
}>()("@dockline/core/document/IntakeStore") {}
