/** Lines become documents by a mapping, and each fault names its cell. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { textRow, xlsx } from "../Xlsx.ts"
import { csvListing, faultsOf, listing, mapping, textOf, withColumns } from "./Listings.ts"

const head = "Order;Pallet;Article;Qty;Unit"

describe("D25.4 the documents of a list", () => {
  it("are one for each shipment, with its orders and items, zeros kept", async () => {
    const text = `${head};Load;Truck;Seal;PO of item
PO-1;00012;SKU-1;1;CASE;L-1;TR-1;S-1;C-9
PO-2;00013;SKU-1;2.5;CASE;L-1;;;
PO-1;00014;SKU-1;3;CASE;L-1;TR-1;S-1;
PO-3;00015;SKU-1;4;CASE;;;;`
    const { faultCount, lineCount, shipments } = await csvListing(
      text,
      withColumns({
        Load: "shipmentNumber",
        Truck: "trailerNumber",
        Seal: "sealNumber",
        "PO of item": "itemPurchaseOrder"
      }, { decimal: "POINT" })
    )
    assert.deepStrictEqual([faultCount, lineCount], [0, 4])
    assert.deepStrictEqual(
      shipments.map(({ document, shipmentNumber }) => [
        shipmentNumber,
        document?.trailerNumber,
        document?.business,
        document?.direction,
        document?.orders.map(({ fields, items, orderNumber }) => [
          orderNumber,
          fields.sealNumber,
          items.map(({ lpn, purchaseOrder, quantity }) => [lpn, quantity, purchaseOrder])
        ])
      ]),
      [
        ["L-1", "TR-1", "acme", "INBOUND", [
          ["PO-1", "S-1", [["00012", 1, "C-9"], ["00014", 3, ""]]],
          ["PO-2", "", [["00013", 2.5, ""]]]
        ]],
        ["PO-3", "", "acme", "INBOUND", [["PO-3", "", [["00015", 4, ""]]]]]
      ]
    )
    assert.deepStrictEqual(shipments[0]?.orders.map(({ lineCount, row }) => [row, lineCount]), [[2, 2], [
      3,
      1
    ]])
  })

  it("have the strategy of the mapping, which decides what items need", async () => {
    const by = { ...mapping, columns: mapping.columns.slice(0, 3), strategy: "DELETE" }
    const { shipments } = await csvListing(`${head}\nPO-1;1;SKU-1\n`, by)
    assert.strictEqual(shipments[0]?.document?.orders[0]?.strategy, "DELETE")
    assert.deepStrictEqual(faultsOf(await csvListing(`${head}\nPO-1;1;SKU-1\n`, { ...by, strategy: "" })), [
      "1 quantity: no column has quantity, and no value of the mapping",
      "1 quantityUnit: no column has quantityUnit, and no value of the mapping"
    ])
    const [fault] = faultsOf(await csvListing(`${head}\n`, { ...by, strategy: "toString" }))
    assert.strictEqual(fault, "1 : names no item strategy: toString")
  })

  it("leave out the orders with faults, and have the others", async () => {
    const list = await csvListing(`${head}\nPO-1;1;SKU-1;x;CASE\nPO-2;2;SKU-1;1;CRATE\nPO-3;3;SKU-1;1;CASE\n`)
    assert.deepStrictEqual(list.shipments.map(({ document }) => document?.orders.length), [
      undefined,
      undefined,
      1
    ])
    const [first, second] = faultsOf(list)
    assert.strictEqual(first, "D2 quantity: is no number")
    assert.match(second!, /^E3 quantityUnit: /)
    assert.strictEqual(list.faultCount, 2)
  })

  it("name the cell of each fault that only their reader finds, in one shipment too", async () => {
    const list = await csvListing(
      `${head};Load;Door\nPO-1;1;SKU-1;-1;CASE;L-1;\nPO-2;;SKU-1;1;CASE;L-1;\nPO-3;3;SKU-1;1;CASE;L-1;\n`,
      withColumns({ Load: "shipmentNumber", Door: "dockSlug" })
    )
    const faults = faultsOf(list)
    assert.match(faults[0]!, /^D2 quantity: /)
    assert.match(faults[1]!, /^3 lpn: is required by OVERWRITE/)
    assert.deepStrictEqual(list.shipments[0]?.document?.orders.map(({ orderNumber }) => orderNumber), [
      "PO-3"
    ])
  })
})

it("D25.4 what differs in a shipment is a fault of each of its orders, also of those that agree", async () => {
  const list = await csvListing(
    `${head};Load;Truck\nPO-1;1;A;1;CASE;L-1;T-1\nPO-2;2;A;1;CASE;L-1;T-2\nPO-3;3;A;1;CASE;L-1;T-1\n`,
    withColumns({ Load: "shipmentNumber", Truck: "trailerNumber" })
  )
  const fault = "G3 trailerNumber: differs: row 2 has T-1 for the same shipment"
  assert.deepStrictEqual(faultsOf(list), [fault, fault, fault])
  assert.isUndefined(list.shipments[0]?.document)
})

it.each(["1.06141E+17", "1,06141E+17", "1.06141e+17"])(
  "D25.3 a number that a spreadsheet has rounded to %s is no LPN",
  async (lpn) => {
    const [fault] = faultsOf(await csvListing(`${head}\nPO-1;${lpn};SKU-1;1;CASE\n`))
    assert.include(fault, "B2 lpn: is a number that a spreadsheet has rounded")
  }
)

describe("D25.3 the settings of a mapping", () => {
  const read = async (cells: string, settings: Parameters<typeof withColumns>[1]) => {
    const list = await csvListing(
      `${head};MHD;Gewicht\nPO-1;1;SKU-1;1;CASE;${cells}\n`,
      withColumns({ MHD: "expirationDate", Gewicht: "weightPerUnit" }, settings)
    )
    const item = list.shipments[0]?.document?.orders[0]?.items[0]
    return item === undefined
      ? faultsOf(list).map((fault) => fault.slice(0, 60))
      : [item.expirationDate, item.weightPerUnit]
  }

  it.each(
    [
      ["2026-11-30;1.5", { decimal: "POINT" }, ["2026-11-30", 1.5]],
      ["30.11.2026;1,5", { dates: "DAY_MONTH_YEAR", decimal: "COMMA" }, ["2026-11-30", 1.5]],
      ["11/3/2026;1", { dates: "MONTH_DAY_YEAR" }, ["2026-11-03", 1]],
      ["3.11.2026;1", { dates: "DAY_MONTH_YEAR" }, ["2026-11-03", 1]]
    ] as const
  )("say how dates and fractions are written: %s", async (cells, settings, values) => {
    assert.deepStrictEqual(await read(cells, settings), [...values])
  })

  it.each(
    [
      ["03/04/2026;1", {}, "F2 expirationDate: is no date in the order of the mapping"],
      [
        "31.02.2026;1",
        { dates: "DAY_MONTH_YEAR" },
        "F2 expirationDate: is no date in the order of the mapping"
      ],
      [
        "30.11.26;1",
        { dates: "DAY_MONTH_YEAR" },
        "F2 expirationDate: is no date in the order of the mapping"
      ],
      [";1,234", {}, "G2 weightPerUnit: has a point or a comma; say in the mapping"],
      [";1.234", {}, "G2 weightPerUnit: has a point or a comma; say in the mapping"],
      [";1,5", { decimal: "POINT" }, "G2 weightPerUnit: has a comma, but the mapping says"],
      [";1.5", { decimal: "COMMA" }, "G2 weightPerUnit: has a point, but the mapping says"],
      [";1.234,5", { decimal: "COMMA" }, "G2 weightPerUnit: has a point, but the mapping says"],
      [";1e3", {}, "G2 weightPerUnit: is no number"],
      [";1,2,3", { decimal: "COMMA" }, "G2 weightPerUnit: is no number"]
    ] as const
  )("leave nothing to be guessed: %s", async (cells, settings, fault) => {
    const [first = "", ...others] = await read(cells, settings)
    assert.include(String(first), fault)
    assert.deepStrictEqual(others, [])
  })

  it("D25.2 call columns without a name by their letters, also those right of the header", async () => {
    const { columns, shipments } = await csvListing(
      `${head}\nPO-1;1;SKU-1;1;CASE;;red\n`,
      withColumns({ G: "lot" })
    )
    assert.deepStrictEqual(columns.slice(5).map(({ field, name }) => [name, field]), [["F", ""], [
      "G",
      "lot"
    ]])
    assert.strictEqual(shipments[0]?.document?.orders[0]?.items[0]?.lot, "red")
  })

  it("D25.2 name columns that the file has, each for one field", async () => {
    const by = withColumns({ Missing: "lot", Qty: "weightPerUnit" }, {
      values: [{ field: "direction", value: "INBOUND" }, { field: "lpn", value: "1" }, {
        field: "height",
        value: "x"
      }]
    })
    assert.deepStrictEqual(faultsOf(await csvListing(`${head}\nPO-1;1;SKU-1;1;CASE\n`, by)), [
      "1 lot: is no column of the file",
      "1 lpn: is the field of another column or value as well",
      "1 height: is no number"
    ])
  })
})

describe("the cells of a spreadsheet", () => {
  const styles = `<numFmts><numFmt numFmtId="164" formatCode="00000000"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs>`

  const list = (cells: string) => {
    const rows = `${textRow(1, "Order", "Pallet", "Article", "Qty", "Unit", "MHD")}<row r="2">${cells}</row>`
    return listing(
      { format: "xlsx", bytes: xlsx({ List: rows }, { styles }) },
      withColumns({ MHD: "expirationDate" }, { decimal: "COMMA" })
    )
  }
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const end = `<c><v>1.5</v></c>${text("CASE")}<c s="2"><v>46356</v></c>`

  it("are what they show: zeros of formats are kept, numbers have no comma, dates are dates", async () => {
    const { shipments } = await list(`${text("PO-1")}<c s="1"><v>12345</v></c><c><v>4711</v></c>${end}`)
    const item = shipments[0]?.document?.orders[0]?.items[0]
    assert.deepInclude(item, { lpn: "00012345", sku: "4711", quantity: 1.5, expirationDate: "2026-11-30" })
  })

  it.each([
    [`<c><v>1.06141411234567E+17</v></c><c><v>1</v></c>`, "B2 lpn: is a number of more than 15 digits"],
    [`<c s="2"><v>46356</v></c><c><v>1</v></c>`, "B2 lpn: is a date in the file; format the column as text"],
    [`<c t="e"><v>#N/A</v></c><c><v>1</v></c>`, "B2 lpn: has an error (#N/A)"],
    [`<c><f>A1</f></c><c><v>1</v></c>`, "B2 lpn: has a formula without its result"]
  ])("that a spreadsheet may have changed are faults: %s", async (cells, fault) => {
    const [first] = faultsOf(await list(`${text("PO-1")}${cells}${end}`))
    assert.include(first, fault)
  })

  it("with formulas are taken as they were saved, which is noted", async () => {
    const { notes, shipments } = await list(
      `${text("PO-1")}<c t="str"><f>X1</f><v>0012</v></c><c><v>1</v></c>${end}`
    )
    assert.strictEqual(shipments[0]?.document?.orders[0]?.items[0]?.lpn, "0012")
    assert.deepStrictEqual(notes.map(textOf), [
      "B2 : a cell with a formula is taken as it was saved: nothing is computed"
    ])
  })
})

it("whatever a file has: an order is in a document or has a fault, and no cell of a document is made up", async () => {
  const cell = fc.oneof(
    fc.constantFrom(
      "PO-1",
      "PO-2",
      "1",
      "0001",
      "1,5",
      "1.5",
      "CASE",
      "SKU-1",
      "",
      "=1",
      "30.11.2026",
      "-1",
      "#N/A"
    ),
    fc.string({ unit: "grapheme", maxLength: 6 })
  ).map((text) => text.replaceAll(/[\0\r]/g, ""))
  const quote = (text: string) => `"${text.replaceAll("\"", "\"\"")}"`
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { maxLength: 12 }),
      async (lines) => {
        const text = [`${head};Load`, ...lines.map((line) => line.map(quote).join(";"))].join("\n")
        const list = await csvListing(text, withColumns({ Load: "shipmentNumber" }))
        const cells = new Set(lines.flat().map((each) => each.trim()))
        for (const { document, orders } of list.shipments) {
          const content = document?.orders ?? []
          assert.deepStrictEqual(
            content.map(({ orderNumber }) => orderNumber),
            orders.filter(({ faults }) => faults.length === 0).map(({ orderNumber }) => orderNumber)
          )
          for (const { items } of content) {
            for (const { lpn, sku } of items) {
              for (const each of [lpn, sku]) assert.isTrue(cells.has(each), each)
            }
          }
        }
        const quantity = list.shipments.flatMap(({ orders }) => orders).reduce(
          (sum, { lineCount }) => sum + lineCount,
          0
        )
        const without = new Set(list.faults.map(({ row }) => row))
        assert.strictEqual(quantity + without.size, list.lineCount)
      }
    ),
    { numRuns: 300 }
  )
})
