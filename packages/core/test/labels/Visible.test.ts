import { reader } from "@dockline/core/document/DocumentInput"
import { visibleLpn } from "@dockline/core/labels/Lpn"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { unseenIn, visible } from "../../src/labels/Lpn.ts"

const sscc = "106141411234567897"
const gs = "\u001d"

/** Characters that cannot be seen, by their names in Unicode. */
const unseen = {
  "zero width space": "\u200b",
  "zero width non-joiner": "\u200c",
  "zero width joiner": "\u200d",
  "word joiner": "\u2060",
  "byte order mark": "\ufeff",
  "soft hyphen": "\u00ad",
  "right-to-left mark": "\u200f",
  "right-to-left override": "\u202e",
  "first strong isolate": "\u2068",
  "Arabic letter mark": "\u061c",
  "Mongolian vowel separator": "\u180e",
  "combining grapheme joiner": "\u034f",
  "Hangul filler": "\u3164",
  "variation selector": "\ufe0f",
  "tag letter": "\u{e0041}",
  "interlinear annotation": "\ufff9",
  "line separator": "\u2028",
  "paragraph separator": "\u2029",
  "group separator": gs,
  tab: "\t",
  "line feed": "\n",
  delete: "\u007f",
  "next line": "\u0085"
}

const cases = Object.entries(unseen)

// @threat reports.3
describe("D22.2 characters that cannot be seen", () => {
  it.each(cases)("%s", (_name, character) => {
    assert.deepStrictEqual(unseenIn(`a${character}b${character}`), [
      `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
    ])
    assert.strictEqual(visible(`${character}a${character}b${character}`), "ab")
  })

  it.each(["", "L 1", " ~!", "é", "e\u0301", "שלום 12", "رقم", "中文", "🚚", "\u00a0", "\u3000", "№ Ⅳ"])(
    "are none in %j",
    (text) => {
      assert.deepStrictEqual(unseenIn(text), [])
      assert.strictEqual(visible(text), text)
    }
  )

  it("are left out of the LPNs of labels, but for FNC1 in a form of an SSCC", () => {
    const cases = [
      [`\u200bL1\r\n`, "L1"],
      [`L1${gs}`, "L1"],
      [`00${sscc}${gs}`, `00${sscc}${gs}`],
      [`]C100${sscc}10L\u200bOT${gs}3712`, `]C100${sscc}10LOT${gs}3712`],
      [`${sscc}\u200b`, sscc],
      ["שלום", "שלום"]
    ] as const
    for (const [lpn, expected] of cases) assert.strictEqual(visibleLpn(lpn), expected)
  })
})

// @threat reports.3
describe("D22.2 a document", () => {
  const read = reader()
  const item = { lpn: "L1", sku: "S1", quantity: 1, quantityUnit: "CASE" }
  const document = {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    orderNumber: "O1",
    items: [item]
  }
  const order = { orderNumber: "O1", items: [item] }
  const { items: _, orderNumber: __, ...head } = document
  const faultsOf = (input: unknown) => Result.merge(Result.map(read(input), () => []))

  it.each(cases)("is refused with a %s in what identifies", (_name, character) => {
    const odd = `a${character}b`
    const detail = `must not contain invisible characters: ${unseenIn(odd).join()}`
    const places = [
      [{ ...document, items: [{ ...item, lpn: odd }] }, "items[0].lpn"],
      [{ ...document, items: [{ ...item, sku: odd }] }, "items[0].sku"],
      [{ ...document, items: [{ ...item, identifier: odd }] }, "items[0].identifier"],
      [{ ...document, orderNumber: odd }, "orderNumber"],
      [{ ...document, shipmentNumber: odd }, "shipmentNumber"],
      [{ ...head, shipmentNumber: "S1", orders: [{ ...order, orderNumber: odd }] }, "orders[0].orderNumber"]
    ] as const
    for (const [input, path] of places) {
      assert.deepInclude(faultsOf(input), { _tag: "InvalidDocument", errors: [{ path, detail }] })
    }
  })

  it("may have them in free text, and FNC1 in an LPN that is a form of an SSCC", () => {
    const free = "שלום \u200f\u2067(x)\u2069 👨\u200d👩\u200d👧\nline 2"
    const lpn = `]C100${sscc}10LOT${gs}3712`
    const input = {
      ...document,
      consigneeName: free,
      items: [{ ...item, lpn, description: free }],
      additionalFields: [{ name: "note", value: free }]
    }
    assert.deepStrictEqual(faultsOf(input), [])
    assert.strictEqual(Result.getOrThrow(read(input)).orders[0]!.items[0]!.lpn, lpn)
    assert.notDeepEqual(faultsOf({ ...document, items: [{ ...item, sku: lpn }] }), [])
    assert.notDeepEqual(faultsOf({ ...document, items: [{ ...item, lpn: `L1${gs}` }] }), [])
  })
})
