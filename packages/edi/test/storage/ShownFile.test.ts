/** Long texts of files are read in parts, none of which is parsed as JSON. */
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { add, aPartner } from "@dockline/edi/suites/EdiWorld"
import { assert } from "@effect/vitest"
import { over } from "../../../../test/support/Tests.ts"
import { servicesWith } from "../../../sql-storage/test/Movements.ts"
import { longestJson } from "./LongestJson.ts"

over(servicesWith([ediSql]))("long texts of EDI files on PostgreSQL", (test) => {
  test("are read in parts, of a file and of the outbox", function*() {
    const store = yield* EdiStore
    const { business, name } = yield* aPartner()
    const [text, answer] = ["ISA*~".repeat(900_000), "TA1*~".repeat(500_000)]
    const id = yield* add(name, { text, answer })
    const file = yield* longestJson(store.file(id, [{ business, facilities: ["east"] }]))
    assert.isTrue(file.done!.text === text && file.done!.answer === answer)
    const outbox = yield* longestJson(
      store.outbox({ business, facility: undefined, partner: undefined }, { after: 0, limit: 10 })
    )
    assert.isTrue(outbox.done.items.length === 1 && outbox.done.items[0]!.text === text)
    for (const { longest } of [file, outbox]) assert.isBelow(longest, 10_000)
  })
})
