/** What is derived for a cluster, without one: `lab/citus` runs it. */
import { sqlCapabilities } from "@dockline/server/Capabilities"
import { clusterDefinitions, delegatedOf } from "@dockline/sql-storage/schema/cluster/ClusterDefinitions"
import type { Layout } from "@dockline/sql-storage/schema/cluster/Layout"
import { signatureOf } from "@dockline/sql-storage/schema/cluster/Merging"
import { define } from "@dockline/sql-storage/schema/Definitions"
import { places, schemaOf } from "@dockline/sql-storage/schema/SqlSchema"
import { assert, describe, it } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over } from "../../../../test/support/Tests.ts"

const schema = schemaOf(sqlCapabilities)
const { definitions, sequences, spanning, tables } = schema
const signatures = delegatedOf(schema)

const shard = (ordinal: number) => ({
  id: String(100 + ordinal),
  ordinal,
  anchor: String(ordinal),
  least: (ordinal - 1) * 1000,
  greatest: ordinal * 1000 - 1,
  group: ordinal,
  tables: Object.fromEntries(tables.map((table, at) => [table, `dockline.${table}_${1000 * ordinal + at}`]))
})

const layout: Layout = {
  shards: [shard(1), shard(2)],
  places: Object.fromEntries(places.map((place) => [place, `dockline.${place}_9`])),
  beyond: "0"
}

const all = clusterDefinitions(schema, layout)
const onEveryNode = new Set(all.filter(({ name }) => !name.includes(".")).map(({ name }) => name))

/** The functions that only others of a shard call. */
const inside = [
  "facilities_within",
  "is_here",
  "item_with_lpn",
  "pallet_match",
  "shipment_with_lpn",
  "shipments_with_lpn",
  "shipments_within"
]

describe("the functions of a cluster", () => {
  it("are each defined once", () => {
    const names = all.map(({ name }) => name)
    assert.deepStrictEqual(names.filter((name, at) => names.indexOf(name) !== at), [])
  })

  it("of a shard name its own tables, sequences and functions, and those of no other", () => {
    const own = new Set<string>([...tables, ...sequences])
    for (const { id, ordinal } of layout.shards) {
      const texts = all.filter(({ name }) => name.startsWith(`dockline_${id}.`))
      assert.isAbove(texts.length, 60)
      const other = layout.shards.find((each) => each.ordinal !== ordinal)!
      for (const { name, text } of texts) {
        const names = Array.from(text.matchAll(/\bdockline\.(\w+)/g), ([, each]) => each!)
        assert.deepStrictEqual(
          names.filter((each) => own.has(each) || spanning[each] !== undefined),
          [],
          name
        )
        assert.deepStrictEqual(names.filter((each) => places.some((place) => place === each)), [], name)
        assert.notInclude(text, `dockline_${other.id}`, name)
        assert.notMatch(
          text,
          /^ *v_\w+ dockline\.\w+_\d{4}/m,
          `${name}: a variable of a row is a record, as its table may be on another node`
        )
        assert.notMatch(text, new RegExp(`_${1000 * other.ordinal}\\d?\\b`), name)
      }
    }
  })

  it("are passed on for a business, ask the shards, or are called inside a shard only", () => {
    const ofShard = all.filter(({ name }) => name.startsWith("dockline_101.")).map(({ name }) =>
      name.split(".")[1]!
    )
    const outside = new Set([...signatures.map(({ name }) => name), ...Object.keys(spanning)])
    assert.deepStrictEqual(ofShard.filter((name) => !outside.has(name)).toSorted(), inside)
    assert.deepStrictEqual([...outside].filter((name) => !onEveryNode.has(name)), [])
  })

  it("are all that stores name of what belongs to businesses", () => {
    const folder = join(import.meta.dirname, "../../src")
    const sources = globSync(
      `{{stores,rows,connections}/*,{${sqlCapabilities.map(({ name }) => name).join(",")}}/Sql*}.ts`,
      { cwd: folder }
    )
    assert.isAbove(sources.length, 30)
    const names = sources.flatMap((file) =>
      Array.from(
        readFileSync(join(folder, file), "utf8").matchAll(/\bdockline\.(\w+)/g),
        ([, name]) => `${file}: ${name}`
      )
    )
    const views = definitions.filter(({ kind }) => kind === "view").map(({ name }) => name)
    const unreachable = new Set<string>([...tables, ...sequences, ...views, ...inside])
    assert.deepStrictEqual(
      names.filter((each) => unreachable.has(each.split(": ")[1]!)),
      ["connections/Nodes.ts: shipment", "connections/Nodes.ts: shipment"]
    )
  })
})

it("a signature is read from a text with a result of any form", () => {
  const text = "create or replace function dockline.f(p_business bigint, p_ids bigint[]) returns "
  const parameters = [{ name: "p_business", type: "bigint" }, { name: "p_ids", type: "bigint[]" }]
  for (const returns of ["json", "bigint[]", "setof json", "table (a json, b text)", "void"]) {
    const definition = define(`${text}${returns} language plpgsql as $$ begin end $$`)
    assert.deepStrictEqual(signatureOf(definition), { name: "f", parameters, returns })
  }
})

over(TestDatabase.layer)("signatures", (test) => {
  test("are those that PostgreSQL reads", function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<
      { readonly name: string; readonly types: ReadonlyArray<string> }
    >`select proname as name,
        array(select format_type(t, null) from unnest(proargtypes) as t)::text[] as types
        from pg_proc where pronamespace = 'dockline'::regnamespace order by proname`
    const types = new Map(rows.map(({ name, types }) => [name, types]))
    const long: Readonly<Record<string, string>> = {
      int: "integer",
      "int[]": "integer[]",
      "float8[]": "double precision[]",
      timestamptz: "timestamp with time zone"
    }
    for (const { name, parameters } of signatures) {
      assert.deepStrictEqual(parameters.map(({ type }) => long[type] ?? type), types.get(name), name)
    }
  })
})
