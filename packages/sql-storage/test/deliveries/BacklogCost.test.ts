/** What waits for endpoints, on PostgreSQL: what it costs to tell, however much it is; and to open some of many endpoints. */
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { appendOf, create } from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness } from "@dockline/testing/worlds/MessageLogWorld"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { services } from "../Movements.ts"

const endpointCount = 1000
const pendingCount = 20_000
const settledCount = 30_000

/** Copies of an endpoint, with deliveries that are pending, and others that are done with. */
const fill = Effect.fnUntraced(function*(endpointId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.webhook_endpoint (business_id, facility_id, base_url, message_types, authentication,
      signing_secrets, enabled, disabled_reason, cursor_id, created_at)
    select business_id, facility_id, base_url, message_types, authentication, signing_secrets, enabled, disabled_reason,
      1000000, created_at
    from dockline.webhook_endpoint, generate_series(2, ${endpointCount}::int) where id = ${endpointId}::bigint`
  yield* sql`update dockline.webhook_endpoint set cursor_id = 1000000`
  yield* sql`insert into dockline.message (business_id, id, facility_id, facility, type, shipment_id, sent_at, size, payload)
    select e.business_id, n, f.id, f.slug, 'PALLET_EVENT', n, now(), 2, '{}'
    from dockline.webhook_endpoint e join dockline.facility f on f.business_id = e.business_id and f.slug = 'east',
      generate_series(1000, 3000) as n where e.id = ${endpointId}::bigint`
  yield* sql`with ids as (select id, business_id, row_number() over (order by id) - 1 as place from dockline.webhook_endpoint)
    insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries, attempts)
    select ids.business_id, ids.id, 1000 + n / ${endpointCount}::int, 'PALLET_EVENT', n, 'PENDING', 0, '[]'
    from generate_series(0, ${pendingCount - 1}::int) as n join ids on ids.place = n % ${endpointCount}::int`
  yield* sql`insert into dockline.webhook_delivery (business_id, endpoint_id, message_id, type, shipment_id, status, tries, attempts)
    select dockline.webhook_business(${endpointId}::bigint), ${endpointId}::bigint, 100000 + n, 'PALLET_EVENT', n, 'DELIVERED', 0, '[]'
    from generate_series(1, ${settledCount}::int) as n`
})

/** The rows that an effect reads one after another, index or none. */
const scan = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const read = sql<{ readonly whole: number; readonly byIndex: number; readonly endpoints: number }>`select
      coalesce(sum(seq) filter (where relname <> 'webhook_endpoint'), 0)::int as whole,
      coalesce(sum(index) filter (where relname <> 'webhook_endpoint'), 0)::int as "byIndex",
      coalesce(sum(seq + index) filter (where relname = 'webhook_endpoint'), 0)::int as endpoints
    from pg_stat_xact_user_tables t, lateral (select t.seq_tup_read, sum(pg_stat_get_xact_tuples_returned(i.indexrelid))
      from pg_stat_user_indexes i where i.relid = t.relid) as r(seq, index)
    where relname in ('webhook_delivery', 'message', 'webhook_endpoint')`
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [before] = yield* read
    const answer = yield* effect
    const [after] = yield* read
    return {
      answer,
      whole: after!.whole - before!.whole,
      byIndex: after!.byIndex - before!.byIndex,
      endpoints: after!.endpoints - before!.endpoints
    }
  }))
})

for (const hasStatistics of [false, true]) {
  over(services)(
    `the cost of opening endpoints, planned for ${hasStatistics ? "two of them" : "empty tables"}`,
    (test) => {
      test("is the same with 1,000 others", function*() {
        const sql = yield* SqlClient.SqlClient
        const store = yield* DeliveryStore
        const business = yield* aBusiness
        // In one transaction, so that nobody else can tell the planner meanwhile what there is.
        const { endpoints } = yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`set local plan_cache_mode = force_generic_plan`
          const { id } = yield* create(business)
          const { id: other } = yield* create(business)
          if (hasStatistics) yield* sql`analyze`
          yield* sql`discard plans`
          yield* store.open([id, other])
          yield* appendOf(business, [1])
          yield* fill(id)
          return yield* scan(store.open([id, other]))
        }))
        assert.isBelow(endpoints, 40)
      }, 60_000)
    }
  )
}

over(services)("the cost of telling what waits", (test) => {
  test(
    "is bounded with 20,000 pending deliveries, also planned for empty tables",
    function*() {
      const store = yield* DeliveryStore
      const business = yield* aBusiness
      const { id } = yield* create(business)
      yield* appendOf(business, [1])
      for (let n = 0; n < 10; n++) yield* store.backlog
      yield* fill(id)
      const { answer, byIndex, endpoints, whole } = yield* scan(store.backlog)
      assert.strictEqual(answer.length, endpointCount)
      assert.isTrue(answer.every(({ messages }) => messages === pendingCount / endpointCount))
      assert.isTrue(answer.every(({ oldestAt }) => oldestAt !== null))
      // Each pending delivery once, and a few rows for each endpoint; none of those that are done with.
      assert.isBelow(byIndex, pendingCount + 10 * endpointCount)
      assert.strictEqual(whole, 0)
      // Each endpoint a few times, and not all of them for each.
      assert.isBelow(endpoints, 3 * endpointCount)
    },
    60_000
  )
})
