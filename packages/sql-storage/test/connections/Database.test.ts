import * as Planner from "@dockline/sql-storage/connections/Planner"
import { refine } from "@dockline/sql-storage/connections/StorageErrors"
import { Lending } from "@dockline/sql-storage/connections/StoreOperations"
import { halfDistributed } from "@dockline/sql-storage/schema/cluster/Layout"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as SqlCapability from "@dockline/sql-storage/schema/SqlCapability"
import { assert } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over, test } from "../../../../test/support/Tests.ts"

const sqlError = new SqlError.SqlError({
  reason: new SqlError.UnknownError({ cause: new Error("rollback") })
})

test("of an interrupted operation only the interruption comes out", function*() {
  const cause = Cause.combine(Cause.interrupt(1), Cause.fail(sqlError))
  const exit = yield* Effect.exit(refine(Effect.failCause(cause)))
  assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
})

over(TestDatabase.layerEmpty)("the planner", (test) => {
  const settings = SqlClient.SqlClient.use((sql) =>
    sql<{ readonly name: string; readonly setting: string }>`select name, setting from pg_settings
      where ${sql.in("name", [...Object.keys(Planner.settings), "plan_cache_mode"])}`
  ).pipe(Effect.map((rows) => Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))))
  const ourSettings = { ...Planner.settings, plan_cache_mode: "force_generic_plan" }

  test("is held to indexes on the connections of every lane", function*() {
    const sql = yield* SqlClient.SqlClient
    const lend = yield* Lending
    assert.deepStrictEqual(yield* settings, ourSettings)
    assert.deepStrictEqual(yield* sql.withTransaction(settings), ourSettings)
    for (const lane of ["requests", "reads", "dispatch"] as const) {
      assert.deepStrictEqual(yield* lend({ lane })(settings), ourSettings, lane)
    }
  })

  test("is free in migrations, and held again afterwards", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.migrateWith([SqlCapability.make("planner", {
      stores: Layer.empty,
      migrations: {
        "1_settings": [`create table dockline.setting_then as select name, setting from pg_settings
          where name in ('${Object.keys(ourSettings).join("', '")}')`]
      },
      functions: []
    })])
    const rows = yield* sql<{ readonly setting: string }>`select distinct setting from dockline.setting_then
      order by setting`
    assert.deepStrictEqual(rows.map(({ setting }) => setting), ["auto", "on"])
    assert.deepStrictEqual(yield* sql.withTransaction(settings), ourSettings)
    yield* sql`drop schema dockline cascade`
  })
})

over(TestDatabase.layerEmpty)("an empty database", (test) => {
  test("is ready only when the newest migration has run", function*() {
    assert.strictEqual((yield* Effect.flip(Migrations.ping))._tag, "StorageUnavailable")
    yield* Migrations.migrate
    yield* Migrations.ping
  })

  test("is not ready while it is half distributed", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.migrate
    yield* sql.unsafe(`comment on schema dockline is '${halfDistributed}'`)
    assert.match(
      (yield* Effect.flip(Migrations.ping)).message,
      /let dockline-server migrate --distribute run/
    )
    yield* sql`comment on schema dockline is ''`
    yield* Migrations.ping
  })

  test("is used, and left as it is, when a newer version has extended it", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.migrate
    yield* TestDatabase.migrateBeyond(Migrations.newest)
    yield* sql`drop function dockline.message_append_named`
    assert.deepStrictEqual(yield* Migrations.migrate, [])
    yield* Migrations.ping
    const [row] = yield* sql`select to_regproc('dockline.message_append_named') as name`
    assert.deepStrictEqual(row, { name: null })
    yield* sql`drop schema dockline cascade`
  })

  test("is refused, and left as it is, when a newer version has taken from it", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.migrate
    yield* TestDatabase.migrateBeyond(Migrations.newest + 1)
    const rows = sql`select * from ${sql(Migrations.migrationsTable)} order by migration_id`
    const before = yield* rows
    const error = yield* Effect.flip(Migrations.migrate)
    assert.deepInclude(error, {
      _tag: "SchemaNewer",
      number: Migrations.newest + 1,
      newest: Migrations.newest
    })
    assert.match(error.message, /start the newer version, or restore the backup that was made before it$/)
    assert.deepStrictEqual(yield* rows, before)
    const unready = yield* Effect.flip(Migrations.ping)
    assert.instanceOf(unready.cause, Migrations.SchemaNewer)
    assert.match(unready.message, /^The schema of the database is newer than this instance;/)
    yield* sql`drop schema dockline cascade`
    yield* Migrations.migrate
    yield* Migrations.ping
  })

  test("has all that is ours in one schema, which may be restored alone", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrations.migrate
    // What `pg_dump -n dockline` leaves out.
    yield* sql`drop schema public cascade`
    yield* sql`create schema public`
    assert.deepStrictEqual(yield* Migrations.migrate, [])
    yield* Migrations.ping
  })
})
