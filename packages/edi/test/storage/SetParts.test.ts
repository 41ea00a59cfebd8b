/** However many sets a file has, or an acknowledgment names, they are loaded and written in parts. */
import { ediInterchange } from "@dockline/edi/domain/EdiFile"
import type { EdiFileDraft, EdiSet } from "@dockline/edi/domain/EdiFile"
import { EdiStore } from "@dockline/edi/domain/EdiStore"
import { ediSql } from "@dockline/edi/storage/EdiSql"
import { add, aPartner } from "@dockline/edi/suites/EdiWorld"
import { businessId } from "@dockline/sql-storage/rows/BusinessRows"
import { create } from "@dockline/testing/worlds/DeliveryWorld"
import { aDraft, append } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import { over } from "../../../../test/support/Tests.ts"
import { holding, lockWaiters, servicesWith, times } from "../../../sql-storage/test/Movements.ts"
import { pagesBy } from "../../src/storage/SetParts.ts"
import { longestJson } from "./LongestJson.ts"

const setOf = (group: number, at: number): EdiSet => ({
  kind: "945",
  control: String(at),
  group: "SW",
  groupControl: String(group),
  outcome: "WAITING",
  number: `SO-${at}`,
  shipmentId: "12",
  faults: []
})

/** A file with a group of sets. */
const fileOf = (group: number, sets: number): Partial<EdiFileDraft> => ({
  control: String(group).padStart(9, "0"),
  sets: times(sets).map((at) => setOf(group, at)),
  text: "ISA"
})

/** More than the JSON of a thousand sets, and far less than that of all. */
const limit = 250_000

it("cuts a list into pages of a weight, and takes the first of a page whatever its weight", () => {
  const pagesOf = (...weights: ReadonlyArray<number>) => pagesBy(weights, 10, (weight) => weight)
  assert.deepStrictEqual(pagesOf(), [])
  assert.deepStrictEqual(pagesOf(5, 5, 1, 20, 3), [[5, 5], [1], [20], [3]])
})

over(servicesWith([ediSql]))("the sets of EDI files on PostgreSQL", (test) => {
  test("are written, read and marked by a thousand at most", function*() {
    const sql = yield* SqlClient.SqlClient
    const store = yield* EdiStore
    const { business, name } = yield* aPartner()
    const reader = [{ business, facilities: ["east"] }]
    const [large, small] = [[11, 12, 13], times(1500).map((at) => 100 + at)]
    // The other sets were never sent.
    const few = small.filter((group) => group % 50 === 0)
    const writing = yield* longestJson(Effect.forEach(large, (group) => add(name, fileOf(group, 3000))))
    assert.isBelow(writing.longest, limit, "written")
    yield* Effect.forEach(few, (group) => add(name, fileOf(group, 1)))

    const marking = yield* longestJson(store.transact(
      name,
      { groups: [...large, ...small] },
      ({ partner: { cursorId, nextGroup, nextInterchange }, sentFiles }) =>
        Result.succeed({
          plan: {
            cursorId,
            nextGroup,
            nextInterchange,
            file: null,
            mark: (set): EdiSet => ({ ...set, outcome: set.control === "2999" ? "REJECTED" : "ACCEPTED" })
          },
          answer: () => sentFiles.length
        })
    ))
    assert.strictEqual(marking.done, large.length + few.length)
    assert.isBelow(marking.longest, limit, "marked")

    const read = yield* longestJson(store.file(writing.done[1]!, reader))
    assert.isBelow(read.longest, limit, "read")
    assert.strictEqual(read.done!.outcome, "PARTIAL")
    assert.deepStrictEqual(read.done!.sets.map(({ control }) => Number(control)), times(3000))
    const rows = yield* sql<{ readonly most: number; readonly outcomes: ReadonlyArray<string> }>`select
      (select max(json_array_length(s.sets)) from dockline.edi_set s where s.business_id = ${
      businessId(business)
    }::bigint) as most,
      array(select f.outcome || ' ' || count(*) from dockline.edi_file f where f.business_id = ${
      businessId(business)
    }::bigint group by f.outcome order by 1) as outcomes`
    assert.deepStrictEqual(rows[0]!.outcomes, ["ACCEPTED 30", "PARTIAL 3"])
    assert.isAtMost(rows[0]!.most, 1000)
  }, 60_000)

  test("go with their file", function*() {
    const sql = yield* SqlClient.SqlClient
    const { business, name } = yield* aPartner()
    yield* add(name, fileOf(11, 1200))
    const id = businessId(business)
    const parts = Effect.map(
      sql<{ readonly count: number }>`select count(*)::int as count from dockline.edi_set
        where business_id = ${id}::bigint`,
      ([row]) => row!.count
    )
    assert.isAbove(yield* parts, 1)
    yield* sql`select dockline.edi_drop(${id}::bigint, now() + interval '1 hour', 10)`
    assert.strictEqual(yield* parts, 0)
  })

  test("are all written before the log is locked for endpoints that get the file", function*() {
    const sql = yield* SqlClient.SqlClient
    const { business, name } = yield* aPartner()
    yield* create(business, { messageTypes: [ediInterchange] })
    const first = yield* add(name, fileOf(11, 1))
    const holder = yield* holding(sql`insert into dockline.edi_set (business_id, file_id, part, sets)
      values (${businessId(business)}::bigint, ${first + 1}::bigint, 1, '[]')`)
    const adding = yield* Effect.forkChild(add(name, fileOf(12, 1200)))
    yield* lockWaiters(1)
    const waits = yield* Effect.raceFirst(
      Effect.as(append(aDraft(business, 1)), false),
      Effect.as(lockWaiters(2), true)
    )
    yield* holder.rollback
    assert.strictEqual(yield* Fiber.join(adding), first + 1)
    assert.isFalse(waits)
  })
})
