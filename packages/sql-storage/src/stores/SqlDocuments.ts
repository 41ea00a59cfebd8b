/** The record of documents on PostgreSQL: its reads, and its end. `IntakeBatch` writes it. */
import type { ReadScope } from "@dockline/core/Access"
import { DocumentRecordConfig } from "@dockline/core/IntakeStore"
import type { IntakeStore, RecordFilter } from "@dockline/core/IntakeStore"
import { cutPage, mapPage, pageBudget } from "@dockline/core/Page"
import type { PageRequest } from "@dockline/core/Page"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { Lending, loans } from "../connections/Loan.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { rowOutcomes, toRecord } from "../rows/DocumentRows.ts"
import type { DocumentBody } from "../rows/DocumentRows.ts"
import { businessOf, keyOf, placesOf, readsOf } from "../rows/ListArguments.ts"
import * as Cleanup from "./Cleanup.ts"

/** The most documents that one statement drops. */
const dropBatch = 1000

/** Drops documents when they have been recorded for long enough, until the scope closes. */
const cleanup = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const lend = yield* Lending
  const { retentionMillis } = yield* DocumentRecordConfig
  const onItsOwn = lend({ lane: "requests" })
  const cutoff = Effect.map(Timestamp.now, (now) => Timestamp.fromMillis(Date.parse(now) - retentionMillis))
  const look = Effect.flatMap(cutoff, (cutoff) =>
    Effect.map(
      sql`select from dockline.document_oldest() as oldest where oldest < ${cutoff}::timestamptz`,
      (rows) => rows.map(() => "all")
    ))
  const drop = Effect.flatMap(cutoff, (cutoff) =>
    Effect.map(
      sql<{ readonly dropped: number }>`select dockline.document_drop(
        ${cutoff}::timestamptz, ${dropBatch}::int) as dropped`,
      ([row]) => ({ dropped: row!.dropped, next: row!.dropped < dropBatch ? null : 1 })
    ))
  yield* Cleanup.run("documents", {
    look: operation(onItsOwn(look)),
    drop: () => operation(onItsOwn(repeatConflicts(drop)))
  })
})

/** The reads of the record of documents. */
export const reads = Effect.gen(function*() {
  yield* cleanup
  const sql = yield* SqlClient.SqlClient
  const operation = yield* operations
  const loan = yield* loans

  const find = (id: number) =>
    Effect.map(
      sql<
        { readonly body: DocumentBody | null }
      >`select dockline.document_shown(${id}::bigint) as body`,
      ([row]) => row!.body === null ? null : toRecord(row!.body)
    )

  const list = (scopes: ReadonlyArray<ReadScope>, filter: RecordFilter, { after, limit }: PageRequest) =>
    Effect.map(
      sql<{ readonly page: ReadonlyArray<readonly [rows: number, text: number, body: DocumentBody]> }>`
        select dockline.document_page(${placesOf(scopes, filter)}::text::json,
          ${keyOf(filter.shipmentNumber)}::text,
          ${keyOf(filter.orderNumber)}::text, ${filter.correlationId ?? null}::text,
          ${keyOf(filter.lpn)}::text,
          ${rowOutcomes(filter.outcome, filter.removed)}::text[],
          ${filter.outcome === undefined && filter.removed !== true}::boolean,
          ${filter.from ?? null}::timestamptz, ${filter.to ?? null}::timestamptz, ${after}::bigint,
          ${limit + 1}::int,
          ${pageBudget.rows}::int, ${pageBudget.text}::int) as page`,
      ([row]) =>
        mapPage(
          cutPage(row!.page, limit, ([rows, text, body]) => ({ id: String(body[2]), rows, text })),
          ([, , body]) => toRecord(body)
        )
    )

  const service: Pick<IntakeStore["Service"], "findRecord" | "listRecords"> = {
    findRecord: (id, reader) => measured("read_documents")(operation(loan(readsOf(reader))(find(id)))),
    listRecords: (scopes, filter, page) =>
      measured("read_documents")(
        operation(
          loan({ ...readsOf(scopes), business: businessOf(scopes, filter) })(list(scopes, filter, page))
        )
      )
  }
  return service
})
