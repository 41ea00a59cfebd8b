/** XLSX is read as texts, numbers and dates; a hostile or damaged file is refused before it costs anything. */
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "vitest"
import { plainNumber, readXlsx } from "../../src/file/XlsxReader.ts"
import { textRow, workbook, xlsx, zip } from "../Xlsx.ts"

const read = (bytes: Uint8Array, sheet?: string) => Effect.runPromise(Effect.result(readXlsx(bytes, sheet)))

const tableOf = async (bytes: Uint8Array, sheet?: string) => Result.getOrThrow(await read(bytes, sheet))

const faultOf = async (bytes: Uint8Array, sheet?: string) =>
  Result.getOrThrow(Result.flip(await read(bytes, sheet))).detail

/** The cells of a row as texts with their kinds. */
const cellsOf = async (rows: string, extras?: Parameters<typeof xlsx>[1]) => {
  const table = await tableOf(xlsx({ List: rows }, extras))
  return table.rows.map(({ cells, number }) => [
    number,
    ...Array.from(
      cells,
      ([column, { isFormula, kind, text }]) => `${column} ${kind} ${text}${isFormula ? " =" : ""}`
    )
  ])
}

const styles =
  `<numFmts><numFmt numFmtId="164" formatCode="000000"/><numFmt numFmtId="165" formatCode="dd\\.mm\\.yyyy"/>
<numFmt numFmtId="167" formatCode="[$-407]00000"/><numFmt numFmtId="166" formatCode="[Red]#,##0.00&quot; days&quot;"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="166"/><xf numFmtId="167"/></cellXfs>`

describe("an XLSX file", () => {
  it("has shared, rich and inline texts, without what is to be read aloud", async () => {
    const strings = `<si><t>lpn</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>aloud</t></rPh></si>`
    const rows = `<row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c>
<c r="D3" t="inlineStr"><is><t>a_x000D_b &amp; c</t></is></c></row>`
    assert.deepStrictEqual(await cellsOf(rows, { strings }), [[
      3,
      "0 text lpn",
      "2 text rich text",
      "3 text a\rb & c"
    ]])
  })

  it("has numbers in digits, padded as they are shown, and dates as dates", async () => {
    const rows =
      `<row><c><v>12</v></c><c s="1"><v>12</v></c><c s="2"><v>46356</v></c><c s="3"><v>46356.5</v></c>
<c s="4"><v>1.50</v></c><c><v>1.06141411234567E+17</v></c><c t="b"><v>1</v></c><c t="d"><v>2026-11-30T00:00:00</v></c><c s="5"><v>1067</v></c></row>`
    assert.deepStrictEqual(await cellsOf(rows, { styles }), [[
      1,
      "0 number 12",
      "1 number 000012",
      "2 date 2026-11-30",
      "3 date 2026-11-30T12:00:00",
      "4 number 1.5",
      "5 number 106141411234567000",
      "6 flag TRUE",
      "7 date 2026-11-30",
      "8 number 01067"
    ]])
  })

  it("counts the days of dates from 1900 with a day that never was, or from 1904", async () => {
    const rows = `<row><c s="3"><v>59</v></c><c s="3"><v>61</v></c><c s="3"><v>60</v></c></row>`
    assert.deepStrictEqual(await cellsOf(rows, { styles }), [
      [1, "0 date 1900-02-28", "1 date 1900-03-01", "2 number 60"]
    ])
    assert.deepStrictEqual(
      await cellsOf(`<row><c s="3"><v>44894</v></c></row>`, { styles, properties: `date1904="1"` }),
      [[1, "0 date 2026-11-30"]]
    )
  })

  it("has what formulas came to when it was saved, and computes nothing", async () => {
    const rows = `<row><c t="str"><f>A1&amp;B1</f><v>SKU-1</v></c><c><f>2*3</f><v>6</v></c><c><f>NOW()</f></c>
<c t="e"><f>1/0</f><v>#DIV/0!</v></c><c><f>A1</f><v></v></c><c t="str"><f>""</f><v></v></c></row>`
    assert.deepStrictEqual(await cellsOf(rows), [[
      1,
      "0 text SKU-1 =",
      "1 number 6 =",
      "2 error  =",
      "3 error #DIV/0! =",
      "4 error  ="
    ]])
  })

  it("is read at the first sheet that is shown, or at the one that is named", async () => {
    const bytes = xlsx({
      "Notes|hidden": textRow(1, "no"),
      List: textRow(1, "yes"),
      Other: textRow(1, "other")
    })
    const table = await tableOf(bytes)
    assert.deepStrictEqual([table.sheet, table.sheets], ["List", ["Notes", "List", "Other"]])
    assert.strictEqual((await tableOf(bytes, "Other")).rows[0]?.cells.get(0)?.text, "other")
    assert.include(await faultOf(bytes, "Missing"), "no sheet of the name")
  })

  it("with macros and links to other files is read without them", async () => {
    const parts = [{ name: "xl/vbaProject.bin", content: randomBytes(100) }]
    assert.deepStrictEqual(await cellsOf(textRow(1, "x"), { parts }), [[1, "0 text x"]])
  })

  it("of another prefix and namespace is read as well", async () => {
    const parts = workbook({ List: "" }).map((part) =>
      part.name.endsWith("sheet1.xml")
        ? {
          ...part,
          content: `<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData>
<x:row><x:c t="inlineStr"><x:is><x:t>x</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`
        }
        : part
    )
    assert.strictEqual((await tableOf(zip(parts))).rows[0]?.cells.get(0)?.text, "x")
  })
})

