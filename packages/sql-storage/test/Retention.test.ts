/**
 * What has expired goes away while its tables are written and their rows are held (D7.4): judged by what is left in the
 * end, within a bound that is many times what it takes.
 */
import { IdempotencyStore, retentionMillis } from "@dockline/core/access/Idempotency"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as KeptAnswers from "@dockline/sql-storage/stores/KeptAnswers"
import * as SqlDeliveryStore from "@dockline/sql-storage/stores/SqlDeliveryStore"
import * as SqlMessageLog from "@dockline/sql-storage/stores/SqlMessageLog"
import { unique } from "@dockline/testing/generators/Given"
import { deliveryOf, record, settle, takeWindow } from "@dockline/testing/worlds/DeliveryWorld"
import {
  aBusiness,
  aDraft,
  append,
  at,
  day,
  everythingOf,
  read
} from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Metric, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { vi } from "vitest"
import { over } from "../../../test/support/Tests.ts"
import { operations } from "../src/connections/StoreOperations.ts"
import { RetentionTime } from "../src/stores/Cleanup.ts"
import { holding, services, times } from "./Movements.ts"

const dropping = Layer.mergeAll(SqlDeliveryStore.layer, KeptAnswers.layer, SqlMessageLog.layer)

/** Runs an effect beside another instance on the same database, which drops what has expired from its start on. */
const besideAnother = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.andThen(
      Layer.build(Layer.fresh(dropping).pipe(Layer.provide(Layer.fresh(Announcer.layer)))),
      effect
    )
  )

/** Waits until a query counts none. */
const none = <E, R>(what: string, count: Effect.Effect<number, E, R>) =>
  Effect.repeat(count, { until: (count) => count === 0, schedule: Schedule.spaced("50 millis") }).pipe(
    Effect.timeoutOrElse({
      duration: "60 seconds",
      orElse: () => Effect.flatMap(count, (count) => Effect.die(new Error(`${count} ${what} are left`)))
    })
  )

const old = new Date(Date.now() - 100 * day).toISOString()

/** Fills the log of a business with messages that were sent 100 days ago. */
const fillExpired = Effect.fnUntraced(function*(business: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* at(Date.parse(old))(append(aDraft(business, 0)))
  // In one transaction, so that nothing of it is dropped before it is whole.
  yield* sql.withTransaction(Effect.all([
    sql`insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select m.business_id, nextval('dockline.message_id'), m.facility_id, m.facility, m.type, m.shipment_id, m.sent_at,
      m.size, m.payload
    from dockline.message m join dockline.business b on b.id = m.business_id, generate_series(2, ${count}::int)
    where b.slug = ${business}`,
    sql`update dockline.message_log l set last_id = greatest(l.last_id, (
      select max(m.id) from dockline.message m where m.business_id = l.business_id))
    from dockline.business b where b.id = l.business_id and b.slug = ${business}`
  ]))
})

const expiredOf = (business: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly count: number }>`select count(*)::int as count from dockline.message m
        join dockline.business b on b.id = m.business_id
        where b.slug = ${business} and m.sent_at < now() - make_interval(days => 90)`,
      ([row]) => row!.count
    )
  )

/** Holds the row of the log of a business in a transaction. */
const holdLog = (business: string) =>
  SqlClient.SqlClient.use((sql) =>
    holding(
      sql`select l.business_id from dockline.message_log l join dockline.business b on b.id = l.business_id
      where b.slug = ${business} for no key update of l`
    )
  )

/** Appends in transactions that stay open for a while: whenever one ends, others wait for the row of the log. */
const writing = (business: string, ids: Array<number>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(Effect.gen(function*() {
      const [message] = yield* append(aDraft(business, "new"))
      yield* Effect.sleep("10 millis")
      ids.push(message!.id)
    })).pipe(Effect.forever)
  )

