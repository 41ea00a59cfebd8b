/**
 * Operators create and read endpoints on the node of the business. The coordinator plans a statement for the shards at each call, and a new
 * connection to it takes many times as long for its first ones, while others may hold a lock.
 */
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { create, find } from "@dockline/testing/worlds/DeliveryWorld"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

describe("an endpoint", () => {
  it.live("is created and read without a look from the coordinator into the shards", () =>
    Effect.gen(function*() {
      const { name, url } = yield* TestDatabase.createMigrated
      yield* TestDatabase.admin((sql) => sql.unsafe(`alter database ${name} set track_functions = 'pl'`))
      const inDatabase = Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
      yield* inDatabase(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`insert into dockline.business (slug, name) values ('acme', 'Acme')`
        )
      )
      const { made, read } = yield* Effect.gen(function*() {
        const made = yield* create("acme")
        return { made, read: yield* find(made.id) }
      }).pipe(
        Effect.provide(
          Sql.layer.pipe(Layer.provide(Database.layer({ ...Database.defaultDatabaseConfig, url })))
        )
      )
      assert.deepStrictEqual(read, made)
      // The connections have ended, and so have reported their calls.
      const calls = yield* inDatabase(Effect.flatMap(PgClient.PgClient, (sql) =>
        Effect.repeat(
          sql<{ readonly name: string; readonly calls: number }>`select funcname as name, calls::int as calls
            from pg_stat_user_functions where schemaname = 'dockline' and funcname like 'webhook%' order by funcname`,
          { until: (rows) => rows.length > 0 }
        )))
      assert.isFalse(calls.some(({ name }) => name === "webhooks_shown"), JSON.stringify(calls))
    }))
})
