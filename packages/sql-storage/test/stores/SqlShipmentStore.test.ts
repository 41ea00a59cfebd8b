import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Sql from "@dockline/sql-storage/Sql"
import * as Suite from "@dockline/testing/Suite"
import { shipmentStoreSuite } from "@dockline/testing/suites/ShipmentStoreSuite"
import { assert } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, services } from "../Movements.ts"

Suite.register(runner, shipmentStoreSuite, Sql.layer, TestDatabase.layer)

over(services)("D5.1 pages", (test) => {
  test("a page ends early rather than hold more than 10,000 rows, pallets too", function*() {
    const sql = yield* SqlClient.SqlClient
    const { slug, submit } = yield* aBusiness
    for (const [number, count] of [["A", 5994], ["B", 3998], ["C", 0], ["D", 1]] as const) {
      const { id } = yield* submit(number, `O${number}`)
      yield* sql`insert into dockline.pallet (business_id, id, facility_id, shipment_id, lpn, first_direction, first_seen_at,
            last_direction, last_seen_at, last_dock_id, recorded_at, place)
          select business_id, nextval('dockline.pallet_id'), facility_id, id, '', 'LOADING', now(), 'LOADING', now(), 0, now(), -1
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
  })
})
