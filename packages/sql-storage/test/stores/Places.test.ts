/** Places of lists with the newest first: SQL and TypeScript count alike, at any time that a client may name. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { placeAfter } from "../../src/rows/BusinessRows.ts"

// Of both ends that timestamps have (D1.6), those that places tell apart, and now; the newest first.
const times = [
  Timestamp.of("9999-12-31T23:59:59.999Z"),
  Timestamp.of("2109-05-15T07:35:11.101Z"),
  Timestamp.of("2109-05-15T07:35:11.100Z"),
  Timestamp.of("2100-01-01T00:00:00.000Z"),
  Timestamp.of("2026-11-20T17:00:00.001Z"),
  Timestamp.of("2026-11-20T17:00:00.000Z"),
  Timestamp.of("1970-01-01T00:00:00.003Z"),
  Timestamp.of("1970-01-01T00:00:00.000Z"),
  Timestamp.of("0001-01-01T00:00:00.000Z")
]

over(TestDatabase.layer)("the place of a row", (test) => {
  test("is that of the cursor that names it, the newest first, whatever the time is", function*() {
    const sql = yield* SqlClient.SqlClient
    const positions = times.flatMap((at) => [2 ** 53 - 1, 1].map((id) => ({ at, id })))
    const places = yield* Effect.forEach(positions, ({ at, id }) =>
      Effect.map(
        sql<
          { readonly place: string }
        >`select (dockline.list_place(at, id))::text as place from (select ${at}::timestamptz as at, ${id}::bigint as id) as r`,
        ([row]) => BigInt(row!.place)
      ))
    assert.deepStrictEqual(places, positions.map((position) => BigInt(placeAfter(position))))
    const ofOneId = places.filter((_, index) => index % 2 === 1)
    assert.deepStrictEqual(ofOneId.toSorted((left, right) => Number(left - right)), ofOneId)
    assert.isTrue(places.every((place) => place > BigInt(placeAfter(undefined))))
  })
})
