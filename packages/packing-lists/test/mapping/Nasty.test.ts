/** The files of `fixtures/nasty`, with the result of each, cell by cell. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { faultsOf, listing, mapping, textOf, withColumns } from "./Listings.ts"

const folder = new URL("../fixtures/nasty/", import.meta.url)

const read = (name: string, by = mapping) =>
  listing({ format: "csv", text: readFileSync(new URL(name, folder), "utf8") }, by)

const itemsOf = ({ shipments }: Awaited<ReturnType<typeof read>>) =>
  shipments.flatMap(({ document }) => document?.orders ?? []).flatMap(({ items, orderNumber }) =>
    items.map(({ lpn, quantity, sku }) => `${orderNumber} ${lpn} ${sku} ${quantity}`)
  )

const expectations: Readonly<
  Record<
    string,
    {
      readonly by?: typeof mapping
      readonly faults: ReadonlyArray<RegExp>
      readonly items: ReadonlyArray<string>
    }
  >
> = {
  "commas-and-dates.csv": {
    by: withColumns({ "Best before": "expirationDate" }, { decimal: "COMMA", dates: "DAY_MONTH_YEAR" }),
    faults: [
      /^D3 quantity: has a point/,
      /^F3 expirationDate: is no date/,
      /^D4 quantity: has a point/,
      /^F4 expirationDate: .*2026-02-30/
    ],
    items: []
  },
  "formulas.csv": {
    faults: [],
    items: ["PO-1 =\"00012345\" SKU-1 1", "PO-1 +00012346 =HYPERLINK(\"https://example.com\") 1"]
  },
  "title-and-gaps.csv": {
    by: { ...mapping, headerRow: 3 },
    faults: [/^A7 orderNumber: is required/, /^B9 lpn: row 8 has the same LPN with the same SKU/],
    items: []
  },
  "two-columns-of-one-name.csv": {
    faults: [/^E1 quantityUnit: is the name of 2 columns/],
    items: []
  },
  "orders-and-loads.csv": {
    by: withColumns({ Load: "shipmentNumber", Truck: "trailerNumber" }),
    faults: [
      /^B3 shipmentNumber: the order is on shipment L-1 in row 2/,
      /^C4 trailerNumber: differs: row 2 has T-1 for the same shipment/,
      /^D5 lpn: row 2 has the same LPN with the same SKU/,
      /^B3 shipmentNumber: the order is on shipment L-1 in row 2/
    ],
    items: []
  },
  "unseen-characters.csv": {
    faults: [/^B2 lpn: /, /^C2 sku: /, /^D2 quantity: /, /^E2 quantityUnit: /],
    items: ["PO-2 2 SKU-2 1"]
  },
  "empty.csv": {
    faults: [/^1 orderNumber: is no column/, /^1 lpn: /, /^1 sku: /, /^1 quantity: /, /^1 quantityUnit: /],
    items: []
  }
}

it("are all there", () => {
  assert.deepStrictEqual(readdirSync(folder).toSorted(), Object.keys(expectations).toSorted())
})

it.each(Object.entries(expectations))("%s", async (name, { by, faults, items }) => {
  const list = await read(name, by)
  const texts = faultsOf(list)
  assert.strictEqual(texts.length, faults.length, texts.join("\n"))
  for (const [index, fault] of faults.entries()) assert.match(texts[index]!, fault)
  assert.deepStrictEqual(itemsOf(list), items)
})

it("texts that look like formulas are taken as they are, which is noted", async () => {
  assert.deepStrictEqual((await read("formulas.csv")).notes.map(textOf), [
    "B2 : a cell beginning with = is taken as text: nothing is computed",
    "C3 : a cell beginning with = is taken as text: nothing is computed"
  ])
})
