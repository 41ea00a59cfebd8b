/** The time by which the list of exceptions goes (D21.1). */
import { Exceptions } from "@dockline/core/exceptions/Exceptions"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { exceptionsSql } from "../../src/exceptions/ExceptionSql.ts"
import { aBusiness, holding, servicesWith } from "../Movements.ts"
import { isAfterTheWait } from "../Stamp.ts"

over(Exceptions.layer.pipe(Layer.provideMerge(servicesWith([exceptionsSql]))))(
  "D21.1 an exception that waited is of the time when it was written",
  (test) => {
    for (const lock of ["shipment", "log"] as const) {
      test(`for the ${lock}`, function*() {
        const acme = yield* aBusiness
        const { id } = yield* acme.submit("S1", "O1", "L1")
        // The log is there.
        yield* acme.record({ eventId: "E0", lpn: "L1" })
        const sql = yield* SqlClient.SqlClient
        const locks = {
          shipment:
            sql`select from dockline.shipment where business_id = ${acme.id}::bigint and id = ${id}::bigint for no key update`,
          log: sql`select from dockline.message_log where business_id = ${acme.id}::bigint for no key update`
        }
        const report = { kind: "OTHER", priority: "LOW", description: "wet", lpn: "", palletId: "" } as const
        yield* isAfterTheWait({
          write: Exceptions.use((exceptions) => exceptions.report(String(id), report, acme.principal)),
          lock: holding(locks[lock]),
          times: Effect.map(
            Exceptions.use((exceptions) => exceptions.list({ business: acme.slug }, acme.principal)),
            ({ items }) => items.map(({ reportedAt }) => reportedAt)
          )
        })
      })
    }
  }
)
