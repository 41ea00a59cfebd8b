import { suggest } from "@dockline/packing-lists/mapping/Suggestion"
import { assert, describe, it } from "@effect/vitest"

/** A table with these names of columns in its first row. */
const tableOf = (names: ReadonlyArray<string>) => ({
  sheet: "",
  sheets: [],
  separator: ",",
  width: names.length,
  rows: [{
    number: 1,
    cells: new Map(names.map((text, at) => [at, { text, kind: "text" as const, isFormula: false }]))
  }]
})

const suggestionOf = (...names: ReadonlyArray<string>) =>
  suggest(tableOf(names)).columns.map(({ column, field }) => `${column}: ${field}`)

describe("a suggestion", () => {
  it.each([
    ["the names of fields", ["LPN", "SKU", "Quantity"], ["LPN: lpn", "SKU: sku", "Quantity: quantity"]],
    ["a field's own name before a usual one", ["Item", "SKU"], ["SKU: sku"]],
    ["the most specific of usual names", ["Pallet", "SSCC", "Artikel-Nr."], [
      "SSCC: lpn",
      "Artikel-Nr.: sku"
    ]],
    ["the first of columns with one name", ["sku", "SKU"], ["sku: sku"]],
    ["letters with accents, composed or not", ["Empfa\u0308nger", "Zielort"], [
      "Empfa\u0308nger: consigneeName"
    ]],
    ["nothing", ["Colour"], []]
  ])("is by %s", (_what, names, expected) => assert.deepStrictEqual(suggestionOf(...names), expected))
})
