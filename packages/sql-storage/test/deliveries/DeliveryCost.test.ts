/** D9 on PostgreSQL: what an endpoint's next messages cost, and their settling, whatever else is recorded. */
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import {
  allPartitions,
  appendOf,
  at,
  create,
  deliveryOf,
  failureOf,
  open,
  settle,
  take
} from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { services, times } from "../Movements.ts"

/** How many rows and index entries of deliveries and messages an effect reads. */
const reads = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const read = sql<{ readonly read: number }>`select
      (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables
        where relname in ('webhook_delivery', 'message', 'webhook_endpoint'))::int
      + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
        where relname in ('webhook_delivery', 'message', 'webhook_endpoint'))::int as read`
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [before] = yield* read
    yield* effect
    return (yield* read)[0]!.read - before!.read
  }))
})

/** Deliveries of an endpoint that are done with, and such that wait behind others, each with its message in the log. */
const history = Effect.fnUntraced(function*(endpointId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`with old as (
      insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
      select e.business_id, nextval('dockline.message_id'), f.id, f.slug, 'PALLET_EVENT', n % 50, now(), 2, '{}'
      from dockline.webhook_endpoint e join dockline.facility f on f.business_id = e.business_id and f.slug = 'east',
        generate_series(1, ${count}::int) as n where e.id = ${endpointId}::bigint
      returning business_id, id, type, shipment_id
    )
    insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries, attempts)
    select business_id, ${endpointId}::bigint, id, type, shipment_id,
      case id % 3 when 0 then 'DEAD' when 1 then 'PENDING' else 'DELIVERED' end, 0, '[]' from old`
  yield* sql`update dockline.webhook_delivery d set next_attempt_at = ${at(3600)}::timestamptz
    where d.endpoint_id = ${endpointId}::bigint and d.message_id = any (array(
      select min(p.message_id) from dockline.webhook_delivery p
      where p.endpoint_id = ${endpointId}::bigint and p.status = 'PENDING' group by p.shipment_id))`
  yield* sql`update dockline.message_log l set last_id = (select max(m.id) from dockline.message m
    where m.business_id = l.business_id)`
  yield* sql`update dockline.webhook_endpoint e set cursor_id = greatest(e.cursor_id, (select max(d.message_id)
    from dockline.webhook_delivery d where d.endpoint_id = e.id)) where e.id = ${endpointId}::bigint`
})

/** PostgreSQL knows that the table is empty, and plans for that. */
const empty = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from dockline.webhook_delivery`
  yield* sql`vacuum (analyze) dockline.webhook_delivery`
})

/** Until no transaction of the server, in whatever database, can see what is dead by now: until then, readers step over it. */
const forgotten = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [{ now } = { now: "" }] = yield* sql<
    { readonly now: string }
  >`select pg_current_xact_id()::xid::text as now`
  yield* sql`select from pg_stat_activity where age(backend_xmin) > age(${now}::xid)`.pipe(
    Effect.repeat({ until: (older) => older.length === 0, schedule: Schedule.spaced("10 millis") })
  )
})

/** What the work takes when nothing else happens meanwhile: other activity of the server can only add reads. */
const least = (rounds: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> =>
  rounds[0]!.map((_, column) => Math.min(...rounds.map((round) => round[column]!)))

over(services)("the cost of deliveries on PostgreSQL", (test) => {
  describe("an endpoint with a long history", () => {
    // The same connections and their plans throughout: what was planned for empty tables is used for full ones.
    for (
      const [when, analysis] of [
        ["while it was empty", undefined],
        // As autovacuum does.
        ["while it had a few rows", 1]
      ] as const
    ) {
      test(`is ready, taken from and settled at the cost of what there is to do, analyzed ${when}`, function*() {
        const store = yield* DeliveryStore
        const sql = yield* SqlClient.SqlClient
        const costs: Array<ReadonlyArray<number>> = []
        yield* empty
        const business = yield* aBusiness
        const { id } = yield* create(business)
        const { lease } = yield* open(id)
        yield* appendOf(business, [901])
        for (const count of [0, 0, 3000, 20_000, "none", 20_000] as const) {
          yield* count === "none" ? empty : history(id, count)
          if (analysis === costs.length) yield* sql`analyze`
          const rounds: Array<ReadonlyArray<number>> = []
          for (const _ of times(3)) {
            yield* forgotten
            const before = yield* store.list(id, undefined, { limit: 1, after: 0 })
            const cursorId = before.items[0]?.messageId ?? 0
            const ids = yield* appendOf(business, times(20).map((n) => 1000 + n))
            const ready = yield* reads(store.ready(allPartitions, at(0)))
            const taking = yield* reads(take(lease, cursorId))
            const { fresh } = yield* take(lease, ids[0]! - 1)
            const settling = yield* reads(
              settle(lease, ids[19]!, {
                results: fresh.map((due, n) => n % 5 === 0 ? failureOf(due, 0, 5) : deliveryOf(due)),
                waitingMessages: [{ messageId: ids[19]!, messageType: "PALLET_EVENT", shipmentId: 1 }]
              })
            )
            const due = yield* reads(take(lease, ids[19]!, 5))
            yield* settle(lease, ids[19]!, { results: fresh.map((due) => deliveryOf(due)) })
            rounds.push([ready, taking, settling, due])
          }
          costs.push(least(rounds))
        }
        const [, small, ...large] = costs
        for (const [ready, taking, settling, due] of large) {
          assert.isBelow(ready!, 20)
          assert.isBelow(taking!, small![1]! + 20)
          assert.isBelow(settling!, small![2]! + 20)
          assert.isBelow(due!, small![3]! + 20)
        }
      })
    }
  })

  test("each message is looked up once among those that wait", function*() {
    const sql = yield* SqlClient.SqlClient
    const business = yield* aBusiness
    const { id } = yield* create(business)
    const { lease } = yield* open(id)
    const count = 20
    yield* appendOf(business, times(count))
    const looks = sql<{ readonly looks: number }>`
      select pg_stat_get_xact_numscans('dockline.webhook_pending'::regclass)::int as looks`
    const [before, after] = yield* sql.withTransaction(
      Effect.all([looks, Effect.andThen(take(lease, 0), looks)])
    )
    assert.strictEqual(after[0]!.looks - before[0]!.looks, count)
  })
})
