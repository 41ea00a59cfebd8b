import { documentOutcomes } from "@dockline/core/DocumentRecord"
import { IntakeStore } from "@dockline/core/IntakeStore"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { documentRecordSuite } from "@dockline/testing/suites/intake/DocumentRecordSuite"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { aBusiness, services } from "../Movements.ts"

Suite.register(runner, documentRecordSuite, Suite.alternating(Sql.layer), TestDatabase.layer)

const nothing = {
  business: undefined,
  facility: undefined,
  shipmentNumber: undefined,
  orderNumber: undefined,
  correlationId: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined
}

/**
 * Documents of a facility, each an hour after the one before, of one of 1000 shipments, every 2000th refused, the next changing nothing.
 * Their ids are the next ones, or those after `after`.
 */
const fill = Effect.fnUntraced(function*(shipmentId: number, count: number, after?: number) {
  const sql = yield* SqlClient.SqlClient
  const id = after === undefined ? sql`nextval('dockline.document_record_id')` : sql`${after}::bigint + n`
  yield* sql`insert into dockline.document_record (business_id, id, facility_id, received_at, outcome, correlation_id,
      number_key, order_key, new_orders, new_items, row_count, text_size, content)
    select s.business_id, ${id}, s.facility_id, '2000-01-01'::timestamptz + n * interval '1 hour',
      case when n % 2000 = 0 then 'REFUSED' when n % 2000 = 1 then 'UNCHANGED' else 'UPDATED' end, 'C' || n, '=N' || n % 1000, case when n % 2 = 0 then '=O' || n % 1000 end, '{}', '{}', 2, 1,
      '["wms","N",["O"],["MERGE"],"",[0,0,0,0],[]]'
    from dockline.shipment s, generate_series(1, ${count}::int) as n where s.id = ${shipmentId}::bigint order by n`
  yield* sql`insert into dockline.document_order (business_id, document_id, facility_id, order_key, outcome)
    select business_id, id, facility_id, '=P' || id % 1000, outcome from dockline.document_record where content like '["wms"%'`
  yield* sql`insert into dockline.document_removal (business_id, document_id, facility_id, lpn_key, outcome)
    select business_id, id, facility_id, '=L' || id % 1000, outcome from dockline.document_record where content like '["wms"%'`
})

/**
 * 15,000 documents of one order, which is the shipment, the first of another shipment, or a further one of it in turn, with
 * one correlation id: three of each outcome in 5000, but UPDATED.
 */
