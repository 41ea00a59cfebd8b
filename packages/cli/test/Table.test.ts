/** What people see: each field, aligned, on one line each, and harmless whatever it holds. */
import { operations } from "@dockline/core/operations/Operations"
import { CliOutput } from "effect/cli"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { printable } from "../src/Failure.ts"
import * as Table from "../src/Table.ts"
import { linesOf, tableOf } from "../src/Table.ts"

interface Item {
  readonly slug: string
  readonly name: string
}

const columns: Table.Columns<Item> = { slug: ({ slug }) => slug, name: ({ name }) => name }

const rowsOf = (items: ReadonlyArray<Item>, width?: number): ReadonlyArray<string> => {
  const rows = [["SLUG", "NAME"], ...items.map((item) => Table.cells(columns, item))]
  const widths = Table.widths(rows)
  return rows.map((row) =>
    Table.line(row, width === undefined ? widths : Table.fit(widths, width), width !== undefined)
  )
}

describe("a table", () => {
  it("starts each column where the widest cell before it ends", () => {
    assert.deepStrictEqual(rowsOf([{ slug: "acme", name: "Acme" }, { slug: "a-long-one", name: "B" }]), [
      "SLUG        NAME",
      "acme        Acme",
      "a-long-one  B"
    ])
  })

  it("counts characters by the columns they take", () => {
    assert.deepStrictEqual(rowsOf([{ slug: "東京", name: "x" }, { slug: "e\u0301", name: "y" }]), [
      "SLUG  NAME",
      "東京  x",
      "e\u0301     y"
    ])
  })

  it("cuts the widest column to the terminal, with a mark", () => {
    assert.deepStrictEqual(rowsOf([{ slug: "acme", name: "n".repeat(50) }], 20), [
      "SLUG  NAME",
      "acme  nnnnnnnnnnnnn…"
    ])
  })

  it("shortens times before it cuts them", () => {
    const deliveries = [
      ["3", "SHIPMENT_COMPLETE", "2026-11-20T23:01:16.558Z", "wms.globex.example has no address"],
      ["4", "PALLET_EVENT", "2026-11-20T23:02:16.558+00:00", "503"]
    ]
    const linesAt = (width: number) => {
      const widths = Table.fit(Table.widths(deliveries), width, Table.leasts(deliveries))
      return deliveries.map((row) => Table.line(row, widths, true))
    }
    assert.deepStrictEqual(linesAt(58), [
      "3  SHIPMENT_COMPLETE  2026-11-20T23:01Z  wms.globex.examp…",
      "4  PALLET_EVENT       2026-11-20T23:02Z  503"
    ])
    assert.deepStrictEqual(linesAt(43), [
      "3  SHIPMENT_CO…  11-20T23:01Z  wms.globex.…",
      "4  PALLET_EVENT  11-20T23:02Z  503"
    ])
    assert.deepStrictEqual(linesAt(35), [
      "3  SHIPMEN…  11-20T23:01Z  wms.glo…",
      "4  PALLET_…  11-20T23:02Z  503"
    ])
    assert.deepStrictEqual(linesAt(31).map((line) => CliOutput.displayWidth(line)), [31, 26])
  })

  it("is never wider than the terminal, if that leaves room for its columns", () => {
    fc.assert(fc.property(
      fc.array(fc.record({ slug: fc.string({ unit: "grapheme" }), name: fc.string({ unit: "grapheme" }) }), {
        minLength: 1
      }),
      fc.integer({ min: 18, max: 60 }),
      (items, width) => {
        for (const line of rowsOf(items, width)) assert.isAtMost(CliOutput.displayWidth(line), width, line)
      }
    ))
  })

  it("has one line for each row, whatever the cells hold", () => {
    const [, row] = rowsOf([{ slug: "a\nb\r\u2028c", name: "\u001b[31mred\u001b]0;title\u0007" }])
    assert.strictEqual(row, "a\\nb\\r\\u2028c  \\u001b[31mred\\u001b]0;title\\u0007")
  })
})

describe("a record", () => {
  it("has a line for each field, aligned behind the names", () => {
    assert.strictEqual(
      Table.record([["slug", "acme"], ["name", "Acme"], ["long title", ""]], undefined),
      "slug        acme\nname        Acme\nlong title"
    )
  })

  it("has more lines for what is wider than the terminal, and breaks no word", () => {
    const name = "Acme of the North and " + "n".repeat(30)
    const lines = [["slug", "acme"], ["name", name]] as const
    assert.strictEqual(
      Table.record(lines, 20),
      `slug  acme\nname  Acme of the\n      North and\n      ${"n".repeat(30)}`
    )
    assert.include(Table.record(lines, undefined), name)
  })
})

describe("the lines of an answer", () => {
  it("show each field of it and of what is in it, a line for each object of a list, and a dash where there is nothing", () => {
    const answer = {
      lastSeenAt: "2026-11-20T17:00:00.000Z",
      facility: { id: "1", slug: "east", name: "East" },
      note: "",
      login: null,
      enabled: true,
      orders: ["SO-1", "SO-2"],
      labels: [],
      request: { url: "https://a.example", headers: { "Content-Type": "text/plain" } },
      grants: [
        { business: "acme", facilities: "*", permissions: ["messages:read"] },
        { business: "acme", facilities: ["east"], permissions: ["pallets:write", "shipments:write"] }
      ],
      attempts: [
        { at: "then", status: null, response: "", tries: [{ n: 1 }, { n: 2 }] },
        { at: "now", status: 503, response: "away", tries: [] }
      ]
    }
    assert.deepStrictEqual(linesOf(answer), [
      ["last seen at", "2026-11-20T17:00:00.000Z"],
      ["facility", "east"],
      ["note", "-"],
      ["login", "-"],
      ["enabled", "yes"],
      ["orders", "SO-1 SO-2"],
      ["labels", "-"],
      ["request url", "https://a.example"],
      ["request headers Content-Type", "text/plain"],
      ["grants", "acme=messages:read acme/east=pallets:write,shipments:write"],
      ["attempts 1", "at then, tries 2"],
      ["attempts 2", "at now, status 503, response away"]
    ])
  })
})

describe("the columns of a list", () => {
  const order = { id: "1", orderNumber: "SO-1", carrier: "", items: [{}, {}] }
  const cellsOf = (columns: Table.Columns<never>) =>
    Object.entries(columns).map(([title, cell]) => [title, cell(order as never)])

  it("are those that it declares, under their names", () => {
    const columns = Object.keys(tableOf(operations.orders))
    assert.deepStrictEqual(
      columns.slice(0, 3).concat(columns.at(-1)!),
      ["id", "order number", "status", "items"]
    )
  })

  it("that are chosen have short titles, titles of their own, or cells of their own", () => {
    const columns = tableOf(operations.orders, [
      "orderNumber",
      ["by", "carrier"],
      "items",
      ["first", ({ items }) => items.length > 0]
    ])
    assert.deepStrictEqual(cellsOf(columns), [["order", "SO-1"], ["by", "-"], ["items", "2"], [
      "first",
      "yes"
    ]])
  })

  it("that no list declares are a fault of the program", () => {
    assert.throws(() => tableOf(operations.orders, ["itmes"]), "listOrders has no column itmes")
  })
})

describe("printable text", () => {
  // @threat requests.7
  it("holds nothing that a terminal acts on", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.notMatch(printable(text), /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
    }))
  })

  it("leaves letters of all scripts as they are", () => {
    const text = "Acme Größe 東京 مرحبا 👩‍🚀"
    assert.strictEqual(printable(text), text)
  })
})
