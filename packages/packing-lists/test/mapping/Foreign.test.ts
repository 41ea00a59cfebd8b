/** The files of `fixtures/foreign`, written by other programs, are read as these programs mean them. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { faultsOf, listing, textOf, withColumns } from "./Listings.ts"

const folder = new URL("../fixtures/foreign/", import.meta.url)

const read = (name: string, settings: Parameters<typeof withColumns>[1]) =>
  listing(
    { format: "xlsx", bytes: readFileSync(new URL(name, folder)) },
    withColumns({ "Best before": "expirationDate", Lot: "lot" }, settings)
  )

const itemsOf = ({ shipments }: Awaited<ReturnType<typeof read>>) =>
  shipments.flatMap(({ document }) => document?.orders ?? []).flatMap(({ items, orderNumber }) =>
    items.map(({ expirationDate, lot, lpn, quantity, sku }) =>
      [orderNumber, lpn, sku, quantity, expirationDate, lot].join(" ")
    )
  )

/** The header is below a merged one, and a hidden sheet comes first. */
const settings = { headerRow: 2, decimal: "COMMA", dates: "DAY_MONTH_YEAR" } as const

const first = "PO-1 00123 SKU-1 12 2027-11-30 L1"

const others = ["PO-1 00124 SKU-2 7.5 2027-11-30 L1", "PO-2 00125 SKU-1 7.5 2027-12-01 L2"]

const formulaNote = "G5 : a cell with a formula is taken as it was saved: nothing is computed"

/** The files with all rows. */
const whole = ["exceljs", "libreoffice", "openpyxl", "sheetjs", "sheetjs-inline", "xlsxwriter"]

/** The files with one row, whose days are counted from 1904. */
const of1904 = ["libreoffice-1904", "openpyxl-1904", "xlsxwriter-inline-1904"]

it("are all there", () => {
  assert.deepStrictEqual(
    readdirSync(folder).filter((name) => name.endsWith(".xlsx")).toSorted(),
    [...whole, ...of1904].map((name) => `${name}.xlsx`).toSorted()
  )
})

it.each(whole)("%s: zeros, dates, fractions and what formulas came to", async (name) => {
  const list = await read(`${name}.xlsx`, settings)
  // openpyxl does not save the results of formulas.
  const isWithout = name === "openpyxl"
  assert.deepStrictEqual(
    faultsOf(list),
    isWithout
      ? [
        "G5 lot: has a formula without its result, as nothing is computed here; save the file in a spreadsheet program"
      ]
      : []
  )
  assert.deepStrictEqual(itemsOf(list), [first, ...isWithout ? others.slice(0, 1) : others])
  assert.deepStrictEqual(list.notes.map(textOf), [formulaNote])
})

it.each(of1904)("%s: days from 1904", async (name) => {
  assert.deepStrictEqual(itemsOf(await read(`${name}.xlsx`, { dates: "DAY_MONTH_YEAR" })), [first])
})

it.each(whole)(
  "%s: a date and a fraction in text are faults unless the mapping says how they are written",
  async (name) => {
    const faults = faultsOf(await read(`${name}.xlsx`, { headerRow: 2 }))
    assert.match(
      faults.join("\n"),
      /^F4 expirationDate: is no date in the order of the mapping \(YEAR_MONTH_DAY\)/
    )
    assert.match(faults.join("\n"), /\nD5 quantity: has a point or a comma; say in the mapping/)
  }
)
