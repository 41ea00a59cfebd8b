/** What lists cost on PostgreSQL: what they show, whatever else there is of this tenant and of others. */
import { discrepanciesOf } from "@dockline/core/Discrepancies"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { fill, largest, largestShipment, settle } from "../../../bench/src/lists/Tenants.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { cases, limit } from "./ListCases.ts"
import type { Case } from "./ListCases.ts"

const size = { shipments: 12_000, tenants: 300, endpoints: 100 }

/** Rows and index entries, of all tables, for each entry of a page: its items and what it refers to among them. */
const rowsOf: Readonly<Record<keyof Effect.Success<typeof cases>, number>> = {
  shipments: 30,
  documents: 12,
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

/** Reads of one shipment that cost more rows than they may, whatever else there is. */
const dearOfShipments = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const store = yield* ShipmentStore
  const [ids] = yield* sql<{ readonly large: number; readonly usual: number }>`select
    (select id from dockline.shipment where number = 'LARGEST')::int as large,
    (select s.id from dockline.shipment s join dockline.facility f on f.id = s.facility_id
      where f.slug = 'main' and s.number = 'S-2')::int as usual`
  const { large, usual } = ids!
  const page = 40 + rowsOf.shipments * (limit + 1)
  const found: Array<string> = []
  for (
    const [name, effect, most] of [
      ["pallets of a usual shipment", store.palletsOf(usual, { limit, after: 0 }), page],
      ["pallets of the largest one", store.palletsOf(large, { limit, after: 0 }), page],
      ["a deep page", store.palletsOf(large, { limit, after: 1_000_000_000 + largest - limit }), page],
      ["a pallet of the largest one", store.palletsOf(large, { limit: 1, after: 1_000_005_000 }), page],
      ["discrepancies of a usual shipment", store.track(usual), page],
      // An item, a pallet, and who else expects it, each with its entry of an index.
      ["discrepancies of the largest one", store.track(large), 40 + 4 * 2 * largest],
      ["progress of a usual shipment", store.find(usual), page],
      ["progress of the largest one", store.find(large), 40 + 1.5 * 2 * largest]
    ] as const
  ) {
    const rows = yield* read(effect)
    if (rows > most) found.push(`${name}: ${rows} rows, ${most} at most`)
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

    it.effect(
      "of one shipment is that of what they show: of the largest one too, and beside it",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const unknown = yield* sql.withTransaction(Effect.gen(function*() {
            yield* sql`set local plan_cache_mode = force_generic_plan`
            for (const statement of largestShipment) yield* sql.unsafe(statement)
            return yield* dearOfShipments
          }))
          yield* sql.unsafe(settle)
          const known = yield* sql.withTransaction(dearOfShipments)
          assert.deepStrictEqual({ unknown, known }, { unknown: [], known: [] })
          const store = yield* ShipmentStore
          const [{ id } = { id: 0 }] = yield* sql<
            { readonly id: number }
          >`select id::int from dockline.shipment where number = 'LARGEST'`
          // What was read is what is there: half is short, half is on the wrong truck.
          const { tracking } = (yield* store.track(id))!
          const kinds = discrepanciesOf(tracking).map(({ kind }) => kind)
          assert.deepStrictEqual(
            ["SHORT", "WRONG_SHIPMENT", "OVER"].map((kind) => kinds.filter((each) => each === kind).length),
            [largest / 2, largest / 2, 0]
          )
        }),
      120_000
    )
  }
)
