/** What statements and transactions find on connections that are lent by a pool of our own. */
import * as Database from "@dockline/sql-storage/connections/Database"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"

const database = Layer.unwrap(
  Effect.map(TestDatabase.create, ({ url }) => Database.layer({ ...Database.defaultDatabaseConfig, url }))
)

const pid = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ pid: number }>`select pg_backend_pid() as pid`, (rows) => rows[0]!.pid)
)

const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) => sql.withTransaction(effect))

layer(database)("a client", (test) => {
  test.effect("keeps the connection of a transaction for the next one, apart from those that statements share", () =>
    Effect.gen(function*() {
      const own = yield* inTransaction(pid)
      assert.strictEqual(yield* inTransaction(pid), own)
      const shared = new Set(
        yield* Effect.all(Array.from({ length: 50 }, () => pid), { concurrency: "unbounded" })
      )
      assert.isAtMost(shared.size, 2)
      assert.isFalse(shared.has(own))
    }))

  test.effect("fails a transaction that PostgreSQL rolls back at its COMMIT, as a statement of it had failed", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table kept (id int)`
      const error = yield* Effect.flip(inTransaction(
        Effect.andThen(sql`insert into kept values (1)`, Effect.ignore(sql`select 1 / 0`))
      ))
      assert.strictEqual(error._tag, "SqlError")
      assert.match(error.message, /rolled back by its COMMIT/)
      assert.deepStrictEqual(yield* sql`select * from kept`, [])
    }))

  test.effect("closes a connection on which a statement was interrupted: its cancellation may meet the next one", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const before = yield* inTransaction(pid)
      const running = sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where pid = ${before} and query like '%pg_sleep(30)%'`
      const slow = yield* Effect.forkChild(inTransaction(sql`select pg_sleep(30)`))
      yield* Effect.repeat(running, { until: (rows) => rows[0]!.count === 1 })
      yield* Fiber.interrupt(slow)
      assert.notStrictEqual(yield* inTransaction(pid), before)
      yield* Effect.repeat(
        sql<{ count: number }>`select count(*)::int as count from pg_stat_activity where pid = ${before}`,
        { until: (rows) => rows[0]!.count === 0 }
      )
    }))

  test.effect("rolls back to a savepoint, streams, takes JSON, listens and notifies as the driver's own", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      yield* sql`create table steps (id int)`
      yield* inTransaction(Effect.gen(function*() {
        yield* sql`insert into steps values (1)`
        yield* Effect.ignore(
          inTransaction(Effect.andThen(sql`insert into steps values (2)`, Effect.fail("no")))
        )
        yield* inTransaction(sql`insert into steps values (3)`)
      }))
      assert.deepStrictEqual(yield* sql`select id from steps order by id`, [{ id: 1 }, { id: 3 }])
      assert.deepStrictEqual(
        yield* Stream.runCollect(sql`select n from generate_series(1, 3) n`.stream),
        [{ n: 1 }, { n: 2 }, { n: 3 }]
      )
      assert.deepStrictEqual(yield* sql`select ${sql.json({ a: [1] })}::jsonb -> 'a' as a`, [{ a: [1] }])
      const notifications = yield* sql.listen("news")
      yield* sql.notify("news", "arrived")
      assert.strictEqual((yield* Queue.take(notifications)).payload, "arrived")
    }))
})
