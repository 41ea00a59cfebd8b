/**
 * Document intake: the service that every adapter calls to submit a document, and to read the record of documents (D13.6).
 *
 * Guarantee: a document is all or nothing, and a call returns after the store has committed it. The order of refusals is too many items,
 * unknown business or facility, permission, dock, conflicts (D3.9), the precondition, too little memory for the answer.
 */
import { Context, Effect, Layer, Result } from "effect"
import { canRead, readScopes } from "../access/Access.ts"
import type { AuthorizedCall, Principal } from "../access/Access.ts"
import { keepRefusal, keepView, NotRun } from "../access/Idempotency.ts"
import type { Keep } from "../access/Idempotency.ts"
import type * as Operation from "../access/Operation.ts"
import { AnswerMemory, memoryCheck } from "../access/RequestLimits.ts"
import * as Authorize from "../places/Authorize.ts"
import { checkPlace, filledLpn, filledOrUndefined, placeOf, visible } from "../places/ListQuery.ts"
import { Directory } from "../places/Place.ts"
import { ReportedTimes } from "../shipment/CheckIn.ts"
import { answerTextOf } from "../shipment/ShipmentSize.ts"
import { DocumentNotFound, InvalidParameter, TooManyItems } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as Metrics from "../values/Metrics.ts"
import { mapPage, newestPage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import * as RequestLog from "../values/RequestLog.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { decide, decideAlongside, decideIf } from "./Decision.ts"
import type { Alongside, AlongsideRefusal } from "./Decision.ts"
import { itemCount } from "./Document.ts"
import type { Document, IntakeError } from "./Document.ts"
import { defaultItemLimit, UnreadableDocument } from "./DocumentInput.ts"
import type { DocumentReadFailure } from "./DocumentInput.ts"
import type { listDocuments } from "./DocumentOperations.ts"
import type { DocumentPrecondition } from "./DocumentPrecondition.ts"
import { DocumentRecordConfig, documentRecordView, IntakeStore } from "./DocumentRecord.ts"
import type { DocumentRecordView, IntakeTransaction } from "./DocumentRecord.ts"
import { intakeResult, notesOf, outcome } from "./Outcome.ts"
import type { IntakeResult } from "./Outcome.ts"
import { itemsAfter } from "./Plan.ts"
import type { Plan, Snapshot } from "./Plan.ts"
import { Strategies } from "./Strategy.ts"

/** Options of processing a document. */
export interface SubmitOptions {
  /** Write nothing, and give the answer of the real run, with empty ids for the entities that it would create (D5.3). */
  readonly dryRun: boolean
  /** The condition on the stored shipment and orders (D20.4). */
  readonly precondition?: DocumentPrecondition | undefined
}

/** A document, and the parts of its request that are decided together with it. */
export interface DocumentAlongside {
  readonly document: Document
  readonly also: Alongside
}

/** {@link SubmitOptions}, with the {@link Keep} of an answer `A`. */
export interface KeepingOptions<in A, out F> extends SubmitOptions {
  readonly keep?: Keep<A, F> | undefined
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
  "Documents by outcome; those that could not be read count as refused",
  [["outcome", ["created", "updated", "unchanged", "dry_run", ...Metrics.refusals]]]
)

const items = Metrics.counter("dockline_document_items_total", "Items of the accepted documents", [])

/** Counts an accepted document by its outcome. */
const countAccepted = (
  document: Document,
  { created, removed, updated }: IntakeResult,
  { dryRun }: SubmitOptions
): Effect.Effect<void> => {
  if (dryRun) return Metrics.update(documents.of("dry_run"), 1)
  const change = updated.length + removed.length > 0 ? "updated" : "unchanged"
  return Effect.andThen(
    Metrics.update(documents.of(created.length > 0 ? "created" : change), 1),
    Metrics.update(items.of(), itemCount(document))
  )
}

/** The result of a document, as its client sees it. */
const view = (document: Document) => ({ ids, plan, snapshot }: IntakeTransaction) =>
  // `decide` refuses unknown businesses and facilities, so neither is `null` here.
  Result.succeed(
    intakeResult(
      outcome(snapshot, plan, ids),
      { business: snapshot.business!, facility: snapshot.facility! },
      notesOf(document, plan)
    )
  )

/** The filters and the page of the record of documents. */
export type RecordQuery = Operation.Query<typeof listDocuments>

/** Document intake. */
export class Intake extends Context.Service<Intake, {
  /** Processes a document on behalf of a client. */
  readonly submit: <F = never>(
    document: Document,
    principal: Principal,
    options?: KeepingOptions<IntakeResult, F>
  ) => Effect.Effect<IntakeResult, IntakeError | F>
  /**
   * Reads and processes a document. An unreadable document is refused, and recorded if it names a place where the client may send and see
   * documents (D13.6).
   */
  readonly receive: <E = never, F = never>(
    read: Effect.Effect<Document, DocumentReadFailure<E>>,
    principal: Principal,
    options?: KeepingOptions<IntakeResult, F>
  ) => Effect.Effect<IntakeResult, IntakeError | E | F>
  /** Does the same as `receive` for a document and the other parts of its request, all or nothing (D17.2, D17.3). */
  readonly receiveAlongside: <E = never, F = never>(
    read: Effect.Effect<DocumentAlongside, DocumentReadFailure<E>>,
    principal: Principal,
    options?: Omit<KeepingOptions<IntakeResult, F>, "precondition">
  ) => Effect.Effect<IntakeResult, IntakeError | AlongsideRefusal | E | F>
  /** The recorded document with this id. A document that the client may not see counts as missing. */
  readonly record: AuthorizedCall<[id: string], DocumentRecordView, DocumentNotFound | StorageUnavailable>
  /** The recorded documents at places that the client may see, newest first. */
  readonly records: AuthorizedCall<
    [query: RecordQuery],
    Page<DocumentRecordView>,
    Authorize.PlaceError | InvalidParameter
  >
}>()("@dockline/core/document/Intake") {
  /** Intake over the stores, with its limits. */
  static readonly layer = (
    config: IntakeConfig = defaultIntakeConfig
  ): Layer.Layer<Intake, never, IntakeStore | Directory> =>
    Layer.effect(
      Intake,
      Effect.gen(function*() {
        const store = yield* IntakeStore
        const directory = yield* Directory
        const strategies = yield* Strategies
        const times = yield* ReportedTimes
        const { retentionMillis } = yield* DocumentRecordConfig

        /**
         * The sender of a document, if the document is to be recorded. A document is not recorded if its client may not see the place.
         */
        const senderOf = Effect.fnUntraced(
          function*({ business, facility }: Document, principal: Principal, dryRun: boolean) {
            if (retentionMillis === 0 || dryRun || !canRead(principal, business, facility)) return undefined
            return { clientId: principal.clientId, correlationId: yield* RequestLog.correlationId }
          }
        )

        const submit = TraceContext.withSpan(
          "Intake.submit",
          Effect.fnUntraced(function*<F, E>(
            document: Document,
            decideDocument: (document: Document, snapshot: Snapshot) => Result.Result<Plan, E>,
            principal: Principal,
            { dryRun, keep, precondition }: KeepingOptions<IntakeResult, F>
          ) {
            if (itemCount(document) > config.itemLimit) {
              return yield* new TooManyItems({ limit: config.itemLimit })
            }
            yield* Authorize.permission(directory, principal, "documents:write", document)
            const checkMemory = memoryCheck(yield* AnswerMemory)
            const sender = yield* senderOf(document, principal, dryRun)
            const decideWithMemory = (snapshot: Snapshot) =>
              checkMemory(
                decideDocument(document, snapshot),
                (plan) => answerTextOf(plan.shipment.shipment, itemsAfter(snapshot, plan))
              )
            return yield* keepView(
              keep,
              view(document),
              (keep) => store.transact(document, decideWithMemory, { dryRun, keep, precondition, sender })
            )
          })
        )

        const refuse = Effect.fn("Intake.refuse")(
          function*<E, F>(
            { error, names: document }: UnreadableDocument<E>,
            principal: Principal,
            { dryRun, keep }: KeepingOptions<IntakeResult, F>
          ) {
            const sender = yield* senderOf(document, principal, dryRun)
            if (sender === undefined) return
            yield* Authorize.permission(directory, principal, "documents:write", document)
            yield* store.transact(document, () => Result.fail(error), {
              dryRun,
              sender,
              keep: keepRefusal(keep)
            })
          },
          (effect, { error }) =>
            Effect.andThen(
              Effect.catch(
                effect,
                (error) => error instanceof NotRun ? Effect.fail(error as typeof error) : Effect.void
              ),
              Effect.fail(error)
            )
        )

        const submitAndCount = <F, E>(
          document: Document,
          decideDocument: (document: Document, snapshot: Snapshot) => Result.Result<Plan, E>,
          principal: Principal,
          options: KeepingOptions<IntakeResult, F>
        ) =>
          Metrics.outcomes(submit(document, decideDocument, principal, options), documents.of, (result) =>
            countAccepted(document, result, options))

        const decideAlone = ({ precondition }: SubmitOptions) => (document: Document, snapshot: Snapshot) =>
          precondition === undefined
            ? decide(document, snapshot, strategies)
            : decideIf(document, precondition, snapshot, strategies)

        const readOrRefuse = <A, E, F>(
          read: Effect.Effect<A, DocumentReadFailure<E>>,
          principal: Principal,
          options: KeepingOptions<IntakeResult, F>
        ) =>
          Effect.catch(read, (failure) =>
            failure instanceof UnreadableDocument
              ? refuse(failure, principal, options)
              : Effect.fail(failure))

        return Intake.of({
          submit: (document, principal, options = { dryRun: false }) =>
            submitAndCount(document, decideAlone(options), principal, options),
          receive: (read, principal, options = { dryRun: false }) =>
            Effect.flatMap(
              readOrRefuse(read, principal, options),
              (document) =>
                submitAndCount(document, decideAlone(options), principal, options)
            ),
          receiveAlongside: (read, principal, options = { dryRun: false }) =>
            Effect.flatMap(readOrRefuse(read, principal, options), ({ also, document }) => {
              const decideDocument = (document: Document, snapshot: Snapshot) =>
                decideAlongside(document, also, snapshot, { strategies, times })
              return submitAndCount(document, decideDocument, principal, {
                ...options,
                precondition: also.precondition
              })
            }),
          record: Effect.fn("Intake.record")(function*(id, principal) {
            const missing = (id: string) =>
              new DocumentNotFound({ id })
            return documentRecordView(yield* visible(id, principal, store.findRecord, missing))
          }),
          records: Effect.fn("Intake.records")(function*(query, principal) {
            const place = placeOf(query)
            if (
              filledOrUndefined(query.lpn) !== undefined && filledOrUndefined(query.orderNumber) !== undefined
            ) {
              const detail = "cannot be combined with lpn"
              return yield* new InvalidParameter({ errors: [{ path: "orderNumber", detail }] })
            }
            yield* checkPlace(directory, principal, place)
            const filter = {
              ...place,
              shipmentNumber: filledOrUndefined(query.shipmentNumber),
              orderNumber: filledOrUndefined(query.orderNumber),
              correlationId: filledOrUndefined(query.correlationId),
              outcome: filledOrUndefined(query.outcome),
              removed: query.removed,
              lpn: filledLpn(query.lpn),
              from: Timestamp.parse(query.from ?? ""),
              to: Timestamp.parse(query.to ?? "")
            }
            const page = yield* store.listRecords(
              readScopes(principal),
              filter,
              yield* Effect.fromResult(newestPage(query))
            )
            return mapPage(page, documentRecordView)
          })
        })
      })
    )
}