describe("D25.1 a hostile XLSX file is refused:", () => {
  const large = "too much"

  it("a part far larger than its share", async () => {
    const parts = [...workbook({ List: textRow(1, "x") }), {
      name: "xl/media/bomb",
      content: Buffer.alloc(4 << 20)
    }]
    assert.include(await faultOf(zip(parts)), large)
  })

  it("parts that are too large together", async () => {
    const content = randomBytes(100_000)
    const parts = Array.from(
      { length: 4 },
      (_, index) => ({ name: `xl/media/${index}`, content, size: 17 << 20 })
    )
    assert.include(await faultOf(zip([...workbook({ List: "" }), ...parts])), large)
  })

  it("a part that is larger than the directory says", async () => {
    const parts = workbook({ List: textRow(1, "x".repeat(5000)) }).map((part) =>
      part.name.endsWith("sheet1.xml") ? { ...part, size: 10 } : part
    )
    assert.include(await faultOf(zip(parts)), "damaged")
  })

  it("too many parts, and two of one name", async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ name: `p${index}`, content: "" }))
    assert.include(await faultOf(zip(many)), large)
    const twice = [...workbook({ List: textRow(1, "x") }), { name: "XL/workbook.xml", content: "" }]
    assert.include(await faultOf(zip(twice)), "damaged")
  })

  it.each([
    ["entities", `<!DOCTYPE x [<!ENTITY a "aaaa">]>`, "&a;"],
    ["an unknown entity", "", "&a;"],
    ["elements that are nested too deep", "", `${"<a>".repeat(100)}${"</a>".repeat(100)}`],
    ["elements that do not end", "", "<a>"]
  ])("%s", async (_, doctype, content) => {
    const parts = workbook({ List: "" }).map((part) =>
      part.name.endsWith("sheet1.xml")
        ? { ...part, content: `${doctype}<worksheet><sheetData>${content}</sheetData></worksheet>` }
        : part
    )
    assert.include(await faultOf(zip(parts)), "damaged")
  })

  it("more lines, or more columns, than a list may have", async () => {
    assert.include(await faultOf(xlsx({ List: textRow(1, "x").repeat(10_101) })), "more than 10000 lines")
    const wide = `<row r="1"><c r="GS1"><v>1</v></c></row>`
    assert.include(await faultOf(xlsx({ List: wide })), "more than 200 columns")
  })

  it.each([
    ["a row of no number", { List: `<row r="x"><c><v>1</v></c></row>` }, {}],
    ["the name of a sheet that is too long", { ["n".repeat(256)]: textRow(1, "x") }, {}],
    ["a number that is too long", { List: `<row><c><v>${"0".repeat(500_000)}x</v></c></row>` }, {}],
    [
      "a format that is too long",
      { List: textRow(1, "x") },
      { styles: `<numFmts><numFmt numFmtId="164" formatCode="${"[".repeat(500_000)}"/></numFmts>` }
    ]
  ])("%s", async (_, sheets, extras) => {
    assert.include(await faultOf(xlsx(sheets, extras)), "damaged")
  })

  it("a part at no path", async () => {
    const parts = workbook({ List: textRow(1, "x") }).map((part) =>
      part.name === "_rels/.rels"
        ? { ...part, content: String(part.content).replace("xl/workbook.xml", "xl/%E0%A4%A") }
        : part
    )
    assert.include(await faultOf(zip(parts)), "damaged")
  })

  it("a cell whose name is long costs no more than its length", async () => {
    const rows = `<row><c r="${"1".repeat(500_000)}x"><v>1</v></c></row>`
    assert.deepStrictEqual(await cellsOf(rows), [[1, "0 number 1"]])
  })

  it("whatever bytes it has: it is read or refused, and never breaks", async () => {
    const whole = xlsx({ List: textRow(1, "lpn", "sku") }, { styles })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(whole.length),
        fc.boolean(),
        async (changes, length, isCut) => {
          const bytes = Uint8Array.from(whole)
          for (const [at, byte] of changes) bytes[at] = byte
          const result = await read(isCut ? bytes.subarray(0, length) : bytes)
          if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "FileFault")
        }
      ),
      { numRuns: 300 }
    )
  })
})

describe("a number in plain digits", () => {
  it("is the number that was written, in whatever way", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 }), (number) => {
        const plain = plainNumber(String(number))
        assert.isDefined(plain)
        assert.notInclude(plain.toLowerCase(), "e")
        assert.strictEqual(Math.abs(Number(plain) - number), 0)
      })
    )
  })

  it.each([["1.0", "1"], ["-0.50", "-0.5"], ["1E3", "1000"], ["2.5E-3", "0.0025"], [".5", "0.5"], [
    "-0",
    "0"
  ]])(
    "%s is %s",
    (text, plain) => assert.strictEqual(plainNumber(text), plain)
  )

  it.each(["", ".", "1,5", "0x1", "1e", "NaN"])("%j is none", (text) => assert.isUndefined(plainNumber(text)))
})
