/** Rows are what their schemas say. */
import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { it } from "vitest"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"
import { callsOf, storedJson } from "../../src/connections/Statements.ts"

const Page = Schema.Struct({ dropped_id: Schema.Null, last_id: Schema.String })

const head = Effect.fnUntraced(function*(checks: "all" | "cold") {
  const { rows } = callsOf(yield* SqlClient.SqlClient, checks)
  return yield* Effect.exit(
    rows(Page)`dockline.message_read(${1}, ${null}, ${["PALLET_EVENT"]}, ${0}, ${null}, ${1}, ${1})`
  )
})

const failureOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "success"

describe("rows by schemas", () => {
  over(TestDatabase.layer)("on PostgreSQL", (test) => {
    test("of another type, without a column, or with one more fail by function and field", function*() {
      const { call, query, run } = callsOf(yield* SqlClient.SqlClient)
      yield* run`dockline.answers_keep(${[]}, ${[]}, ${[]}, ${[]}, ${"2026-01-01T00:00:00.000Z"}, ${null})`
      assert.strictEqual(
        yield* call(Schema.String)`dockline.rfc3339(${"2026-01-01"})`,
        "2026-01-01T00:00:00.000Z"
      )
      const time = yield* Effect.exit(call(Schema.Number)`dockline.rfc3339(${"2026-01-01"})`)
      assert.include(
        failureOf(time),
        "rfc3339 returned a value that does not match its schema: Expected number"
      )
      const Facility = Schema.Struct({ slug: Schema.String, docks: Schema.Array(Schema.String) })
      const docks = yield* Effect.exit(query(Facility)`select 'main' as slug, '["d1", 2]'::json as docks`)
      assert.include(failureOf(docks), "select 'main' as slug")
      assert.include(failureOf(docks), "at [\"docks\"][1]")
      assert.include(failureOf(yield* Effect.exit(query(Facility)`select 'main' as slug`)), "Missing key")
      const more = yield* Effect.exit(query(Facility)`select 'main' as slug, '[]'::json as docks, 1 as floor`)
      assert.include(failureOf(more), "at [\"floor\"]")
    })

    test("of the next version may have more, and nothing else, where an instance serves", function*() {
      const { call, query } = callsOf(yield* SqlClient.SqlClient, "cold")
      const Order = Schema.Tuple([Schema.Number, Schema.String])
      const Body = Schema.NullOr(Schema.Struct({ id: Schema.Number, orders: Schema.Array(Order) }))
      const more = { id: 1, orders: [[1, "SO-1", "new"], [2, "SO-2", "new"]], added: true }
      const read = call(Body)`json_strip_nulls(${JSON.stringify(more)}::json)`
      assert.deepStrictEqual(yield* read, more as never)
      const wrong = { ...more, orders: [[1, 2, "new"]] }
      const fails = yield* Effect.exit(call(Body)`json_strip_nulls(${JSON.stringify(wrong)}::json)`)
      assert.include(failureOf(fails), "at [\"orders\"][0][1]")
      const less = yield* Effect.exit(
        query(Schema.Struct({ slug: Schema.String, name: Schema.String }))`select 'east' as slug, 1 as added`
      )
      assert.include(failureOf(less), "Missing key")
    })

    test("of a hot function are checked where all are, as in tests", function*() {
      assert.include(
        failureOf(yield* head("all")),
        "message_read returned a value that does not match its schema"
      )
      assert.isTrue(Exit.isSuccess(yield* head("cold")))
    })
  })

  it("of JSON that a newer version has stored may have more", () => {
    const read = storedJson(Schema.Tuple([Schema.Number]), "The record")
    assert.deepStrictEqual(read("[1, 2]"), [1, 2] as never)
    assert.throws(() => read("[\"1\"]"), "The record returned a value that does not match its schema")
  })

  it("are asserted by no store", () => {
    const asserts =
      /\b(?:ask|call|query|rows|jsonTexts|sql|unsafe)<|\brows as ReadonlyArray|\bJSON\.parse\(.*\) as /
    const packages = fileURLToPath(new URL("../../../", import.meta.url))
    const folders = [
      `${packages}sql-storage/src/`,
      ...readdirSync(packages).map((name) => `${packages}${name}/src/storage/`).filter((folder) =>
        existsSync(folder)
      )
    ]
    const places = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
        .filter((file) => asserts.test(readFileSync(folder + file, "utf8")))
    )
    assert.deepStrictEqual(places, [])
  })
})
