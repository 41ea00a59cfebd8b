/** Files of SQL are read as statements. */
import { functionsOf, statementsOf } from "@dockline/sql-storage/schema/SqlCapability"
import { assert, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "dockline-sql-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (text: string): URL => {
  const path = join(folder, "some.sql")
  writeFileSync(path, text)
  return pathToFileURL(path)
}

const one =
  "create or replace function dockline.one() returns int\nlanguage sql as $$\n  -- The first.\n  select 1;\n$$"
const two = "create or replace view dockline.two as\nselect 2 as two"

it("functions and views are statements without the comments between them", () => {
  const file = fileOf(
    `-- Some numbers.\n\n-- One.\n${one};\n\n-- Two, as often\n-- as it is read.\n\n${two};\n-- The end.\n`
  )
  assert.deepStrictEqual(functionsOf(file), [one, two])
})

it("statements of a migration end with a semicolon at the end of a line", () => {
  const table = "create table dockline.three (\n  -- Of a thing; it counts.\n  three int not null\n)"
  const file = fileOf(
    `-- Three; of them.\n${table};\ncreate index on dockline.three (three);\n\n-- The end;\n`
  )
  assert.deepStrictEqual(statementsOf(file), [table, "create index on dockline.three (three)"])
})

it("are the same with the line ends of Windows", () => {
  assert.deepStrictEqual(functionsOf(fileOf(`${one};\n\n-- Two.\n${two};\n`.replaceAll("\n", "\r\n"))), [
    one,
    two
  ])
})

it("that a bundler left out are missed with what to do", () => {
  assert.throws(
    () => functionsOf(new URL("missing.sql", pathToFileURL(join(folder, "/")))),
    /^There is no file:.*missing\.sql, which the storage needs: .* Leave the packages of Dockline out of the bundle/
  )
})
