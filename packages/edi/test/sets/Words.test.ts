/** D23.5: goods are told in the words that the partner last used for their SKU in the order, and only in those. */
import { lpnKey } from "@dockline/core/labels/Lpn"
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { changedWords, orderWords, textOf, wordsIn, wordsOf } from "../../src/sets/Words.ts"
import type { ItemWording, ItemWords } from "../../src/sets/Words.ts"

const usual: Readonly<Record<string, string>> = { UNIT: "EA", CASE: "CA", PALLET: "PF", BARREL: "" }

const words: fc.Arbitrary<ItemWords> = fc.tuple(
  fc.constantFrom("EA", "CA", "CT", "LB", ""),
  fc.constantFrom("SK", "VN", "BP", ""),
  fc.constantFrom("UNIT", "CASE")
)

const keys = fc.record({
  sku: fc.constantFrom("A", "B", "C", "__proto__", "constructor", ""),
  lpn: fc.constantFrom("", "P-1", "P-2", "106141411234567897", "00106141411234567897"),
  identifier: fc.constantFrom("", "1", "P-1")
})

/** A set contains each item once. */
const sets = fc.array(
  fc.record({
    isChange: fc.boolean(),
    items: fc.uniqueArray(fc.tuple(keys, words).map(([key, words]): ItemWording => ({ ...key, words })), {
      maxLength: 8,
      selector: ({ identifier, lpn, sku }) => JSON.stringify([sku, lpnKey(lpn), lpn === "" ? identifier : ""])
    })
  }),
  { minLength: 1, maxLength: 4 }
)

Law.register({ describe, it }, "D23.5: the words of goods", [
  Law.make(
    "are those in which the last set with their SKU said it, by their plate or line, else by their unit; else the usual ones",
    fc.tuple(sets, keys, fc.constantFrom("UNIT", "CASE", "PALLET", "BARREL")),
    ([sets, key, quantityUnit]) => {
      let text = ""
      let wordings: ReadonlyArray<ItemWording> = []
      for (const { isChange, items } of sets) {
        const words = orderWords(items)
        text = textOf(isChange ? changedWords(wordsIn(text), words) : words)
        const others = wordings.filter(({ sku }) => isChange && items.every((item) => item.sku !== sku))
        wordings = [...others, ...items]
      }
      const ofSku = wordings.filter(({ sku }) => sku === key.sku)
      const isOf = ({ identifier, lpn }: ItemWording) =>
        lpnKey(lpn) === lpnKey(key.lpn) && (key.lpn !== "" || identifier === key.identifier)
      const match = ofSku.findLast(isOf) ?? ofSku.findLast(({ words: [, , unit] }) =>
        unit === quantityUnit
      ) ??
        ofSku.at(-1)
      const [code, qualifier, unit] = match?.words ?? ["", "SK", quantityUnit]
      assert.deepStrictEqual(wordsOf(wordsIn(text), { ...key, quantityUnit }), [
        (unit === quantityUnit ? code : "") || usual[quantityUnit]!,
        qualifier,
        quantityUnit
      ])
    },
    2000
  )
])

describe("D23.5: the words of an order that are the usual ones", () => {
  it("are kept as no text", () => {
    const item = { sku: "A", lpn: "P-1", identifier: "", words: ["CA", "SK", "CASE"] } as const
    assert.strictEqual(textOf(orderWords([item])), "")
    assert.strictEqual(
      textOf(changedWords(orderWords([{ ...item, words: ["CT", "VN", "CASE"] }]), orderWords([item]))),
      ""
    )
  })

  it("take a text in proportion to the SKUs, however many plates they stand on", () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({
      sku: `A-${index % 10}`,
      lpn: `P-${index}`,
      identifier: "",
      words: ["CT", "VN", "CASE"] as const
    }))
    assert.isBelow(textOf(orderWords(items)).length, 400)
  })
})
