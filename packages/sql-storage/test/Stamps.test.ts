/** The times of the service's own by which lists of the contract go (D21.1). */
import { auditing, AuditLog } from "@dockline/core/access/AuditLog"
import { Intake } from "@dockline/core/document/Intake"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../test/support/Tests.ts"
import { aBusiness, holding, services } from "./Movements.ts"
import { isAfterTheWait } from "./Stamp.ts"

over(services)("D21.1 what waited is of the time when it was written", (test) => {
  test("a document, for its shipment", function*() {
    const acme = yield* aBusiness
    const { id } = yield* acme.submit("S1", "O1", "L1")
    const sql = yield* SqlClient.SqlClient
    yield* isAfterTheWait({
      write: acme.merge("S1", "O1", "L1"),
      lock: holding(
        sql`select from dockline.shipment where business_id = ${acme.id}::bigint and id = ${id}::bigint for no key update`
      ),
      times: Effect.map(
        Intake.use((intake) => intake.records({ business: acme.slug }, acme.principal)),
        ({ items }) => items.map(({ receivedAt }) => receivedAt)
      )
    })
  })

  test("an entry of the record of changes, for its business", function*() {
    const acme = yield* aBusiness
    const sql = yield* SqlClient.SqlClient
    const all = { clientId: undefined, subject: undefined, from: undefined, to: undefined }
    yield* isAfterTheWait({
      write: Effect.flatMap(auditing, (audit) =>
        audit(
          acme.principal,
          sql`update dockline.business set name = 'Other' where slug = ${acme.slug}`,
          () => ({ action: "BUSINESS_CHANGED", business: acme.slug, subject: acme.slug, details: {} })
        )),
      lock: holding(sql`select from dockline.business where slug = ${acme.slug} for update`),
      times: Effect.map(
        AuditLog.use((log) => log.list([acme.slug], all, { limit: 100, after: undefined })),
        ({ items }) => items.map(({ at }) => at)
      )
    })
  })
})
