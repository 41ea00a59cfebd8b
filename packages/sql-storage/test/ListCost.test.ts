/** What lists cost on PostgreSQL: what they show, whatever else there is of this tenant and of others. */
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { fill, settle } from "../../../bench/src/lists/Tenants.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { cases, limit } from "./ListCases.ts"
import type { Case } from "./ListCases.ts"

const size = { shipments: 12_000, tenants: 300, endpoints: 100 }

/** Rows and index entries, of all tables, for each entry of a page: its items and what it refers to among them. */
const rowsOf: Readonly<Record<keyof Effect.Success<typeof cases>, number>> = {
  shipments: 30,
  directory: 4,
  clients: 6,
  audit: 4,
  endpoints: 12,
  deliveries: 4,
  log: 3
}

const allowed = (kind: keyof typeof rowsOf, { streams }: Case): number =>
  40 + rowsOf[kind] * (limit + 1) + 12 * streams

/** How many rows and index entries an effect reads, one after another. */
const read = Effect.fnUntraced(function*(effect: Effect.Effect<unknown, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const count = sql<{ readonly read: number }>`select
      ((select sum(seq_tup_read) from pg_stat_xact_user_tables where schemaname = 'dockline')
      + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
        where schemaname = 'dockline'))::int as read`
  const [before] = yield* count
  yield* effect
  return (yield* count)[0]!.read - before!.read
})

/** The pages that cost more than they may, on one connection. */
const tooDear = Effect.gen(function*() {
  const found: Array<string> = []
  for (const [kind, lists] of Object.entries(yield* cases)) {
    for (const [list, pages] of Object.entries(lists)) {
      for (const page of pages as ReadonlyArray<Case>) {
        const rows = yield* read(page.page)
        const most = allowed(kind as keyof typeof rowsOf, page)
        if (rows > most) found.push(`${kind}.${list}: ${page.name}: ${rows} rows, ${most} at most`)
      }
    }
  }
  return found
})

layer(Sql.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })(
  "the cost of lists on PostgreSQL",
  (it) => {
    it.effect(
      "is that of what they show, also where they were planned for empty tables",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          // In one transaction, so that nobody else can tell the planner meanwhile what there is.
          const unknown = yield* sql.withTransaction(Effect.gen(function*() {
            yield* sql`set local plan_cache_mode = force_generic_plan`
            yield* tooDear
            for (const statement of fill(size)) yield* sql.unsafe(statement)
            return yield* tooDear
          }))
          yield* sql.unsafe(settle)
          const known = yield* sql.withTransaction(tooDear)
          assert.deepStrictEqual({ unknown, known }, { unknown: [], known: [] })
        }),
      120_000
    )
  }
)
