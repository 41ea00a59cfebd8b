/** Tables in CSV: a reader of RFC 4180 gets the same cells, and no cell is a formula. */
import type { Table } from "@dockline/core/access/Operation"
import { capabilities } from "@dockline/server/Capabilities"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Csv from "../../src/answer/Csv.ts"
import { tablesOf } from "../../src/openapi/OpenApiResponses.ts"

/** Reads CSV by the grammar of RFC 4180. */
const parse = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const records: Array<Array<string>> = []
  let record: Array<string> = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const match = field.exec(text)
    assert.isNotNull(match, `a field at ${at} of ${JSON.stringify(text)}`)
    const [, quotedText, plain = "", end] = match!
    record.push(quotedText === undefined ? plain : quotedText.replaceAll("\"\"", "\""))
    if (end === "\r\n") {
      records.push(record)
      record = []
    }
  }
  assert.deepStrictEqual(record, [])
  return records
}

const texts: Table<Readonly<Record<"a" | "b", string>>> = [["a", ({ a }) => a], ["b", ({ b }) => b]]

describe("a table", () => {
  it("has a header, and a line for each entry", () => {
    assert.strictEqual(Csv.write(texts, []), "a,b\r\n")
    assert.strictEqual(
      Csv.write(texts, [{ a: "x, y", b: "\"z\"\r\n" }, { a: "", b: " " }]),
      "a,b\r\n\"x, y\",\"\"\"z\"\"\r\n\"\r\n, \r\n"
    )
  })

  it("shows numbers and flags as they are, places by slug, lists with semicolons, and null as nothing", () => {
    const cells = [1.5, true, null, { slug: "east" }, ["SO-1", "SO-2"], []]
    assert.strictEqual(
      Csv.write(cells.map((cell, at) => [`c${at}`, () => cell] as const), [{}]).split("\r\n")[1],
      "1.5,true,,east,SO-1; SO-2,"
    )
  })

  it.each(["=1+1", "+1", "-1", "@SUM(A1)"])("has no formula of %j", (formula) => {
    const [, record] = parse(Csv.write(texts, [{ a: formula, b: `a${formula}` }]))
    assert.deepStrictEqual(record, [`'${formula}`, `a${formula}`])
  })

  it("has no formula in a part of a text that a spreadsheet takes for a cell: after a semicolon, a tab or a line", () => {
    const text = "5;=HYPERLINK(A1)\n@SUM(A1)\r\n+1\t-1; -2\n\n=3"
    const [, record] = parse(Csv.write(texts, [{ a: "＝1", b: text }]))
    assert.deepStrictEqual(record, ["'＝1", "5;'=HYPERLINK(A1)\n'@SUM(A1)\r\n'+1\t'-1; -2\n\n'=3"])
  })

  it("has no formula where a quotation mark comes first: after a semicolon, two of them are an empty beginning", () => {
    const [, line = ""] = Csv.write(texts, [{ a: "1", b: "a;\"=HYPERLINK(A1);b" }]).split("\r\n")
    const [, cell = ""] = line.split(";")
    assert.strictEqual(cell.replaceAll("\"\"", ""), "'=HYPERLINK(A1)")
  })

  it("gives all texts back, an apostrophe before formulas apart", () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n\",;' a0é") }),
      fc.string({ unit: "grapheme" })
    )
    fc.assert(fc.property(fc.array(fc.record({ a: text, b: text })), (rows) => {
      const [header, ...records] = parse(Csv.write(texts, rows))
      assert.deepStrictEqual(header, ["a", "b"])
      assert.deepStrictEqual(
        records,
        rows.map(({ a, b }) =>
          [a, b].map((value) => value.replaceAll(/^(?=[\t\r\n])|(?<=^|[;\t\r\n]"*)(?=[=+\-@＝＋－＠])/g, "'"))
        )
      )
      for (const value of records.flat()) {
        assert.notMatch(value, /^[=+\-@＝＋－＠]/)
        assert.notMatch(value, /[;\t\r\n]"*[=+\-@＝＋－＠]/)
      }
    }))
  })

  it.each(Array.from(tablesOf(capabilities)))("%s names each column once", (_, table) => {
    const columns = table.map(([column]) => column)
    assert.strictEqual(new Set(columns).size, columns.length)
  })
})
