import {
  endingOf,
  foldText,
  isMeant,
  normalizedQuery,
  rank,
  searchKinds
} from "@dockline/core/shipment/ShipmentItem"
import type { SearchEntry } from "@dockline/core/shipment/ShipmentItem"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"

const location = { business: { slug: "b", name: "B" }, facility: { slug: "f", name: "F" } }

const entry = (kind: SearchEntry["kind"], id: number, text: string, shipmentId = id): SearchEntry => ({
  kind,
  id,
  text,
  location,
  shipmentId,
  shipmentNumber: `S${shipmentId}`,
  status: "ARRIVED",
  missingPallets: 0,
  unexpectedPallets: 0,
  orderNumber: ""
})

const sscc = "340123450000000018"

describe("what is asked for", () => {
  it.each([
    [` ${sscc}\n`, sscc],
    [`(00)${sscc}`, sscc],
    [`(00) ${sscc}`, sscc],
    [`00${sscc}`, sscc],
    [`]C100${sscc}\u001d`, sscc],
    [`\u200b(00) ${sscc} \ufeff`, sscc],
    ["\u200bPO 1\u202c", "PO 1"],
    [`0${sscc}`, `0${sscc}`],
    [`(01)${sscc}`, `(01)${sscc}`],
    [`00${sscc.slice(1)}`, `00${sscc.slice(1)}`],
    ["  ", ""],
    ["PO 1", "PO 1"]
  ])("%j is %j", (text, expected) => {
    assert.strictEqual(normalizedQuery(text), expected)
  })
})

describe("what a text means", () => {
  it.each([
    ["PO-1", "PO-1", true],
    ["po-1", "PO-1", true],
    ["O-1", "PO-1", false],
    ["000018", sscc, true],
    ["00018", sscc, false],
    ["🚚23456", "a🚚23456", true],
    ["🚚2345", "a🚚2345", false],
    ["straße", "STRASSE", false],
    ["É", "é", false],
    ["23456x", "123456X", true],
    ["123456", "1234567", false]
  ])("%j means %j: %j", (text, number, expected) => {
    assert.strictEqual(isMeant(text, number), expected)
  })

  it("what is meant has the ending of the text, so that an index finds it", () => {
    const text = FastCheck.string({
      unit: FastCheck.constantFrom("a", "A", "É", "1", "🚚", "%"),
      maxLength: 9
    })
    FastCheck.assert(
      FastCheck.property(text, text, text, (before, query, other) => {
        for (const number of [query, query.toUpperCase(), before + query, other]) {
          if (isMeant(query, number)) assert.strictEqual(endingOf(number), endingOf(query))
        }
        assert.isTrue(isMeant(query, foldText(query)))
      })
    )
  })
})

describe("what is shown", () => {
  it("is what is exact, then by kind, then the newest, and an LPN of a shipment once", () => {
    const entries = [
      entry("ITEM", 9, "L123456", 1),
      entry("ITEM", 8, "L123456", 2),
      entry("ITEM", 7, "L123456", 2),
      entry("PALLET", 3, "L123456", 1),
      entry("SHIPMENT", 4, "AL123456"),
      entry("SHIPMENT", 5, "BL123456"),
      entry("ORDER", 6, "l123456"),
      entry("TRAILER", 5, "another")
    ]
    const hitsOf = (limit: number) => rank("L123456", entries, limit).map(({ kind, id }) => [kind, id])
    const all = [["PALLET", 3], ["ITEM", 8], ["ORDER", 6], ["SHIPMENT", 5], ["SHIPMENT", 4]]
    assert.deepStrictEqual(hitsOf(100), all)
    assert.deepStrictEqual(hitsOf(2), all.slice(0, 2))
    assert.deepStrictEqual(searchKinds.at(-1), "REMOVAL")
  })
})
