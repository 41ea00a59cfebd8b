/**
 * Random histories on PostgreSQL and in memory: every answer and every state is the same, except ids. This file runs some; CI runs a
 * thousand by `npm run test:soak`.
 */
import { countDiscrepancies, hasDiscrepancies } from "@dockline/core/shipment/Discrepancies"
import { sizeOfOrder, textOfHeader } from "@dockline/core/shipment/ShipmentSize"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { sizeOfPallet } from "@dockline/core/shipment/Verdict"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { afterAll, assert, describe, it } from "vitest"
import { often } from "../support/Runner.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import type { Services } from "./histories/HistoryService.ts"
import * as RandomHistories from "./histories/RandomHistories.ts"

const postgres = ManagedRuntime.make(
  Layer.unwrap(
    Effect.map(TestDatabase.createMigrated, ({ url }) =>
      Layer.merge(
        RandomHistories.layer(url),
        Sql.layer.pipe(Layer.provideMerge(Database.layer({ ...Database.defaultDatabaseConfig, url })))
      ))
  )
)
afterAll(() => postgres.dispose())

const steps = 100
const count = Math.ceil(10 * often.factor)

/** Stored counts of shipments, orders and pallets that differ from those computed from their parts, with the right values. */
const keptWrongly = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const store = yield* ShipmentStore
  const ids = yield* sql<{ readonly id: string }>`select id::text from dockline.shipment order by id`
  let checked = 0
  const wrong = yield* Effect.forEach(ids, ({ id }) =>
    Effect.gen(function*() {
      const { shipment } = (yield* store.find(Number(id), []))!
      const { page } = (yield* store.palletsOf(Number(id), { limit: 100, after: 0 }, []))!
      const [kept] =
        yield* sql`select json_build_array(s.missing_pallets, s.unexpected_pallets, s.wrong_dock_pallets, s.discrepant,
          s.text_size, (select coalesce(json_agg(json_build_array(o.row_count, o.text_size) order by o.id), '[]')
            from dockline.customer_order o where o.business_id = s.business_id and o.shipment_id = s.id),
          (select coalesce(json_agg(json_build_array(p.row_count, p.text_size) order by p.id), '[]')
            from dockline.pallet p where p.business_id = s.business_id and p.shipment_id = s.id)) as kept
        from dockline.shipment s where s.id = ${id}::bigint`
      const counts = countDiscrepancies(shipment)
      const sizes = page.items.map((pallet) =>
        sizeOfPallet({ ...pallet, ordersWithLpn: [], onlyOrder: null })
      )
      checked += sizes.length
      const expected = [
        counts.missingPallets,
        counts.unexpectedPallets,
        counts.wrongDockPallets,
        hasDiscrepancies(shipment),
        textOfHeader(shipment),
        shipment.orders.map((order) => Object.values(sizeOfOrder(order, [order.items]))),
        sizes.map(({ rows, text }) => [rows, text])
      ]
      return isDeepStrictEqual(kept!["kept"], expected) ? [] : [{ id, kept: kept!["kept"], expected }]
    }))
  return { wrong: wrong.flat(), enough: checked >= count && ids.length >= count }
})

describe("PostgreSQL and memory", () => {
  it(`give the same answers and end in the same state, in ${count} histories of ${steps} steps`, async () => {
    const seed = Math.trunc(Math.random() * 0x4000_0000)
    await postgres.runPromise(
      Effect.flatMap(
        Effect.context<Services>(),
        (context) => RandomHistories.runAll(context, { count, steps, seed })
      )
    )
  }, 240_000)

  it("keep of shipments, orders and pallets what is read of them", async () => {
    assert.deepStrictEqual(await postgres.runPromise(keptWrongly), { wrong: [], enough: true })
  }, 60_000)
})
