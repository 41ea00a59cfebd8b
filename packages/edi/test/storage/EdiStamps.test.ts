/** The time by which the list of files is sorted (D21.1). */
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { aBusiness, holding, onNodeOf, servicesWith } from "../../../sql-storage/test/Movements.ts"
import { isAfterTheWait } from "../../../sql-storage/test/Stamp.ts"
import { partnerAt } from "./Partner.ts"

const everyFile = {
  business: undefined,
  facility: undefined,
  partner: undefined,
  direction: undefined,
  outcome: undefined,
  shipmentId: undefined
}

over(servicesWith([ediSql]))(
  "D21.1 a file that waited for the exchange is of the time when it was written",
  (test) => {
    for (const what of ["taken", "refused"] as const) {
      test(`that was ${what}`, function*() {
        const acme = yield* aBusiness
        const sql = yield* SqlClient.SqlClient
        const edi = yield* EdiStore
        const { key } = yield* edi.create(partnerAt(acme.slug))
        const name = { business: acme.slug, key }
        const file = {
          direction: "IN",
          control: "000000001",
          outcome: "ACCEPTED",
          sets: [],
          faults: [],
          text: "",
          answer: ""
        } as const
        const writes = {
          taken: edi.transact(
            name,
            {},
            ({ partner: { cursorId, nextGroup, nextInterchange } }) =>
              Result.succeed({
                plan: { cursorId, nextGroup, nextInterchange, marked: [], file },
                answer: () => 0
              })
          ),
          refused: edi.refuse(name, { control: "000000002", fingerprint: "f", fault: "damaged", text: "ISA" })
        }
        const scopes = [{ business: acme.slug, facilities: "*" as const }]
        yield* isAfterTheWait({
          write: writes[what],
          lock: holding(sql`select dockline.edi_lock(${acme.id}::bigint)`, onNodeOf(acme.slug)),
          times: Effect.map(
            edi.files(scopes, everyFile, { limit: 100, after: undefined }),
            ({ items }) => items.map(({ at }) => at)
          )
        })
      })
    }
  }
)
