/**
 * Intake on PostgreSQL: documents that wait at the same time share a transaction of two statements (ADR 21).
 *
 * Guarantee: documents that share a number at a facility behave as if they came one after another; in this process, in the order of
 * arrival. A document that is refused or fails affects no other document. A document gets its own transaction if another transaction holds
 * one of its locks, if it is large, or if its batch failed. The answer of a request with a key is kept in the transaction of its document.
 *
 * The record of documents is written with them, read here, and dropped once it has expired.
 */
import type { ReadScope } from "@dockline/core/access/Access"
import { itemCount } from "@dockline/core/document/Document"
import type { Document } from "@dockline/core/document/Document"
import * as DocumentPrecondition from "@dockline/core/document/DocumentPrecondition"
import { DocumentRecordConfig, IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { IntakeTransaction, RecordFilter, TransactOptions } from "@dockline/core/document/DocumentRecord"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { cursorOf, cutPage, mapPage, pageBudget } from "@dockline/core/values/Page"
import type { NewestPageRequest } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as BatchTransactions from "../connections/BatchTransactions.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations, turnOfNumber } from "../connections/StoreOperations.ts"
import {
  businessId,
  keyOf,
  listsOf,
  lpnIndexKey,
  placesBetween,
  placesOf,
  readsOf
} from "../rows/BusinessRows.ts"
import { DocumentBody, rowOutcomes, toRecord } from "../rows/DocumentRows.ts"
import { whole } from "../rows/RowFields.ts"
import * as Cleanup from "./Cleanup.ts"
import * as IntakeBatch from "./IntakeBatch.ts"
import * as KeptAnswers from "./KeptAnswers.ts"

/** The most documents that one statement drops. */
const dropBatch = 1000

/** The documents of a page with their sizes: rows, text, and the document. */
const page = Schema.Array(Schema.Tuple([whole, whole, DocumentBody]))

/** Makes the functions that read the record of documents. Until the scope closes, expired records are dropped. */
export const reads = Effect.gen(function*() {
  const means = yield* operations
  const { call, read, sql, write } = means
  const { retentionMillis } = yield* DocumentRecordConfig

  yield* Cleanup.run("documents", {
    since: Cleanup.cutoff(means, retentionMillis),
    look: (since) =>
      write()(Effect.map(
        sql`select from dockline.document_oldest() as oldest where oldest < ${since}::timestamptz`,
        (rows) => rows.map(() => "all")
      )),
    drop: (_key, _after, since) =>
      write()(Effect.map(
        call(whole)`dockline.document_drop(${since}, ${dropBatch})`,
        (count) => Cleanup.batchOf(count, dropBatch)
      ))
  })

  const find = (id: number) =>
    Effect.map(
      call(Schema.NullOr(DocumentBody))`dockline.document_shown(${id})`,
      (body) => body && toRecord(body)
    )

  const list = (
    scopes: ReadonlyArray<ReadScope>,
    filter: RecordFilter,
    { after, limit }: NewestPageRequest
  ) => {
    const [first, last] = placesBetween(after, filter)
    return Effect.map(
      call(page)`dockline.document_page(
        ${placesOf(scopes, filter)}, ${keyOf(filter.shipmentNumber)}, ${keyOf(filter.orderNumber)},
        ${filter.correlationId ?? null}, ${filter.lpn === undefined ? null : lpnIndexKey(filter.lpn)},
        ${rowOutcomes(filter.outcome, filter.removed)},
        ${filter.outcome === undefined && filter.removed !== true}, ${first}, ${last},
        ${limit + 1}, ${pageBudget.rows}, ${pageBudget.text})`,
      (entries) =>
        mapPage(
          cutPage(
            entries,
            limit,
            ([rows, text, body]) => ({ id: cursorOf({ at: body[3], id: body[2] }), rows, text })
          ),
          ([, , body]) => toRecord(body)
        )
    )
  }

  return {
    findRecord: (id, reader) => measured("read_documents")(read(readsOf(reader))(find(id))),
    listRecords: (scopes, filter, page) =>
      measured("read_documents")(read(listsOf(scopes, filter))(list(scopes, filter, page)))
  } satisfies Pick<IntakeStore["Service"], "findRecord" | "listRecords">
})

/** The most orders whose numbers a document locks one by one; a larger document locks its whole facility. */
const manyOrders = 32

/** The limits of a batch. Its keys are numbers, each of which has a lock. */
const most = { jobs: 32, keys: 256, size: IntakeBatch.manyItems }

/** A document, and how its answer is kept. */
interface KeyedDocument extends IntakeBatch.DocumentJob, KeptAnswers.KeyedWork<IntakeTransaction> {}

interface Job extends BatchTransactions.Job, KeyedDocument {}

const keysOf = ({ business, facility, orders, shipmentNumber }: Document): ReadonlyArray<string> => {
  const numbers = new Set([shipmentNumber, ...orders.map(({ orderNumber }) => orderNumber)])
  return Array.from(numbers, (number) => `${business}\0${facility}\0${number}`)
}

const jobOf = (job: KeyedDocument): Job => {
  const { document } = job
  const size = itemCount(document)
  return {
    ...job,
    holder: document.business,
    business: businessId(document.business),
    keys: keysOf(document),
    size,
    alone: size > IntakeBatch.manyItems || document.orders.length > manyOrders
  }
}

/** Intake on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<IntakeStore, never, SqlClient.SqlClient> = Layer.effect(
  IntakeStore,
  Effect.gen(function*() {
    const means = yield* operations
    const submit = yield* BatchTransactions.make<Job, IntakeTransaction>(means, {
      most,
      work: IntakeBatch.make(means),
      keeping: KeptAnswers.make(means).keeping,
      turnOf: ({ document }) => turnOfNumber(document)
    })

    const transact = <E, F>(
      document: Document,
      decide: IntakeBatch.DocumentJob["decide"],
      { dryRun, keep, precondition = {}, sender }: TransactOptions<F>
    ) =>
      Effect.gen(function*() {
        const givenNow = yield* Timestamp.givenNow
        const needsNumbersInUse = DocumentPrecondition.needsNumbersInUse(precondition)
        const done = submit(
          jobOf({ document, decide, needsNumbersInUse, dryRun, sender, keep, givenNow })
        )
        // The effect fails only with the errors of the decision and of keeping the answer.
        return yield* done as Effect.Effect<IntakeTransaction, E | F | StorageUnavailable>
      })

    return IntakeStore.of({
      transact: (document, decide, options) => measured("document")(transact(document, decide, options)),
      ...(yield* reads)
    })
  })
)