const fillAlike = Effect.fnUntraced(function*(shipmentId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.document_record (business_id, facility_id, received_at, outcome, correlation_id,
      number_key, order_key, new_orders, new_items, row_count, text_size, content)
    select s.business_id, s.facility_id, '2000-01-01'::timestamptz + n * interval '1 second',
      coalesce((array['CREATED', 'UNCHANGED', 'REFUSED'])[n % 5000 / 3 + 1], 'UPDATED'), 'C',
      case n % 3 when 0 then '=N/A' else '=S' end, case n % 3 when 1 then '=N/A' when 2 then '=Q' end, '{}', '{}', 2, 1,
      '["alike","N",["O"],["MERGE"],"",[0,0,0,0],[]]'
    from dockline.shipment s, generate_series(1, 15000) as n where s.id = ${shipmentId}::bigint order by n`
  yield* sql`insert into dockline.document_order (business_id, document_id, facility_id, order_key, outcome)
    select business_id, id, facility_id, '=N/A', outcome from dockline.document_record
    where content like '["alike"%' and order_key = '=Q'`
})

/** How many rows and index entries an effect reads. */
const read = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const count = sql<{ readonly read: number }>`select
      ((select coalesce(sum(seq_tup_read), 0) from pg_stat_xact_user_tables where schemaname = 'dockline'
        and relname like 'document%')
      + (select coalesce(sum(pg_stat_get_xact_tuples_returned(indexrelid)), 0) from pg_stat_user_indexes
        where schemaname = 'dockline'))::int as read`
  const [before] = yield* count
  const answer = yield* effect
  return { answer, read: (yield* count)[0]!.read - before!.read }
})

layer(services, { excludeTestServices: true })("the record of documents on PostgreSQL", (it) => {
  it.effect("is read at the cost of what a page shows, also where it was planned for empty tables", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* IntakeStore
      const { slug, submit } = yield* aBusiness
      const scopes = [{ business: slug, facilities: "*" as const }]
      const { id } = yield* submit("A", "O1")
      const filters = [
        nothing,
        { ...nothing, facility: "east" },
        { ...nothing, shipmentNumber: "N7" },
        { ...nothing, shipmentNumber: "N8" },
        { ...nothing, orderNumber: "N7" },
        { ...nothing, orderNumber: "O8" },
        { ...nothing, orderNumber: "O8", shipmentNumber: "N8" },
        { ...nothing, orderNumber: "P7" },
        { ...nothing, lpn: "L7" },
        { ...nothing, correlationId: "C5000" },
        { ...nothing, outcome: "REFUSED" as const },
        { ...nothing, outcome: "UNCHANGED" as const },
        { ...nothing, from: "2002-01-01T00:00:00.000Z" },
        { ...nothing, to: "2001-01-01T00:00:00.000Z" },
        { ...nothing, shipmentNumber: "N7", to: "2001-01-01T00:00:00.000Z" }
      ]
      const list = (filter: typeof filters[number]) =>
        store.listRecords(scopes, filter, { limit: 10, after: 0 })
      yield* Effect.forEach(filters, list)
      yield* fill(id, 20_000)
      for (const filter of filters) {
        const { answer, read: rows } = yield* sql.withTransaction(read(list(filter)))
        assert.isNotEmpty(answer.items, JSON.stringify(filter))
        assert.isAtMost(rows, 200, JSON.stringify(filter))
      }
      const newest = (yield* list(nothing)).items[0]!
      const { read: rows } = yield* sql.withTransaction(read(store.findRecord(newest.id, [])))
      assert.isAtMost(rows, 10)
    }))

  it.effect("is read at the cost of what a page shows where very many are alike, and few of an outcome", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const store = yield* IntakeStore
      const { slug, submit } = yield* aBusiness
      const { id } = yield* submit("A", "O1")
      const filters = [
        nothing,
        { ...nothing, facility: "east" },
        { ...nothing, orderNumber: "N/A" },
        { ...nothing, shipmentNumber: "N/A" },
        { ...nothing, shipmentNumber: "S" },
        { ...nothing, shipmentNumber: "S", orderNumber: "N/A" },
        { ...nothing, correlationId: "C" },
        { ...nothing, correlationId: "C", shipmentNumber: "S" },
        { ...nothing, correlationId: "C", orderNumber: "N/A" },
        { ...nothing, from: "2000-01-01T00:10:00.000Z" }
      ].flatMap((filter) =>
        [undefined, ...documentOutcomes].map((outcome) => ({ ...filter, outcome, business: slug }))
      )
      const list = (filter: typeof filters[number]) =>
        store.listRecords([{ business: slug, facilities: "*" }], filter, { limit: 10, after: 0 })
      yield* Effect.forEach(filters, list)
      yield* fillAlike(id)
      for (const filter of filters) {
        const { answer, read: rows } = yield* sql.withTransaction(read(list(filter)))
        assert.isAtLeast(answer.items.length, 2, JSON.stringify(filter))
        assert.isAtMost(rows, 300, JSON.stringify(filter))
      }
    }))

  it.effect("is dropped in steps, the oldest first, with what it has of its orders and removals", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { submit } = yield* aBusiness
      const { id } = yield* submit("B", "O1")
      yield* sql`delete from dockline.document_record`
      yield* sql`delete from dockline.document_order`
      yield* sql`delete from dockline.document_removal`
      yield* fill(id, 10_000)
      const drop = Effect.map(
        sql<{ readonly dropped: number }>`select dockline.document_drop(
          '2000-01-01'::timestamptz + 2500 * interval '1 hour', 1000) as dropped`,
        ([row]) => row!.dropped
      )
      assert.deepStrictEqual(yield* Effect.all([drop, drop, drop, drop]), [1000, 1000, 499, 0])
      const [left] = yield* sql<
        {
          readonly records: number
          readonly orders: number
          readonly removals: number
          readonly lost: number
        }
      >`select
        (select count(*)::int from dockline.document_record) as records,
        (select count(*)::int from dockline.document_order) as orders,
        (select count(*)::int from dockline.document_removal) as removals,
        (select count(*)::int from dockline.document_order o where not exists
          (select from dockline.document_record d where d.business_id = o.business_id and d.id = o.document_id)) as lost`
      assert.deepStrictEqual(left, { records: 7501, orders: 7501, removals: 7501, lost: 0 })
    }))

  it.effect("is dropped once it has expired, while documents come without a break, and theirs is kept", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { submit } = yield* aBusiness
      const { id } = yield* submit("D", "O1")
      yield* sql`delete from dockline.document_record`
      yield* sql`delete from dockline.document_order`
      yield* sql`delete from dockline.document_removal`
      // In a cluster the next ids of the coordinator are not below those that documents get.
      yield* fill(id, 10_000, -10_000)
      let answered = 0
      const send = (n: number) =>
        Effect.gen(function*() {
          for (let at = 0;; at++) {
            yield* submit(`D-${n}-${at}`, `O-${n}-${at}`, `L-${n}-${at}`)
            answered++
          }
        })
      const senders = yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.forkChild(send(n)))
      const count = sql<{ readonly expired: number; readonly fresh: number }>`select
        count(*) filter (where received_at < '2020-01-01')::int as expired,
        count(*) filter (where received_at > '2020-01-01')::int as fresh from dockline.document_record`
      const instance = Layer.build(Layer.fresh(Sql.layer).pipe(Layer.provide(Layer.fresh(Announcer.layer))))
      yield* Effect.scoped(Effect.andThen(
        instance,
        Effect.repeat(count, {
          until: ([row]) => row!.expired === 0,
          schedule: Schedule.spaced("50 millis")
        }).pipe(Effect.timeout("60 seconds"))
      ))
      const before = answered
      yield* Effect.repeat(Effect.sync(() => answered), {
        until: (now) => now > before,
        schedule: Schedule.spaced("10 millis")
      })
      yield* Effect.forEach(senders, Fiber.interrupt)
      const [left] = yield* count
      assert.strictEqual(left!.expired, 0)
      assert.isAtLeast(left!.fresh, answered)
      // Some came while the others were dropped.
      assert.isAbove(before, 0)
    }))
})
