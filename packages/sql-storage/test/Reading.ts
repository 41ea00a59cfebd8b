/** What an operation reads on PostgreSQL, however the planner was told of what there is. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { verdict } from "./ListTenants.ts"

/** The most rows and index entries of all tables that one operation may read. */
export const most = 160

/** How many rows and index entries an effect reads, those that foreign keys need included. */
export const read = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const count = sql<{ readonly read: number }>`select
      ((select sum(seq_tup_read) from pg_stat_xact_user_tables where schemaname = 'dockline')
      + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
        where schemaname = 'dockline'))::int as read`
  const [before] = yield* count
  yield* effect
  return (yield* count)[0]!.read - before!.read
})

/** How many rounds there are before the planner is told of them: autovacuum analyzes a table once it has had 50 rows. */
export const beginnings = [["for empty tables", 0], ["for a few rows", 30]] as const

/** Tells the planner how many businesses and facilities there are; 0: as many as it counts. */
const tellOfBusinesses = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string; readonly tableName: string }>`
    select a.attname as name, c.relname as "tableName" from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'dockline'::regnamespace and c.relkind = 'r' and a.attname in ('business_id', 'facility_id')`
  for (const { name, tableName } of columns) {
    yield* sql.unsafe(`alter table dockline.${tableName} alter column ${name} set (n_distinct = ${count})`)
  }
  yield* sql.unsafe("analyze")
})

/**
 * Runs an effect in a transaction, planned as beside hundreds of other businesses: for the few rows that a business has on average, though
 * it has nearly all.
 */
export const amongManyBusinesses = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.acquireUseRelease(
    tellOfBusinesses(300),
    () => sql.withTransaction(effect),
    () => Effect.orDie(tellOfBusinesses(0))
  )
})

/**
 * Shipments of the facility of one that is there, each with an order of two items, a pallet and its event; and one more, whose
 * order has as many items as they have together.
 */
export const fill = Effect.fnUntraced(function*(like: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction,
      expected_arrival_at, scheduled_at, trailer_number, carrier, additional_fields, created_at)
    select s.business_id, s.facility_id, 'X' || n, '=X' || n, 'SCHEDULED', 'OUTBOUND', now(), now(), '', '', '[]', now()
    from dockline.shipment s, generate_series(1, ${count}::int) as n where s.id = ${like}::bigint`
  yield* sql`insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status,
      direction, order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity,
      carrier, seal_number, supplier, client, destination, created_at)
    select business_id, facility_id, id, number, number_key, 'CREATED', 'OUTBOUND', '', '', '', '', '', 0, '', '', '', '',
      '', now() from dockline.shipment where number like 'X%'`
  yield* sql`insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity,
      quantity_unit, purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width,
      dimension_unit, is_dangerous_good, lot, case_serials, facility_id, lpn_shipment_id)
    select business_id, id, 'key ' || n, '', number || n, 'S', 1, '', '', '', '', 0, '', 0, 0, 0, '', false, '', '[]',
      facility_id, shipment_id
    from dockline.customer_order,
      generate_series(1, case number when ${`X${count}`} then 2 * ${count}::int else 2 end) as n where number like 'X%'`
  yield* sql`insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction,
      first_seen_at, last_direction, last_seen_at, last_dock_id, recorded_at, place)
    select business_id, nextval('dockline.pallet_id'), facility_id, id, number, number_key, 'LOADING', now(), 'LOADING', now(), 0,
      now(), -id
    from dockline.shipment
    where number like 'X%'`
  yield* sql`insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id,
      pallet_id, message_id, direction, occurred_at, dock_id, orders, labels, verdict)
    select p.business_id, s.facility_id, p.lpn_key, '', s.id, p.id, s.id, 'LOADING', now(), d.id, '[]', '[]', ${verdict}::json
    from dockline.pallet p join dockline.shipment s on s.business_id = p.business_id and s.id = p.shipment_id
    join dockline.dock d on d.facility_id = s.facility_id and d.slug = 'D1' where s.number like 'X%'`
})
