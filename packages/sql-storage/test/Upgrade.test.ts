/**
 * A database with messages in it is brought from the schema before traces to the newest one: what it holds is read as
 * before, an instance that does not know of traces yet goes on writing, and reading costs what it did.
 */
import * as Migrations from "@dockline/sql-storage/Migrations"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import intake from "../src/migrations/0001_intake.ts"
import access from "../src/migrations/0002_access.ts"
import messages from "../src/migrations/0003_messages.ts"
import movement from "../src/migrations/0004_movement.ts"
import webhooks from "../src/migrations/0005_webhooks.ts"

const messageCount = 100_000
const now = "2026-11-21T12:00:00Z"

/** A business with an endpoint and messages, on a schema that knows no traces. */
const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.business (slug, name) values ('acme', 'Acme')`
  yield* sql`insert into dockline.facility (business_id, slug, name)
    select b.id, place, place from dockline.business b, unnest(array['east', 'west']) as place`
  yield* sql`select setval('dockline.message_id', ${messageCount}::bigint)`
  yield* sql`insert into dockline.message_log (business_id, last_id, last_sent_at)
    select id, ${messageCount}::bigint, ${now}::timestamptz from dockline.business`
  yield* sql`insert into dockline.message
      (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select f.business_id, n, f.id, f.slug, case when n % 100 = 0 then 'SHIPMENT_COMPLETE' else 'PALLET_EVENT' end, n / 10,
      ${now}::timestamptz - make_interval(secs => ${messageCount} - n), 9, format('{"n":%s}', n)::json
    from generate_series(1, ${messageCount}::int) as n
    join dockline.facility f on f.slug = case when n % 3 = 0 then 'west' else 'east' end`
  yield* sql`insert into dockline.webhook_endpoint (business_id, base_url, message_types, authentication,
      signing_secrets, enabled, disabled_reason, cursor_id, created_at)
    select id, 'https://acme.test', array['PALLET_EVENT'], '{"type":"none"}', '[]', true, 'NONE', 99000, ${now}::timestamptz
    from dockline.business`
  yield* sql`insert into dockline.webhook_delivery
      (endpoint_id, message_id, type, shipment_id, status, tries, attempts, next_attempt_at)
    select e.id, n, 'PALLET_EVENT', n / 10, 'PENDING', 1, '[]', ${now}::timestamptz
    from dockline.webhook_endpoint e, generate_series(50001, 50050) as n`
  yield* sql.unsafe("analyze")
})

/** What each kind of reader is given, and the rows that it took to find. */
const readings = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = (facility: string | null, types: ReadonlyArray<string>) =>
    sql`select dockline.message_read('acme', ${facility}::text, ${types}::text[], 90000, null, 500, 1000000) as text`
  const take = sql`select taken as text from dockline.webhook_take(
    (select json_build_array(json_build_object('endpoint', id, 'epoch', epoch, 'version', 0, 'after', cursor_id,
      'taken', '{}', 'room', 200, 'text', 1000000)) from dockline.webhook_endpoint), ${now}::timestamptz) as taken`
  const rows = sql<{ readonly index: number; readonly whole: number }>`select
    sum(pg_stat_get_xact_tuples_returned(i.indexrelid))::int as index,
    (select sum(seq_tup_read)::int from pg_stat_xact_user_tables where relname in ('message', 'webhook_delivery')) as whole
    from pg_stat_user_indexes i where i.relname in ('message', 'webhook_delivery')`
  return yield* Effect.forEach(
    [
      read(null, ["PALLET_EVENT", "SHIPMENT_COMPLETE"]),
      read("west", ["PALLET_EVENT"]),
      read(null, ["SHIPMENT_COMPLETE"]),
      take
    ],
    (reading) =>
      sql.withTransaction(Effect.gen(function*() {
        const [before] = yield* rows
        const text = yield* reading
        const [after] = yield* rows
        return { text, index: after!.index - before!.index, whole: after!.whole - before!.whole }
      }))
  )
})

const append = (draft: ReadonlyArray<unknown>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`select dockline.message_append_named(${JSON.stringify([draft])}::text::json, ${now}::timestamptz)`
  )

const newestMessage = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<
      { readonly trace: string | null; readonly page: string }
    >`select m.trace, dockline.message_read('acme', null,
    array['PALLET_EVENT'], m.id - 1, null, 1, 1000) as page from dockline.message m order by m.id desc limit 1`
)

layer(TestDatabase.layerEmpty, { excludeTestServices: true })(
  "a schema without traces",
  (it) => {
    it.effect(
      "is brought to the newest one with all its messages, read as before, at no higher cost",
      () =>
        Effect.gen(function*() {
          yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create schema dockline`)
          yield* Migrator.make({})({
            loader: Migrator.fromRecord({
              "0001_intake": intake,
              "0002_access": access,
              "0003_messages": messages,
              "0004_movement": movement,
              "0005_webhooks": webhooks
            }),
            table: Migrations.migrationsTable
          })
          yield* fill
          const before = yield* readings
          const ran = (yield* Migrations.migrate).map(([id]) => id)
          assert.deepStrictEqual([ran[0], ran.at(-1)], [6, Migrations.newest])
          const after = yield* readings
          assert.deepStrictEqual(after.map(({ text }) => text), before.map(({ text }) => text))
          for (const [n, { index, whole }] of after.entries()) {
            assert.isAtMost(index, before[n]!.index)
            assert.isBelow(index, 2500)
            assert.strictEqual(whole, 0)
          }
        }),
      60_000
    )

    it.effect("may still be written by an instance that knows no traces, after it has been changed", () =>
      Effect.gen(function*() {
        const trace = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
        yield* append(["acme", "east", "PALLET_EVENT", 1, "{}"])
        const [plain] = yield* newestMessage
        assert.isNull(plain!.trace)
        assert.notInclude(plain!.page, "null")
        yield* append(["acme", "east", "PALLET_EVENT", 1, "{}", trace])
        const [traced] = yield* newestMessage
        assert.strictEqual(traced!.trace, trace)
        assert.include(traced!.page, `{},"${trace}"]`)
      }))
  }
)
