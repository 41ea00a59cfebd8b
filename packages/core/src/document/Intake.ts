/**
 * Document intake: the service that every adapter calls to submit a document, and to read the record of documents (D13.6).
 *
 * Guarantee: a document is all or nothing, and its answer is given after it is durable. The order of refusals is
 * unknown business or facility, permission, dock, conflicts (D3.9).
 */
import { Context, Effect, Layer } from "effect"
import { canRead, readScopes } from "../access/Access.ts"
import type { Authorized, Principal } from "../access/Access.ts"
import * as Authorize from "../places/Authorize.ts"
import { Directory } from "../places/Directory.ts"
import { checkPlace, filled, pageRequest, placeOf, visible } from "../places/ListQuery.ts"
import type { ListQuery } from "../places/ListQuery.ts"
import { DocumentNotFound, TooManyItems } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { mapPage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import * as RequestLog from "../values/RequestLog.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { decide } from "./Decision.ts"
import { itemCount } from "./Document.ts"
import type { Document } from "./Document.ts"
import type { IntakeError } from "./DocumentErrors.ts"
import { defaultItemLimit } from "./DocumentInput.ts"
import { documentRecordView } from "./DocumentRecord.ts"
import type { DocumentOutcome, DocumentRecordView } from "./DocumentRecord.ts"
import { DocumentRecordConfig, IntakeStore } from "./IntakeStore.ts"
import { intakeResult, outcome } from "./Outcome.ts"
import type { IntakeResult } from "./Outcome.ts"
import { Strategies } from "./Strategy.ts"

/** Options of processing a document. */
export interface SubmitOptions {
  /** Answer exactly as the real run would, with the ids of would-be entities empty, and write nothing (D5.3). */
  readonly dryRun: boolean
}

/** Limits of intake. */
export interface IntakeConfig {
  /** The most items one document may hold, over all its orders (D2.7). */
  readonly itemLimit: number
}

/** The default limits: 10,000 items. */
export const defaultIntakeConfig: IntakeConfig = { itemLimit: defaultItemLimit }

const documents = Metrics.counter(
  "dockline_documents_total",
  "Documents by what became of them; one that could not be read is among the refusals",
  [["outcome", ["created", "updated", "unchanged", "dry_run", ...Metrics.refusals]]]
)

const items = Metrics.counter("dockline_document_items_total", "Items of the documents that were taken", [])

/** Counts a document that was taken: by the most that it did. */
const countTaken = (
  document: Document,
  { created, removed, updated }: IntakeResult,
  { dryRun }: SubmitOptions
): Effect.Effect<void> => {
  if (dryRun) return Metrics.update(documents.of("dry_run"), 1)
  const changed = updated.length + removed.length > 0 ? "updated" : "unchanged"
  return Effect.andThen(
    Metrics.update(documents.of(created.length > 0 ? "created" : changed), 1),
    Metrics.update(items.of(), itemCount(document))
  )
}

/** The filters of the record of documents; `""` filters nothing. */
export interface RecordQuery extends ListQuery {
  readonly shipmentNumber?: string | undefined
  readonly orderNumber?: string | undefined
  readonly correlationId?: string | undefined
  readonly outcome?: DocumentOutcome | "" | undefined
  /** RFC 3339: documents that came then or later. */
  readonly from?: string | undefined
  /** RFC 3339: documents that came earlier. */
  readonly to?: string | undefined
}

/** Document intake. */
export class Intake extends Context.Service<Intake, {
  /** Processes a document on behalf of a client. */
  readonly submit: (
    document: Document,
    principal: Principal,
    options?: SubmitOptions
  ) => Effect.Effect<IntakeResult, IntakeError>
  /** The recorded document with this id; one that the client may not see counts as missing. */
  readonly record: Authorized<[id: string], DocumentRecordView, DocumentNotFound | StorageUnavailable>
  /** The recorded documents at places that the client may see, newest first. */
  readonly records: Authorized<[query: RecordQuery], Page<DocumentRecordView>, Authorize.PlaceError>
}>()("@dockline/core/Intake") {
  /** Intake over the stores, with the limits given. */
  static readonly layer = (
    config: IntakeConfig = defaultIntakeConfig
  ): Layer.Layer<Intake, never, IntakeStore | Directory> =>
    Layer.effect(
      Intake,
      Effect.gen(function*() {
        const store = yield* IntakeStore
        const directory = yield* Directory
        const strategies = yield* Strategies
        const { retentionMillis } = yield* DocumentRecordConfig

        /** The sender of a document, if it is to be recorded: a place shows no documents of clients that may not see it. */
        const senderOf = Effect.fnUntraced(
          function*({ business, facility }: Document, principal: Principal, { dryRun }: SubmitOptions) {
            if (retentionMillis === 0 || dryRun || !canRead(principal, business, facility)) return undefined
            return { clientId: principal.clientId, correlationId: yield* RequestLog.correlationId }
          }
        )

        const submit = TraceContext.spanned(
          "Intake.submit",
          Effect.fnUntraced(function*(document: Document, principal: Principal, options: SubmitOptions) {
            if (itemCount(document) > config.itemLimit) {
              return yield* new TooManyItems({ limit: config.itemLimit })
            }
            yield* Authorize.permission(directory, principal, "documents:write", document)
            const { snapshot, plan, ids } = yield* store.transact(
              document,
              (snapshot) => decide(document, snapshot, strategies),
              { ...options, sender: yield* senderOf(document, principal, options) }
            )
            // decide refuses a document whose business or facility is unknown, so both are named here.
            return intakeResult(outcome(snapshot, plan, ids), {
              business: snapshot.business!,
              facility: snapshot.facility!
            })
          })
        )

        return Intake.of({
          submit: (document, principal, options = { dryRun: false }) =>
            Metrics.outcomes(submit(document, principal, options), documents.of, (result) =>
              countTaken(document, result, options)),
          record: Effect.fn("Intake.record")(function*(id, principal) {
            const missing = (id: string) =>
              new DocumentNotFound({ id })
            return documentRecordView(yield* visible(id, principal, store.findRecord, missing))
          }),
          records: Effect.fn("Intake.records")(function*(query, principal) {
            const place = placeOf(query)
            yield* checkPlace(directory, principal, place)
            const filter = {
              ...place,
              shipmentNumber: filled(query.shipmentNumber),
              orderNumber: filled(query.orderNumber),
              correlationId: filled(query.correlationId),
              outcome: filled(query.outcome),
              from: Timestamp.parse(query.from ?? ""),
              to: Timestamp.parse(query.to ?? "")
            }
            const page = yield* store.listRecords(readScopes(principal), filter, pageRequest(query))
            return mapPage(page, documentRecordView)
          })
        })
      })
    )
}
