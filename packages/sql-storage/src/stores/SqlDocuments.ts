/** The record of documents on PostgreSQL: its reads, and its end. `IntakeBatch` writes it. */
import type { ReadScope } from "@dockline/core/access/Access"
import { DocumentRecordConfig } from "@dockline/core/document/IntakeStore"
import type { IntakeStore, RecordFilter } from "@dockline/core/document/IntakeStore"
import { cursorOf, cutPage, mapPage, pageBudget } from "@dockline/core/values/Page"
import type { NewestPageRequest } from "@dockline/core/values/Page"
import { Effect, Schema } from "effect"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { DocumentBody, rowOutcomes, toRecord } from "../rows/DocumentRows.ts"
import { lpnIndexKey } from "../rows/IndexKey.ts"
import { keyOf, listsOf, placesBetween, placesOf, readsOf } from "../rows/ListArguments.ts"
import { whole } from "../rows/RowFields.ts"
import * as Cleanup from "./Cleanup.ts"

/** The most documents that one statement drops. */
const dropBatch = 1000

/** The documents of a page with their sizes: rows, text, and the document. */
const page = Schema.Array(Schema.Tuple([whole, whole, DocumentBody]))

/** Makes the reads of the record of documents, and drops documents that were recorded for long enough until the scope closes. */
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
