import { decideReport, decideResolve } from "@dockline/core/exceptions/ExceptionRules"
import { ExceptionStore } from "@dockline/core/exceptions/Exceptions"
import { exceptionsSql } from "@dockline/sql-storage/exceptions/ExceptionSql"
import * as Sql from "@dockline/sql-storage/Sql"
import { exceptionStoreSuite } from "@dockline/testing/capabilities/exceptions/ExceptionStoreSuite"
import * as Suite from "@dockline/testing/Suite"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import { runner } from "../../../../test/support/Runner.ts"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { businessId } from "../../src/rows/BusinessRows.ts"
import { aBusiness, holding, lockWaiters, servicesWith, statements, times } from "../Movements.ts"
import { amongManyBusinesses, beginnings, fill, most, read } from "../Reading.ts"

Suite.register(runner, exceptionStoreSuite, Sql.layerWith([exceptionsSql]), TestDatabase.layer)

over(servicesWith([exceptionsSql]))("SqlExceptionStore", (test) => {
  test("a report and a resolution are two statements, whatever other shipments have", function*() {
    const sql = yield* SqlClient.SqlClient
    const { principal, submit } = yield* aBusiness
    const store = yield* ExceptionStore
    const { id: other } = yield* submit("A", "O1")
    const { id } = yield* submit("B", "O2")
    yield* sql`insert into dockline.shipment_exception
          (business_id, shipment_id, facility_id, lpn, kind, priority, description, reported_at, reported_by)
        select business_id, id, facility_id, '', 'OTHER', 'LOW', 'Wet', now(), 'wms' from dockline.shipment, generate_series(1, 1000)
        where id = ${other}::bigint`
    const asking = { shipmentId: String(id), principal, dashboardUrl: "" }
    const report = store.report(
      id,
      { palletId: null, lpn: "" },
      (snapshot) => decideReport({ kind: "OTHER", priority: "LOW", description: "Wet" }, snapshot, asking)
    )
    const { exception } = (yield* report)!
    assert.strictEqual(yield* statements(report), 2)
    const resolve = store.resolve(
      id,
      exception.id,
      (snapshot) => decideResolve({ note: "Dried" }, snapshot, { ...asking, exceptionId: "" })
    )
    assert.strictEqual(yield* statements(resolve), 2)
    const page = yield* store.ofShipment(id, { limit: 10, after: 0 }, [])
    assert.deepStrictEqual(
      page!.page.items.map(({ exception: { resolution } }) => resolution?.note ?? null),
      [
        "Dried",
        null
      ]
    )
  })

  test("a report waits for the lock of its shipment, which other instances take too", function*() {
    const { slug, submit } = yield* aBusiness
    const { id } = yield* submit("A", "O1")
    const store = yield* ExceptionStore
    const lock = yield* holding(
      SqlClient.SqlClient.use((sql) =>
        sql`select from dockline.shipment
              where business_id = ${businessId(slug)}::bigint and id = ${id}::bigint for no key update`
      )
    )
    let isDecided = false
    const report = yield* Effect.forkChild(Effect.flip(store.report(id, { palletId: null, lpn: "" }, () => {
      isDecided = true
      return Result.fail("seen")
    })))
    yield* lockWaiters(1)
    assert.isFalse(isDecided)
    yield* lock.commit
    assert.strictEqual(yield* Fiber.join(report), "seen")
  })
})

for (const [when, rounds] of beginnings) {
  over(servicesWith([exceptionsSql]))(`the cost of exceptions on PostgreSQL, planned ${when}`, (test) => {
    test("is that of what they concern", function*() {
      const sql = yield* SqlClient.SqlClient
      const { principal, submit } = yield* aBusiness
      const store = yield* ExceptionStore
      const report = Effect.fnUntraced(function*(number: string) {
        const { id } = yield* submit(number, `O${number}`, "1")
        const exception = { kind: "OTHER", priority: "LOW", description: "Wet" } as const
        const asking = { shipmentId: String(id), principal, dashboardUrl: "" }
        const none = { palletId: null, lpn: "" }
        return {
          id,
          rows: yield* read(store.report(id, none, (snapshot) => decideReport(exception, snapshot, asking)))
        }
      })
      // In one transaction, so that nobody else can tell the planner meanwhile what there is.
      const rows = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`set local plan_cache_mode = force_generic_plan`
        for (const n of times(1 + rounds)) yield* report(`A${n}`)
        if (rounds > 0) yield* sql`analyze`
        yield* sql`discard plans`
        const { id } = yield* report("B")
        yield* fill(id, 3000)
        return (yield* report("C")).rows
      }))
      assert.isAtMost(rows, most)
      const amongMany = yield* amongManyBusinesses(report("D"))
      assert.isAtMost(amongMany.rows, most)
    })
  })
}
