/** The cells of CSV are read unchanged, and a text that is no CSV is refused with its line. */
import * as Slices from "@dockline/core/input/Slices"
import { Effect } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { readCsv } from "../../src/file/CsvReader.ts"
import type { Table } from "../../src/file/FileTable.ts"

const tableOf = (text: string, separator?: Parameters<typeof readCsv>[1]): Promise<Table> =>
  Effect.runPromise(readCsv(text, separator))

/** The rows as lists of texts, each after its number. */
const rowsOf = ({ rows }: Table) =>
  rows.map(({ cells, number }) => [number, ...Array.from(cells, ([column, { text }]) => `${column}:${text}`)])

const faultOf = (text: string) => Effect.runPromise(Effect.flip(readCsv(text)))

describe("a CSV file", () => {
  it("keeps zeros, signs and what looks like a formula", async () => {
    assert.deepStrictEqual(rowsOf(await tableOf("lpn,qty\n00012,+5\n=1+2,\"1,5\"\n")), [
      [1, "0:lpn", "1:qty"],
      [2, "0:00012", "1:+5"],
      [3, "0:=1+2", "1:1,5"]
    ])
  })

  it("has rows at the lines where they begin, empty ones left out", async () => {
    const text = "a;b\r\n\r\n\"two\r\nlines\";x\r\n;\r\nlast;y"
    assert.deepStrictEqual(rowsOf(await tableOf(text)), [
      [1, "0:a", "1:b"],
      [3, "0:two\nlines", "1:x"],
      [6, "0:last", "1:y"]
    ])
  })

  it.each(
    [
      ["a,b;c;d\n", ";"],
      ["a\tb\n", "\t"],
      ["a|b\n", "|"],
      ["\"a;b;c\",d\n", ","],
      ["alone\n", ","],
      ["a,b;c\n", ","]
    ] as const
  )("has what its first line has most between columns: %j", async (text, separator) => {
    assert.strictEqual((await tableOf(text)).separator, separator)
  })

  it("has what the mapping says between columns", async () => {
    assert.deepStrictEqual(rowsOf(await tableOf("a,b;c\n", "COMMA")), [[1, "0:a", "1:b;c"]])
  })

  it("has no byte order mark in its first name", async () => {
    assert.deepStrictEqual(rowsOf(await tableOf("\ufefflpn,sku\n")), [[1, "0:lpn", "1:sku"]])
  })

  it.each([
    ["a quoted cell that does not end", "a,b\n1,2\n3,\"4\n5,6\n", 3, "does not end"],
    ["a quoted cell that another line ends", "a,b\n1,\"two,3\n4,\"five\",6\n", 2, "does not end"],
    ["a line that is too long", `a,b\n1,2\n3,${"x".repeat(2 * 1024 * 1024)}\n`, 3, "too long"]
  ])("with %s is refused with its line", async (_, text, row, detail) => {
    const fault = await faultOf(text)
    assert.include(fault.detail, detail)
    assert.strictEqual(fault.row, row)
  })

  it("has cells of more than a line whose quotes are their own", async () => {
    assert.deepStrictEqual(
      rowsOf(await tableOf(`\ufeffa,b\n1,"""A""\n""B"""\n${"2,\"\"\"C\"\"\nü\"\n".repeat(9000)}`)).slice(
        1,
        3
      ),
      [
        [2, "0:1", "1:\"A\"\n\"B\""],
        [4, "0:2", "1:\"C\"\nü"]
      ]
    )
  })

  it("has quotes as text inside a cell that does not begin with them", async () => {
    assert.deepStrictEqual(rowsOf(await tableOf("a,b\n12\" pipe,=\"0012\"\n")), [
      [1, "0:a", "1:b"],
      [2, "0:12\" pipe", "1:=\"0012\""]
    ])
  })

  it("of too many lines, or too many columns, is refused", async () => {
    assert.include((await faultOf(`a\n${"x\n".repeat(10_101)}`)).detail, "more than 10000 lines")
    assert.include((await faultOf(`a\n${"x,".repeat(201)}\n`)).detail, "more than 200 columns")
    assert.include((await faultOf(`a\n${"\n".repeat(20_000)}`)).detail, "more than 10000 lines")
  })

  it("is read in slices, whatever its size", async () => {
    let rounds = 0
    const table = Effect.runPromise(
      Effect.provideService(
        readCsv(`a,b\n${`${"x".repeat(200)},y\n`.repeat(9000)}`),
        Slices.Pause,
        Effect.sync(() => {
          rounds++
        })
      )
    )
    assert.strictEqual((await table).rows.length, 9001)
    assert.isAbove(rounds, 100)
  })

  it("gives back the cells that were written, whatever they are", async () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\0\r]/g, ""))
      .filter((text) => text.trim() !== "")
    const quote = (text: string) => `"${text.replaceAll("\"", "\"\"")}"`
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom("COMMA" as const, "SEMICOLON" as const, "TAB" as const, "BAR" as const),
        async (rows, name) => {
          const separator = { COMMA: ",", SEMICOLON: ";", TAB: "\t", BAR: "|" }[name]
          const text = rows.map((row) => row.map(quote).join(separator)).join("\r\n")
          const cells = (await tableOf(text, name)).rows.map(({ cells }) =>
            Array.from(cells.values(), ({ text }) => text)
          )
          assert.deepStrictEqual(cells, rows)
        }
      )
    )
  })
})
