/** The instruments of `bench scale`: what fills a year, and what is made of what was measured. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { need } from "../../bench/src/scale/Model.ts"
import type { Measured, Use } from "../../bench/src/scale/Model.ts"
import * as Year from "../../bench/src/scale/Year.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const year: Year.Year = { tenants: 4, shipmentsPerDay: 2, days: 25, retentionDays: 10, items: 3, pallets: 2 }

layer(TestDatabase.layer, { excludeTestServices: true })("bench scale: a year is filled", (it) => {
  it.effect("with shares that go with 1/n, and messages for as long as they are kept", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const statement of Year.statements(year)) yield* sql.unsafe(statement)
      const shares = yield* sql`select b.slug, count(*)::int as count from dockline.shipment s
        join dockline.business b on b.id = s.business_id group by b.slug order by b.slug`
      assert.deepStrictEqual(shares.map(({ count }) => count), [24, 12, 8, 6])
      const [counted] = yield* sql`select (select count(*)::int from dockline.order_item) as items,
        (select count(*)::int from dockline.pallet_event) as pallets,
        (select count(*)::int from dockline.message) as messages,
        (select count(*)::int from dockline.webhook_delivery) as deliveries,
        (select (max(now() - sent_at) < interval '10 days') from dockline.message) as kept,
        (select count(*)::int from dockline.shipment where status = 'SCHEDULED') as scheduled`
      const { kept, messages, ...rest } = counted!
      assert.isTrue(kept)
      assert.deepStrictEqual(rest, { items: 150, pallets: 92, deliveries: messages, scheduled: 4 })
      const skew = yield* sql.unsafe(Year.skew)
      assert.deepStrictEqual(skew, [{ largest: 24, middle: 8, total: 50 }])
    }))
})

describe("bench scale: the model", () => {
  const measured: Measured = {
    document: { server: 2, postgres: 1 },
    pallet: { server: 0.9, postgres: 1.9 },
    delivery: { server: 0.1, postgres: 0.1 },
    shipmentBytes: 1024 ** 2,
    messageBytes: 1024
  }
  const use: Use = {
    shipmentsPerDay: 86_400,
    documents: 2,
    pallets: 4,
    peak: 5,
    retentionDays: 10,
    busy: 0.5
  }

  it("takes processors for the busiest hour, and disk for a year and for what is kept", () => {
    const found = need(measured, use)
    // Five shipments a second: 10 documents and 20 pallets, each delivered once.
    assert.strictEqual(found.writes, 30)
    assert.closeTo(found.serverCores, (10 * 2 + 20 * 1) / 1000 / 0.5, 1e-9)
    assert.closeTo(found.postgresCores, (10 * 1 + 20 * 2) / 1000 / 0.5, 1e-9)
    assert.strictEqual(found.instances, 2)
    assert.closeTo(found.yearGiB, 86_400 * 365 / 1024, 1e-6)
    assert.closeTo(found.keptGiB, 86_400 * 4 * 10 / 1024 ** 2, 1e-9)
  })

  it("is linear, and has an instance for each processor", () => {
    const [once, hundredfold] = [
      need(measured, use),
      need(measured, { ...use, shipmentsPerDay: 8_640_000 })
    ] as const
    assert.closeTo(hundredfold.postgresCores, once.postgresCores * 100, 1e-6)
    assert.strictEqual(hundredfold.instances, 8)
  })
})
