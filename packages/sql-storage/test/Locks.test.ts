/** The locks that the order of the log and of documents rests on, each held by somebody else, or counted. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Intake } from "@dockline/core/document/Intake"
import { aClient } from "@dockline/testing/generators/Given"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, holding, lockOfFacility, lockWaiters, services, times } from "./Movements.ts"

const advisoryLocks = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly count: number }>`select count(*)::int as count from pg_locks
        where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    ([row]) => row!.count
  )
)

const read = DocumentInput.reader()

over(services)("the locks of", (test) => {
  describe("documents (D3)", () => {
    test("of few orders wait for one of many, which has the facility alone", function*() {
      const acme = yield* aBusiness
      const many = yield* holding(lockOfFacility(acme.slug))
      const few = yield* Effect.forkChild(acme.submit("S1", "O1", "L1"))
      yield* lockWaiters(1)
      yield* many.commit
      const { orders } = yield* Fiber.join(few)
      assert.deepStrictEqual(orders.map(({ orderNumber }) => orderNumber), ["O1"])
    })

    test("are bounded in number: one for each number, and for a document of many orders the facility's alone", function*() {
      const acme = yield* aBusiness
      const intake = yield* Intake
      const submit = (shipmentNumber: string, count: number) =>
        Effect.flatMap(
          Effect.fromResult(read({
            business: acme.slug,
            facility: "east",
            direction: "OUTBOUND",
            shipmentNumber,
            orders: times(count).map((n) => ({ orderNumber: `${shipmentNumber}-${n}` }))
          })),
          (document) => intake.submit(document, aClient("client", acme.slug, "*", "documents:write"))
        )
      for (const [count, locks] of [[1, 3], [32, 34], [33, 1], [500, 1]] as const) {
        const writing = yield* holding(submit(`S${count}`, count))
        assert.strictEqual(yield* advisoryLocks, locks, `${count} orders`)
        yield* writing.commit
      }
    })
  })
})
