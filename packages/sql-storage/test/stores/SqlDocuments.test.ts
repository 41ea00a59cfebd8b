import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { documentRecordSuite } from "@dockline/testing/suites/intake/DocumentRecordSuite"
import { assert } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, services } from "../Movements.ts"

Suite.register(runner, documentRecordSuite, Suite.alternating(Sql.layer), TestDatabase.layer)

/**
 * The only documents of a facility: 10,000 of the year 2000, each an hour after the one before, with an order and a removal. Their ids are below
 * all that is drawn, as those of the shards of a cluster may be below what its coordinator would draw here.
 */
const fill = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { submit } = yield* aBusiness
  const { id } = yield* submit("B", "O1")
  yield* sql`truncate dockline.document_record, dockline.document_order, dockline.document_removal`
  yield* sql`insert into dockline.document_record (business_id, id, facility_id, received_at, outcome, correlation_id,
      number_key, order_key, new_orders, new_items, row_count, text_size, content, place)
    select s.business_id, n - 10001, s.facility_id, '2000-01-01'::timestamptz + n * interval '1 hour', 'UPDATED', '', '=B', '=O1',
      '{}', '{}', 2, 1, '["wms","N",["O"],["MERGE"],"",[0,0,0,0],[]]', -n
    from dockline.shipment s, generate_series(1, 10000) as n where s.id = ${id}::bigint order by n`
  yield* sql`insert into dockline.document_order (business_id, document_id, facility_id, order_key, outcome, place)
    select business_id, id, facility_id, '=O2', outcome, place from dockline.document_record`
  yield* sql`insert into dockline.document_removal (business_id, document_id, facility_id, lpn_key, outcome, place)
    select business_id, id, facility_id, '=L1', outcome, place from dockline.document_record`
})

over(services)("the record of documents on PostgreSQL", (test) => {
  test("has the places of times and ids, as pallets have", function*() {
    const sql = yield* SqlClient.SqlClient
    const { record, submit } = yield* aBusiness
    const { id } = yield* submit("PLACED", "O1", "L1")
    yield* submit("PLACED", "O1", "L1", "L2")
    yield* record({ eventId: "E1", shipmentId: id, lpn: "L1" })
    const [counts] = yield* sql`select
      (select count(*)::int from dockline.document_record where place = dockline.list_place(received_at, id)) as documents,
      (select count(*)::int from dockline.document_record where place <> dockline.list_place(received_at, id)) as lost,
      (select count(*)::int from dockline.pallet where place = dockline.list_place(recorded_at, id)) as pallets`
    assert.deepStrictEqual(counts, { documents: 2, lost: 0, pallets: 1 })
  })

  test("is dropped in steps, the oldest first, with what it has of its orders and removals", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* fill
    const drop = Effect.map(
      sql<{ readonly count: number }>`select dockline.document_drop(
          '2000-01-01'::timestamptz + 2500 * interval '1 hour', 1000) as count`,
      ([row]) => row!.count
    )
    assert.deepStrictEqual(yield* Effect.all([drop, drop, drop, drop]), [1000, 1000, 499, 0])
    const [rows] = yield* sql<
      {
        readonly records: number
        readonly orders: number
        readonly removals: number
        readonly orphans: number
      }
    >`select
        (select count(*)::int from dockline.document_record) as records,
        (select count(*)::int from dockline.document_order) as orders,
        (select count(*)::int from dockline.document_removal) as removals,
        (select count(*)::int from dockline.document_order o where not exists
          (select from dockline.document_record d where d.business_id = o.business_id and d.id = o.document_id)) as orphans`
    assert.deepStrictEqual(rows, { records: 7501, orders: 7501, removals: 7501, orphans: 0 })
  })

  test("is dropped by every instance once it has expired, and what is new is kept", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* fill
    const { submit } = yield* aBusiness
    yield* submit("NEW", "O1")
    const rows = sql`select from dockline.document_record`
    const instance = Layer.build(Layer.fresh(Sql.layer).pipe(Layer.provide(Layer.fresh(Announcer.layer))))
    yield* Effect.scoped(Effect.andThen(
      instance,
      Effect.repeat(rows, { until: ({ length }) => length <= 1, schedule: Schedule.spaced("50 millis") })
        .pipe(Effect.timeout("60 seconds"))
    ))
    assert.lengthOf(yield* rows, 1)
  })
})
