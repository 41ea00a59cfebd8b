/** The instruments of `bench growth`: what fills a database, and how growth is told. */
import * as DemoData from "@dockline/server/DemoData"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Curve, Over } from "../../bench/src/growth/Curves.ts"
import * as Filled from "../../bench/src/growth/Filled.ts"
import { picture } from "../../bench/src/growth/Picture.ts"
import { growthOf, mostGrowth, toMarkdown } from "../../bench/src/growth/Report.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("bench growth: a database is filled", (it) => {
  it.effect("with as much as was asked for, and keeps its indexes and foreign keys", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const defined =
        sql`select pg_get_indexdef(indexrelid) as made from pg_index where indrelid::regclass::text like 'dockline.%'
        union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = 'dockline'::regnamespace order by 1`
      yield* DemoData.install.pipe(Effect.provide(Sql.layer))
      const before = yield* defined
      const found = yield* sql.unsafe<Filled.Made>(Filled.made)
      assert.isAbove(found.length, 20)
      for (const statement of Filled.statements({ shipments: 200, messages: 5000, tenants: 12 }, found)) {
        yield* sql.unsafe(statement)
      }
      assert.deepStrictEqual(yield* defined, before)
      const [counted] = yield* sql`select (select count(*)::int from dockline.shipment) as shipments,
        (select count(*)::int from dockline.order_item) as items, (select count(*)::int from dockline.pallet_event) as pallets,
        (select count(*)::int from dockline.message) as messages, (select last_id::int from dockline.message_log) as last,
        (select count(*)::int from dockline.client where id like 'tenant-%-growth') as clients`
      assert.deepStrictEqual(counted, {
        shipments: 200,
        items: 400,
        pallets: 200,
        messages: 5000,
        last: 5000,
        clients: 12
      })
    }))
})

const curve = (
  over: Over,
  ...points: ReadonlyArray<readonly [at: number, ...cpu: ReadonlyArray<number>]>
): Curve => ({
  title: "A document",
  over,
  points: points.map(([at, ...cpu]) => ({
    at,
    costs: cpu.map((server) => ({ p50: 1, server: server / 2, postgres: server / 2 }))
  }))
})

describe("bench growth: growth", () => {
  it("is the median of the rounds' ratios to the first point", () => {
    const stored = curve("shipments stored", [0, 1, 2, 4], [100, 1, 3, 4], [1000, 2, 4, 6])
    assert.strictEqual(growthOf(stored, 1), 1)
    assert.strictEqual(mostGrowth(stored), 2)
  })

  it("of items is that to the point before, so a cost that falls and rises again is seen", () => {
    assert.closeTo(mostGrowth(curve("items of a document", [10, 4], [100, 1], [1000, 1.5])), 1.5, 1e-9)
  })

  it("is told beside its aim, and drawn with a dot for each round", () => {
    const curves = [curve("tenants", [10, 1, 1], [100, 1.2, 1.2]), curve("tenants", [10, 1, 1], [100, 1, 1])]
    const page = toMarkdown({ date: "", machine: "", load: 0, settings: "", curves })
    assert.include(page, "grows to 1.20 at most; aim at most 1.1: not met")
    assert.include(page, "grows to 1.00 at most; aim at most 1.1: met")
    const svg = picture(curves)
    assert.strictEqual(svg.split("<circle").length - 1, 8)
    assert.notInclude(svg, "NaN")
  })
})
