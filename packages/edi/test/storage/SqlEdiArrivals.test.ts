/** Leases of control numbers follow one clock, that of the database, whatever the clocks of instances show (D18.3). */
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { aPartner } from "@dockline/edi/suites/EdiWorld"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { ahead } from "../../../../test/support/database/InstanceClock.ts"
import { over } from "../../../../test/support/Tests.ts"
import { servicesWith } from "../../../sql-storage/test/Movements.ts"

over(servicesWith([ediSql]))("EDI on PostgreSQL", (test) => {
  for (const seconds of [-3600, -31, 31, 3600]) {
    test(`keeps a control number where the clock of an instance is ${seconds} seconds ahead`, function*() {
      const store = yield* EdiStore
      const { name } = yield* aPartner()
      const reserve = (control: string) => store.reserve(name, { control, fingerprint: "a" })
      const tag = (control: string) => Effect.map(reserve(control), (reservation) => reservation?._tag)
      assert.strictEqual(yield* tag("000000001"), "Reserved")
      assert.strictEqual(yield* ahead(seconds)(tag("000000001")), "Running")
      assert.strictEqual(yield* ahead(seconds)(tag("000000002")), "Reserved")
      assert.strictEqual(yield* tag("000000002"), "Running")
      const reservation = yield* reserve("000000003")
      if (reservation?._tag !== "Reserved") return assert.fail()
      assert.isTrue(yield* ahead(seconds)(store.renew(name, reservation.id)))
      assert.strictEqual(yield* tag("000000003"), "Running")
    })
  }

  test("has the places of times and ids, of files that were refused too", function*() {
    const sql = yield* SqlClient.SqlClient
    const store = yield* EdiStore
    const { name } = yield* aPartner()
    const file = {
      direction: "IN" as const,
      control: "000000001",
      outcome: "ACCEPTED" as const,
      sets: [],
      faults: [],
      text: "ISA",
      answer: ""
    }
    yield* store.transact(
      name,
      {},
      ({ partner: { cursorId, nextGroup, nextInterchange } }) =>
        Result.succeed({
          plan: { cursorId, nextGroup, nextInterchange, file },
          answer: () => 0
        })
    )
    yield* store.refuse(name, { control: "000000002", fingerprint: "f", fault: "damaged", text: "ISA" })
    const rows = yield* sql<
      { readonly right: boolean }
    >`select place = dockline.list_place(at, id) as right from dockline.edi_file where epoch = ${name.key}::bigint`
    assert.deepStrictEqual(rows.map(({ right }) => right), [true, true])
  })
})
