import { ShipmentStore } from "@dockline/core/ShipmentStore"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { shipmentStoreSuite } from "@dockline/testing/suites/ShipmentStoreSuite"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { verdict } from "../ListTenants.ts"
import { aBusiness, services } from "../Movements.ts"

Suite.register(runner, shipmentStoreSuite, Sql.layer, TestDatabase.layer)

layer(services, { excludeTestServices: true })("D5.1 pages", (it) => {
  it.effect("a page ends early rather than hold more than 10,000 rows, pallets too", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { slug, submit } = yield* aBusiness
      for (const [number, count] of [["A", 5994], ["B", 3998], ["C", 0], ["D", 1]] as const) {
        const { id } = yield* submit(number, `O${number}`)
        yield* sql`insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, first_direction, first_seen_at,
            last_direction, last_seen_at, last_dock_id)
          select business_id, nextval('dockline.pallet_id'), facility_id, id, '', 'LOADING', now(), 'LOADING', now(), 0
          from dockline.shipment, generate_series(1, ${count}::int) where id = ${id}::bigint`
      }
      const store = yield* ShipmentStore
      const filter = {
        business: undefined,
        facility: undefined,
        shipmentNumber: undefined,
        status: undefined
      }
      const page = yield* store.listShipments([{ business: slug, facilities: "*" }], filter, {
        limit: 100,
        after: 0
      })
      assert.deepStrictEqual(page.items.map(({ shipment }) => [shipment.number, shipment.pallets.length]), [
        ["A", 5994],
        ["B", 3998],
        ["C", 0]
      ])
    }))

  it.effect("D13.2 a page of the pallets of a large shipment, a look-up and an event cost what they show", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { record, slug, submit } = yield* aBusiness
      const { id } = yield* submit("A", "O1", "L1", "L2")
      yield* sql`insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, lpn_key, first_direction,
          first_seen_at, last_direction, last_seen_at, last_dock_id)
        select business_id, nextval('dockline.pallet_id'), facility_id, id, 'L' || n, '=L' || n, 'LOADING', now(),
          'LOADING', now(), 0
        from dockline.shipment, generate_series(1, 3000) as n where id = ${id}::bigint`
      yield* sql`insert into dockline.pallet_event (business_id, facility_id, event_key, fingerprint, shipment_id,
          pallet_id, message_id, direction, occurred_at, dock_id, orders, labels, verdict)
        select p.business_id, p.facility_id, '=E' || p.id, '', p.shipment_id, p.id, p.id, 'LOADING', now(), d.id, '[]', '[]', ${verdict}::json
        from dockline.pallet p join dockline.dock d on d.facility_id = p.facility_id and d.slug = 'D1'
        where p.shipment_id = ${id}::bigint`
      const store = yield* ShipmentStore
      const rows = Effect.map(
        sql<{ readonly rows: number }>`select (
            (select sum(seq_tup_read) from pg_stat_xact_user_tables where schemaname = 'dockline')
            + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_stat_user_indexes
              where schemaname = 'dockline'))::int as rows`,
        ([row]) => row!.rows
      )
      const costOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        sql.withTransaction(Effect.gen(function*() {
          const before = yield* rows
          yield* effect
          return (yield* rows) - before
        }))
      const cost = (after: number, limit: number) =>
        costOf(Effect.map(
          store.palletsOf(id, { after, limit }, []),
          (found) => assert.strictEqual(found!.page.items.length, limit)
        ))
      const first = (yield* store.palletsOf(id, { after: 0, limit: 1 }, []))!.page.items[0]!.id
      for (const after of [0, first + 2500]) {
        assert.isBelow(yield* cost(after, 1), 80)
        assert.isBelow(yield* cost(after, 10), 300)
      }
      const find = store.listPallets(
        [{ business: slug, facilities: "*" }],
        { business: slug, facility: undefined, lpn: "L77" },
        { after: 0, limit: 10 }
      )
      assert.isBelow(yield* costOf(find), 80)
      for (const lpn of ["L77", "new"]) {
        assert.isBelow(yield* costOf(record({ eventId: `E-${lpn}`, shipmentNumber: "A", lpn })), 120)
      }
    }))
})
