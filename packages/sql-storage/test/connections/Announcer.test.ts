import { payloadOf } from "@dockline/core/messages/Message"
import { MessageLog, MessageLogConfig } from "@dockline/core/messages/MessageLog"
import type { Directory } from "@dockline/core/places/Place"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as SqlDirectory from "@dockline/sql-storage/stores/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import { aBusiness, aDraft, everythingOf } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { test } from "../../../../test/support/Tests.ts"

const never = 3_600_000

/** The log as one instance of the service has it: its own connections, listener and followers. */
const instance = (url: Redacted.Redacted, pollMillis: number) =>
  Layer.build(
    Layer.fresh(
      Layer.mergeAll(SqlDirectory.layer, SqlMessageLog.layer).pipe(
        Layer.provide(Announcer.layer),
        Layer.provideMerge(Migrations.layer),
        Layer.provideMerge(Database.layer({ ...Database.defaultDatabaseConfig, url })),
        Layer.provide(
          Layer.effect(
            MessageLogConfig,
            MessageLogConfig.useSync((config) => ({ ...config, pollMillis }))
          )
        )
      )
    )
  )

type Instance = Context.Context<MessageLog | Directory | SqlClient.SqlClient>

const logOf = (instance: Instance) => Context.get(instance, MessageLog)

/** The connection of the service that listens, once it does. */
const listener = (sql: SqlClient.SqlClient, not = 0) =>
  sql<{ readonly pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and query ilike 'listen%' and pid <> ${not}::int`.pipe(
    Effect.flatMap(([row]) => row === undefined ? Effect.fail("not yet") : Effect.succeed(row.pid)),
    Effect.retry(Schedule.spaced("10 millis"))
  )

const firstOf = (instance: Instance, business: string) =>
  logOf(instance).follow(everythingOf(business), { afterId: undefined, buffer: 10 })

describe("D7.3, D12.4 followers learn of messages of other instances", () => {
  test.live("by notification", function*() {
    const { url } = yield* TestDatabase.create
    const [writing, following] = [yield* instance(url, never), yield* instance(url, never)]
    const business = yield* Effect.provideContext(aBusiness, writing)
    yield* listener(Context.get(following, SqlClient.SqlClient))
    const follower = yield* firstOf(following, business)
    // More than one, as the first read of a follower would find the first without being told.
    for (const n of [1, 2, 3]) {
      yield* logOf(writing).append([aDraft(business, n)])
      assert.deepStrictEqual((yield* follower.next).map(payloadOf), [{ n }])
    }
  })

  test.live("by looking, when nobody tells them", function*() {
    const { url } = yield* TestDatabase.create
    const following = yield* instance(url, 50)
    const sql = Context.get(following, SqlClient.SqlClient)
    const business = yield* Effect.provideContext(aBusiness, following)
    const follower = yield* firstOf(following, business)
    for (const n of [1, 2]) {
      const draft = aDraft(business, n)
      const row = [business, draft.facility, draft.type, draft.shipmentId, JSON.stringify(draft.payload)]
      yield* sql`select dockline.message_append_named(${JSON.stringify([row])}::text::json, now())`
      assert.deepStrictEqual((yield* follower.next).map(payloadOf), [{ n }])
    }
  })

  test.live("after the listening connection was cut, of what came meanwhile and of what comes then", function*() {
    const { url } = yield* TestDatabase.create
    const [writing, following] = [yield* instance(url, never), yield* instance(url, never)]
    const sql = Context.get(writing, SqlClient.SqlClient)
    const business = yield* Effect.provideContext(aBusiness, writing)
    const first = yield* listener(sql)
    const other = yield* listener(sql, first)
    const follower = yield* firstOf(following, business)
    yield* sql`select pg_terminate_backend(pid) from unnest(${[first, other]}::int[]) as pid`
    yield* logOf(writing).append([aDraft(business, 1)])
    assert.deepStrictEqual((yield* follower.next).map(payloadOf), [{ n: 1 }])
    yield* listener(sql)
    yield* logOf(writing).append([aDraft(business, 2)])
    assert.deepStrictEqual((yield* follower.next).map(payloadOf), [{ n: 2 }])
  })
})
