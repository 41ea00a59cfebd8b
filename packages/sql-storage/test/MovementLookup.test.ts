/** D6.2 on PostgreSQL: the shipment of an lpn is found at the same small cost whatever else is stored. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { aBusiness, services } from "./Movements.ts"

/** Shipments after the ones that are there, each with one order of two items of the lpn. */
const shipmentsWith = Effect.fnUntraced(
  function*(like: number, lpn: string, status: "SCHEDULED" | "DEPARTED", count: number) {
    const sql = yield* SqlClient.SqlClient
    const number = `${lpn} ${status} `
    yield* sql`insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction,
        expected_arrival_at, scheduled_at, trailer_number, carrier, additional_fields, created_at)
      select s.business_id, s.facility_id, ${number} || n, ${number} || n, ${status}, 'OUTBOUND', now(), now(), '', '', '[]', now()
      from dockline.shipment s, generate_series(1, ${count}::int) as n where s.id = ${like}::bigint`
    yield* sql`insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status, direction,
        order_type, purchase_order, consignee_name, consignee_phone_number, bol_number, expected_quantity, carrier,
        seal_number, supplier, client, destination, created_at)
      select s.business_id, s.facility_id, s.id, s.number, s.number_key, 'CREATED', 'OUTBOUND', '', '', '', '', '', 0, '', '', '',
        '', '', now()
      from dockline.shipment s join dockline.shipment l on l.facility_id = s.facility_id and l.id = ${like}::bigint
      where starts_with(s.number, ${number})`
    yield* sql`insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity, quantity_unit,
        purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width, dimension_unit,
        is_dangerous_good, lot, case_serials, facility_id, lpn_shipment_id)
      select o.business_id, o.id, 'key ' || n, '', ${lpn}, 'S', 1, 'CASE', '', '', '', 0, '', 0, 0, 0, '', false, '', '[]',
        o.facility_id, case when ${status} = 'DEPARTED' then -o.shipment_id else o.shipment_id end
      from dockline.customer_order o join dockline.shipment l on l.facility_id = o.facility_id
        and l.id = ${like}::bigint, generate_series(1, 2) as n where starts_with(o.number, ${number})`
  }
)

/** How many rows and index entries a look-up reads. */
const look = Effect.fnUntraced(function*(like: number, lpn: string) {
  const sql = yield* SqlClient.SqlClient
  const read = sql<{ readonly read: number }>`select
      (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_xact_user_tables
        where schemaname = 'dockline')::int
      + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
        where schemaname = 'dockline' and indexrelname = 'order_item_lpn')::int as read`
  return yield* sql.withTransaction(Effect.gen(function*() {
    const [facility] = yield* sql<
      { readonly id: string; readonly business: string }
    >`select facility_id::text as id, business_id::text as business from dockline.shipment
      where id = ${like}::bigint`
    const [before] = yield* read
    const [row] = yield* sql<{ readonly id: number | null }>`select
      dockline.shipment_by_lpn(${facility!.business}::bigint, ${facility!.id}::bigint, ${lpn})::float8 as id`
    return { id: row!.id, read: (yield* read)[0]!.read - before!.read }
  }))
})

layer(services, { excludeTestServices: true })("D6.2 the look-up of an lpn", (it) => {
  describe("reads one item", () => {
    it.effect("whatever other businesses, departed shipments and other open ones hold", () =>
      Effect.gen(function*() {
        const [acme, globex] = [yield* aBusiness, yield* aBusiness]
        const foreign = yield* globex.submit("S1", "O1", "L")
        yield* shipmentsWith(foreign.id, "N/A", "SCHEDULED", 3000)
        const first = yield* acme.submit("S1", "O1", "N/A", "OLD")
        yield* shipmentsWith(first.id, "OLD", "SCHEDULED", 2000)
        const old = yield* acme.submit("S2", "O2", "OLD")
        yield* shipmentsWith(first.id, "N/A", "DEPARTED", 3000)
        const latest = yield* acme.submit("S3", "O3", "N/A")
        yield* shipmentsWith(first.id, "GONE", "DEPARTED", 2000)
        yield* shipmentsWith(first.id, "other", "SCHEDULED", 3000)
        const expected = [["N/A", latest.id], ["OLD", old.id], ["GONE", null], ["nowhere", null]] as const
        const sql = yield* SqlClient.SqlClient
        for (const analyzed of [false, true]) {
          if (analyzed) {
            yield* sql`analyze dockline.shipment, dockline.customer_order, dockline.order_item`
          }
          for (const [lpn, id] of expected) {
            const found = yield* look(first.id, lpn)
            assert.strictEqual(found.id, id, lpn)
            assert.isAtMost(found.read, 5, `${lpn}, ${analyzed ? "analyzed" : "not analyzed"}`)
          }
        }
        const { answer } = yield* acme.record({ eventId: "E1", lpn: "N/A" })
        assert.deepStrictEqual([answer.serviceShipmentId, answer.orders], [String(latest.id), ["O3"]])
      }))
  })
})
