import { payloadOf } from "@dockline/core/Message"
import { MessageLog } from "@dockline/core/MessageLog"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as SqlDirectory from "@dockline/sql-storage/stores/SqlDirectory"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import { aBusiness, aDraft, everythingOf } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"

const services = Layer.mergeAll(SqlDirectory.layer, SqlMessageLog.layer).pipe(
  Layer.provide(Announcer.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const read = (business: string) =>
  Effect.flatMap(
    MessageLog,
    (log) =>
      Effect.map(log.read(everythingOf(business), { afterId: 0 }, 100), ({ messages }) =>
        messages.map((message) => ({ id: message.id, n: payloadOf(message)["n"] })))
  )

/** A transaction of another service, which appends and does not commit before it is told to. */
const openWriter = Effect.fnUntraced(function*(business: string, n: number, before?: Effect.Effect<void>) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* MessageLog
  const [appended, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const fiber = yield* Effect.forkScoped(
    sql.withTransaction(Effect.gen(function*() {
      yield* sql`select 1`
      yield* before ?? Effect.void
      const [message] = yield* log.append([aDraft(business, n)])
      yield* Deferred.succeed(appended, undefined)
      yield* Deferred.await(gate)
      return message!.id
    }))
  )
  return {
    appended: Deferred.await(appended),
    commit: Effect.andThen(Deferred.succeed(gate, undefined), Fiber.join(fiber))
  }
})

/** Completes when a connection waits for a lock. */
const somebodyWaits = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.pipe(
      Effect.flatMap(([row]) => row!.count > 0 ? Effect.void : Effect.fail("not yet")),
      Effect.retry(Schedule.spaced("5 millis"))
    )
)

layer(services, { excludeTestServices: true })("D7.2 ids become visible in their order", (it) => {
  describe("while one writer holds its transaction open", () => {
    it.effect("a writer of the same business waits for it, so that no lower id appears later", () =>
      Effect.gen(function*() {
        const log = yield* MessageLog
        const business = yield* aBusiness
        const open = yield* openWriter(business, 1)
        yield* open.appended
        const second = yield* Effect.forkScoped(log.append([aDraft(business, 2)]))
        yield* somebodyWaits
        assert.deepStrictEqual(yield* read(business), [], "neither is to be seen")
        const first = yield* open.commit
        const [other] = yield* Fiber.join(second)
        assert.isBelow(first, other!.id)
        assert.deepStrictEqual(yield* read(business), [{ id: first, n: 1 }, { id: other!.id, n: 2 }])
      }).pipe(Effect.scoped))

    it.effect("writers of other businesses do not wait", () =>
      Effect.gen(function*() {
        const log = yield* MessageLog
        const [business, other] = [yield* aBusiness, yield* aBusiness]
        const open = yield* openWriter(business, 1)
        yield* open.appended
        yield* log.append([aDraft(other, 2)])
        assert.deepStrictEqual((yield* read(other)).map(({ n }) => n), [2])
        const first = yield* open.commit
        assert.deepStrictEqual(yield* read(business), [{ id: first, n: 1 }])
      }).pipe(Effect.scoped))

    it.effect("a transaction that began first but appends last gets the highest id, and others do not wait", () =>
      Effect.gen(function*() {
        const log = yield* MessageLog
        const business = yield* aBusiness
        const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const open = yield* openWriter(
          business,
          1,
          Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
        )
        yield* Deferred.await(begun)
        const [second] = yield* log.append([aDraft(business, 2)])
        assert.deepStrictEqual(yield* read(business), [{ id: second!.id, n: 2 }])
        yield* Deferred.succeed(go, undefined)
        yield* open.appended
        assert.deepStrictEqual(yield* read(business), [{ id: second!.id, n: 2 }], "not committed yet")
        const first = yield* open.commit
        assert.deepStrictEqual(yield* read(business), [{ id: second!.id, n: 2 }, { id: first, n: 1 }])
      }).pipe(Effect.scoped))

    it.effect("a follower sees both in order", () =>
      Effect.gen(function*() {
        const log = yield* MessageLog
        const business = yield* aBusiness
        const follower = yield* log.follow(everythingOf(business), { afterId: undefined, buffer: 10 })
        const open = yield* openWriter(business, 1)
        yield* open.appended
        const second = yield* Effect.forkScoped(log.append([aDraft(business, 2)]))
        yield* somebodyWaits
        yield* open.commit
        yield* Fiber.join(second)
        const seen: Array<unknown> = []
        while (seen.length < 2) seen.push(...(yield* follower.next).map((message) => payloadOf(message)["n"]))
        assert.deepStrictEqual(seen, [1, 2])
      }).pipe(Effect.scoped))
  })

  it.effect("a transaction that is rolled back leaves nothing, and holds up nobody", () =>
    Effect.gen(function*() {
      const log = yield* MessageLog
      const sql = yield* SqlClient.SqlClient
      const business = yield* aBusiness
      const failed = yield* Effect.flip(
        sql.withTransaction(Effect.andThen(log.append([aDraft(business, 1)]), Effect.fail("no")))
      )
      assert.strictEqual(failed, "no")
      yield* log.append([aDraft(business, 2)])
      assert.deepStrictEqual((yield* read(business)).map(({ n }) => n), [2])
    }))
})