over(services)("what has expired on PostgreSQL", (test) => {
  describe("D7.4 messages", () => {
    // @threat reports.5
    test("D21.5 are kept where the clock of an instance is ahead of that of the database", function*() {
      const business = yield* aBusiness
      yield* append(aDraft(business, 0))
      const log = yield* MessageLog
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 100 * day })
      yield* Effect.ensuring(log.dropExpired, Effect.sync(() => vi.useRealTimers()))
      const { messages } = yield* log.read(everythingOf(business), { afterId: 0 }, 10)
      assert.strictEqual(messages.length, 1)
    })

    // @threat reports.5
    test("D21.5 are kept where the clock of the database has jumped, until the service has run for a day", function*() {
      const business = yield* aBusiness
      yield* at(Date.parse(old))(append(aDraft(business, 0)))
      const sql = yield* SqlClient.SqlClient
      const log = yield* MessageLog
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const count = Effect.map(
        log.read(everythingOf(business), { afterId: 0 }, 10),
        ({ messages }) => messages.length
      ).pipe(Effect.catchTag("HistoryExpired", () => Effect.succeed(0)))
      yield* sql`insert into dockline.retention_clock (id, trusted_at, seen_at) values (1, now(), now()) on conflict do nothing`
      yield* sql`update dockline.retention_clock set trusted_at = now() - interval '95 days',
        seen_at = now() - interval '95 days', ran = null where id = 1`
      yield* Effect.provide(Effect.andThen(log.dropExpired, log.dropExpired), logger)
      assert.strictEqual(yield* count, 1)
      assert.lengthOf(lines.filter((line) => line.includes("2280 hours ahead")), 1)
      const jump = Metric.gauge("dockline_storage_clock_jump_seconds", {
        description:
          "How far the clock of the database is ahead of the clock of retention, because it has jumped or the service was off; 0 without a jump",
        attributes: {}
      })
      assert.strictEqual(Math.round((yield* Metric.value(jump)).value / 3600), 95 * 24)
      yield* sql`update dockline.retention_clock set seen_at = now() - interval '2 minutes',
        ran = interval '23 hours 59 minutes' where id = 1`
      yield* log.dropExpired
      assert.strictEqual(yield* count, 0)
      assert.strictEqual((yield* Metric.value(jump)).value, 0)
    })

    const [hour, unseen] = [3600, null]
    for (
      const [what, trust, look, ran, isTrusted, isJumpNew] of [
        ["an hour after the last look", hour, hour, unseen, true, false],
        ["a day after the last look, almost", 24 * hour - 60, 24 * hour - 60, unseen, true, false],
        ["set back", -50 * 24 * hour, -50 * 24 * hour, unseen, true, false],
        ["set right after a jump", hour, -50 * 24 * hour, hour, true, false],
        ["a week after the last look", 168 * hour, 168 * hour, unseen, false, true],
        ["ahead for a while", 168 * hour, hour, 20 * hour, false, false],
        ["ahead for a day of running", 168 * hour, hour, 23 * hour, true, false],
        ["ahead, with a second jump", 900 * hour, 500 * hour, 23 * hour, false, false],
        ["ahead, and set back in part", 100 * hour, -5 * hour, 23 * hour, false, false]
      ] as const
    ) {
      test(`the clock ${isTrusted ? "counts" : "does not count"} that is ${what}`, function*() {
        const sql = yield* SqlClient.SqlClient
        const { call, run } = yield* operations
        yield* run`dockline.retention_time()`
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`update dockline.retention_clock set trusted_at = clock_timestamp() - ${trust}::int * interval '1 second',
            seen_at = clock_timestamp() - ${look}::int * interval '1 second', ran = ${ran}::int * interval '1 second'`
          const { isNew, jump } = yield* call(RetentionTime)`dockline.retention_time()`
          assert.deepStrictEqual([jump === 0, isNew], [isTrusted, isJumpNew])
        }))
        yield* sql`update dockline.retention_clock set trusted_at = clock_timestamp(), seen_at = clock_timestamp(), ran = null`
      })
    }

    test("are dropped while others write to the log without a break", function*() {
      const business = yield* aBusiness
      yield* fillExpired(business, 20_000)
      const ids: Array<number> = []
      const writers = yield* Effect.forEach(times(4), () => Effect.forkChild(writing(business, ids)))
      yield* Effect.repeat(Effect.sync(() => ids.length), {
        until: (count) => count > 4,
        schedule: Schedule.spaced("10 millis")
      })
      yield* besideAnother(none("expired messages", expiredOf(business)))
      yield* Effect.forEach(writers, Fiber.interrupt)
      assert.strictEqual((yield* Effect.flip(read(everythingOf(business))))._tag, "HistoryExpired")
      const first = Math.min(...ids)
      const rest = (yield* read(everythingOf(business), first - 1, 100_000)).messages.map(({ id }) => id)
      assert.includeMembers(rest, ids)
    })

    test("of other logs are dropped while one is held for long, and its own soon after that", function*() {
      const [business, ...others] = yield* Effect.forEach(times(3), () => aBusiness)
      yield* Effect.forEach([business!, ...others], (business) => fillExpired(business, 2500))
      const holder = yield* holdLog(business!)
      yield* besideAnother(Effect.gen(function*() {
        yield* Effect.forEach(others, (business) => none("expired messages", expiredOf(business)))
        assert.strictEqual(yield* expiredOf(business!), 2500)
        assert.strictEqual(
          (yield* read(everythingOf(business!))).messages.length,
          1000,
          "nothing is hidden yet"
        )
        yield* holder.commit
        yield* none("expired messages of the log that was held", expiredOf(business!))
      }))
    }, 120_000)

    test("up to the mark of a log are dropped though its row is held", function*() {
      const sql = yield* SqlClient.SqlClient
      const business = yield* aBusiness
      yield* fillExpired(business, 2500)
      // An instance that moved the mark and died before it had deleted anything.
      yield* sql`select dockline.message_expire(l.business_id, ${new Date().toISOString()}::timestamptz)
          from dockline.message_log l join dockline.business b on b.id = l.business_id where b.slug = ${business}`
      assert.strictEqual((yield* Effect.flip(read(everythingOf(business))))._tag, "HistoryExpired")
      const holder = yield* holdLog(business)
      yield* besideAnother(none("messages up to the mark", expiredOf(business)))
      yield* holder.commit
    })
  })

  describe("the record of deliveries", () => {
    test(
      "of other endpoints is dropped while one is held, and its own soon after that",
      function*() {
        const sql = yield* SqlClient.SqlClient
        const [first, other] = [yield* takeWindow([1, 2]), yield* takeWindow([1, 2])]
        for (const { lease, ids, fresh } of [first, other]) {
          yield* settle(lease, ids[1]!, { results: fresh.map((due) => deliveryOf(due)) })
        }
        const holder = yield* holding(
          sql`select id from dockline.webhook_endpoint where id = ${first.id}::bigint for no key update`
        )
        yield* sql`update dockline.message_log set dropped_id = last_id`
        const count = (id: number) => Effect.map(record(id), ({ length }) => length)
        yield* besideAnother(Effect.gen(function*() {
          yield* none("deliveries", count(other.id))
          assert.strictEqual(yield* count(first.id), 2)
          yield* holder.commit
          yield* none("deliveries of the endpoint that was held", count(first.id))
        }))
      },
      120_000
    )
  })

  describe("D5.2 kept answers", () => {
    test("are dropped while one is held, which stays as it is being renewed", function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* IdempotencyStore
      const clientId = unique("client")
      yield* sql`insert into dockline.idempotent_answer (client_id, key, fingerprint, answer, kept_at)
          select ${clientId}, n::text, 'body', 'old', ${
        new Date(Date.now() - 2 * retentionMillis).toISOString()
      }::timestamptz
          from generate_series(1, 3500) as n`
      const count = Effect.map(
        sql<{ readonly count: number }>`select count(*)::int as count from dockline.idempotent_answer
            where client_id = ${clientId} and kept_at < now() - make_interval(days => 1)`,
        ([row]) => row!.count
      )
      const request = { clientId, key: "7", fingerprint: "body" }
      const renewing = yield* holding(store.keep(request, "new"))
      yield* besideAnother(Effect.gen(function*() {
        // What the renewal has not committed yet is seen as it was.
        yield* none("old answers but for the one that is held", Effect.map(count, (count) => count - 1))
        yield* renewing.commit
        yield* none("old answers", count)
      }))
      assert.strictEqual((yield* store.keep(request, "another"))?.text, "new")
    }, 120_000)
  })
})
