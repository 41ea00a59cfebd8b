/**
 * A database that was restored from a backup, or an asynchronous standby that was promoted: the log ends before what
 * consumers have seen (D7.5). Neither who follows meanwhile nor who comes back is left in silence, until ids were moved on.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import { aBusiness, aDraft, append, everythingOf, read } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { atOnce, holding, lockWaiters, services, times } from "./Movements.ts"

/** The log as another instance on the same database sees it. */
const anotherInstance = Effect.map(
  Layer.build(Layer.fresh(SqlMessageLog.layer).pipe(Layer.provide(Layer.fresh(Announcer.layer)))),
  (context) => Context.get(context, MessageLog)
)

/** Takes the log of a business back to an id, with the ids that are given next, as an older copy of the database has it. */
const restore = Effect.fnUntraced(function*(business: string, id: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`update dockline.message_log l set last_id = ${id}::bigint from dockline.business b
      where b.id = l.business_id and b.slug = ${business}`
    yield* sql`delete from dockline.message m using dockline.business b
      where b.id = m.business_id and b.slug = ${business} and m.id > ${id}::bigint`
    yield* sql`select setval('dockline.message_id', ${id}::bigint)`
  }))
})

const drafts = (business: string, count: number) => times(count).map((n) => aDraft(business, n))

over(services)("D7.5 a log that ends before what was seen of it", (test) => {
  describe("a consumer", () => {
    test("that follows is told so; who comes back with its cursor too, until ids were moved on", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const query = everythingOf(business)
      const live = yield* log.follow(query, { afterId: undefined, buffer: 1000 })
      const before = yield* append(...drafts(business, 80))
      const newest = before.at(-1)!.id
      for (let last = 0; last < newest;) last = (yield* live.next).at(-1)!.id
      const last = before[12]!.id
      yield* restore(business, last)

      const failure = yield* Effect.timeout(Effect.flip(live.next), "30 seconds")
      assert.deepStrictEqual(failure._tag === "CursorAhead" && failure.newestId, last)
      const again = yield* append(...drafts(business, 30))
      assert.isBelow(again.at(-1)!.id, newest, "ids are given again")
      const follower = yield* log.follow(query, { afterId: newest, buffer: 10 })
      for (const refusal of [yield* Effect.flip(read(query, newest)), yield* Effect.flip(follower.next)]) {
        assert.deepStrictEqual(refusal._tag === "CursorAhead" && refusal.newestId, again.at(-1)!.id)
      }
      // Who begins to follow now gets what comes.
      const anew = yield* log.follow(query, { afterId: again.at(-1)!.id, buffer: 10 })

      assert.strictEqual(yield* log.advance(newest), newest)
      assert.deepStrictEqual((yield* read(query, newest)).messages, [])
      const resumption = yield* log.follow(query, { afterId: newest, buffer: 10 })
      const [next] = yield* append(aDraft(business, "after"))
      assert.isAbove(next!.id, newest)
      for (const follower of [anew, resumption]) {
        assert.deepStrictEqual((yield* follower.next).map(({ id }) => id), [next!.id])
      }
    }, 60_000)

    test(
      "that was given an id on one instance is not ahead of another whose feed is behind",
      function*() {
        const log = yield* MessageLog
        const other = yield* anotherInstance
        const business = yield* aBusiness
        const query = everythingOf(business)
        // The other one follows the log already, and learns of what is new a little later.
        yield* other.follow(query, { afterId: undefined, buffer: 1000 })
        yield* Effect.forEach(times(8), (writer) =>
          Effect.forEach(times(25), (n) =>
            Effect.gen(function*() {
              const [message] = yield* log.append([aDraft(business, `${writer}-${n}`)])
              yield* other.read(query, { afterId: message!.id }, 1)
              const follower = yield* other.follow(query, { afterId: message!.id, buffer: 1000 })
              yield* follower.replay
            })), atOnce)
      },
      60_000
    )
  })

  describe("moving ids on", () => {
    test("waits for a writer that has drawn its ids, and keeps no id that is given later below", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const writer = yield* holding(log.append(drafts(business, 3)))
      const lastId = writer.value.at(-1)!.id
      const beyond = lastId + 50
      const advancing = yield* Effect.forkChild(log.advance(beyond))
      yield* lockWaiters(1)
      const appending = yield* Effect.forkChild(log.append([aDraft(business, "later")]))
      yield* lockWaiters(2)
      yield* writer.commit
      assert.strictEqual(yield* Fiber.join(advancing), beyond)
      const [later] = yield* Fiber.join(appending)
      assert.isAbove(later!.id, beyond)
      assert.deepStrictEqual((yield* read(everythingOf(business))).messages.map(({ id }) => id), [
        ...writer.value.map(({ id }) => id),
        later!.id
      ])
    }, 60_000)

    test("while many write, to several ids at once, gives no id twice", function*() {
      const log = yield* MessageLog
      const businesses = yield* Effect.forEach(times(3), () => aBusiness)
      const [first] = yield* log.append([aDraft(businesses[0]!, 0)])
      const writing = Effect.forEach(
        businesses,
        (business) => Effect.forEach(times(40), () => log.append([aDraft(business, 1)])),
        atOnce
      )
      const advancing = Effect.forEach(times(10), (n) => log.advance(first!.id + 7 * n))
      const [messages] = yield* Effect.all([writing, advancing, advancing], atOnce)
      const ids = messages.flatMap((each) => each.flat().map(({ id }) => id))
      assert.strictEqual(new Set(ids).size, 120)
      for (const each of messages) {
        const own = each.flat().map(({ id }) => id)
        assert.deepStrictEqual(own, own.toSorted((left, right) => left - right))
      }
    })

    test("keeps the ids of all else from being given again, once", function*() {
      const log = yield* MessageLog
      const sql = yield* SqlClient.SqlClient
      const ids = sql<{ readonly name: string; readonly last: number }>`select sequencename as name,
          coalesce(last_value, 0)::float8 as last from pg_sequences
          where schemaname = 'dockline' and sequencename <> 'message_id' and data_type = 'bigint'::regtype order by 1`
      const before = yield* ids
      assert.includeMembers(before.map(({ name }) => name), ["shipment_id"])
      const [message] = yield* append(aDraft(yield* aBusiness, 1))
      const earlier = yield* ids
      yield* log.advance(message!.id + 5)
      yield* log.advance(message!.id + 5)
      const after = yield* ids
      assert.deepStrictEqual(
        after.map(({ last }, at) => last - earlier[at]!.last),
        earlier.map(() => 1_000_000)
      )
    })
  })
})
