/** Functions and views follow their texts: what changes is replaced, what is no longer listed goes, nothing else moves. */
import { apply, define } from "@dockline/sql-storage/schema/Definitions"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { definitions } from "@dockline/sql-storage/schema/SqlSchema"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"

const functionOf = (head: string, body: string) =>
  define(`create or replace function dockline.${head} immutable return ${body}`)

const one = functionOf("one(p_a int) returns int", "1")
const two = functionOf("two() returns int", "2")
const sum = define("create or replace view dockline.both as select dockline.one(0) + dockline.two() as sum")

/** The functions of the names that are used here, with what identifies each. */
const present = SqlClient.SqlClient.use((sql) =>
  sql<
    { readonly name: string; readonly id: string }
  >`select format('%s(%s)', proname, oidvectortypes(proargtypes)) as name, oid::text as id from pg_proc
      where pronamespace = 'dockline'::regnamespace and proname in ('one', 'two') order by 1`
)

it("are in the files of the folder sql, each in one of them", () => {
  const folder = join(import.meta.dirname, "../../sql")
  const inFiles = readdirSync(folder).filter((name) => name.endsWith(".sql"))
    .flatMap((name) =>
      readFileSync(join(folder, name), "utf8").match(/(?<=^create or replace \w+ dockline\.)\w+/gm) ?? []
    )
  assert.includeMembers(definitions.map(({ name }) => name), inFiles)
  assert.lengthOf(new Set(inFiles), inFiles.length)
})

over(TestDatabase.layer)("definitions", (test) => {
  test("have no settings of the planner, which are those of the connection", function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select proname from pg_proc where pronamespace = 'dockline'::regnamespace
      and array_to_string(proconfig, ',') ~ '(enable_|plan_cache_mode|jit)'`
    assert.deepStrictEqual(rows, [])
  })

  test("are created when they are new, and keep what they are when nothing changes", function*() {
    assert.deepStrictEqual(yield* apply([...definitions, one, two, sum]), ["one", "two", "both"])
    const before = yield* present
    assert.deepStrictEqual(before.map(({ name }) => name), ["one(integer)", "two()"])
    assert.deepStrictEqual(yield* apply([...definitions, one, two, sum]), [])
    assert.deepStrictEqual(yield* present, before)
  })

  test("are replaced by a new text, and are still the same to statements that are prepared", function*() {
    const sql = yield* SqlClient.SqlClient
    const before = yield* present
    assert.deepStrictEqual(
      yield* apply([...definitions, functionOf("one(p_a int) returns int", "10"), two, sum]),
      ["one"]
    )
    assert.deepStrictEqual(yield* present, before)
    assert.deepStrictEqual(yield* sql`select sum from dockline.both`, [{ sum: 12 }])
  })

  test("are dropped first when their parameters or their result change, and leave no overload", function*() {
    const rename = functionOf("one(p_b int) returns int", "1")
    const longer = functionOf("two(p_a int, p_b text) returns int", "2")
    const other = functionOf("two(p_a int, p_b text) returns text", "'2'")
    assert.deepStrictEqual(yield* apply([...definitions, rename, longer]), ["one", "two"])
    assert.deepStrictEqual((yield* present).map(({ name }) => name), [
      "one(integer)",
      "two(integer, text)"
    ])
    assert.deepStrictEqual(yield* apply([...definitions, rename, other]), ["two"])
    assert.lengthOf(yield* present, 2)
  })

  test("are one again where somebody has made overloads", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* apply([...definitions, one])
    yield* sql`create function dockline.one(p_a text) returns int language sql immutable return 3`
    assert.deepStrictEqual(yield* apply([...definitions, functionOf("one(p_a int) returns int", "4")]), [
      "one"
    ])
    assert.deepStrictEqual((yield* present).map(({ name }) => name), ["one(integer)"])
    assert.deepStrictEqual(yield* sql`select dockline.one(0)`, [{ one: 4 }])
  })

  test("are created again when they are missing", function*() {
    const sql = yield* SqlClient.SqlClient
    yield* apply([...definitions, one])
    yield* sql`drop function dockline.one`
    yield* sql`drop view dockline.webhook_delivery_body`
    assert.deepStrictEqual(yield* apply([...definitions, one]), ["webhook_delivery_body", "one"])
  })

  test("are dropped when they are no longer listed", function*() {
    yield* apply([...definitions, one, two, sum])
    assert.deepStrictEqual(yield* apply(definitions), [])
    assert.deepStrictEqual(yield* present, [])
    const sql = yield* SqlClient.SqlClient
    assert.deepStrictEqual(
      yield* sql`select name from dockline.definition where name in ('one', 'two', 'both')`,
      []
    )
  })
})

over(TestDatabase.layerEmpty)("an empty database", (test) => {
  test("is migrated once by instances that start together", function*() {
    const ran = yield* Effect.all([Migrations.migrate, Migrations.migrate, Migrations.migrate], {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(ran.map(({ length }) => length).toSorted(), [0, 0, Migrations.newest])
    assert.deepStrictEqual(yield* apply(definitions), [])
  })
})
