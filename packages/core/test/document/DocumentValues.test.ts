import { read } from "@dockline/testing/generators/Generators"
import { assert, describe, it } from "@effect/vitest"
import { reader } from "../../src/document/DocumentInput.ts"
import { append, defaultStrategies } from "../../src/document/Strategy.ts"
import { driverFieldNames, itemFields, orderFields } from "../../src/shipment/Shipment.ts"
import * as FieldTable from "../../src/values/FieldTable.ts"
import { defaultVocabulary } from "../../src/values/Vocabulary.ts"
import { faultsOf, invalid, isRequired, rawDocument, rawItem } from "../Reading.ts"

const truck = "\u{1F69A}"
const withItem = (fields: Record<string, unknown>) => rawDocument({ items: [rawItem(fields)] })
const itemOf = (fields: Record<string, unknown>) => read(withItem(fields)).orders[0]!.items[0]!

const documentTexts = ["business", "facility", "orderNumber", "shipmentNumber", "trailerNumber", "dockSlug"]
const orderTexts = [...driverFieldNames, ...FieldTable.namesOfKinds(orderFields, ["text"])]
const itemTexts = FieldTable.namesOfKinds(itemFields, ["text"])

/** Every free text of a document, as its path and the document that has the given text there. */
const everyText: ReadonlyArray<
  readonly [path: string, documentWith: (text: string) => Record<string, unknown>]
> = [
  ...[...documentTexts, ...orderTexts].map((name) =>
    [name, (text: string) => rawDocument({ [name]: text })] as const
  ),
  ...[...itemTexts, "lpn", "sku"].map((name) =>
    [`items[0].${name}`, (text: string) => withItem({ [name]: text })] as const
  ),
  ["items[0].caseSerials[0].id", (id) => withItem({ caseSerials: [{ id }] })],
  ["additionalFields[0].name", (name) => rawDocument({ additionalFields: [{ name, value: "v" }] })],
  ["additionalFields[0].value", (value) => rawDocument({ additionalFields: [{ name: "n", value }] })]
]

describe("D2.4 a string over 1,024 characters is 422", () => {
  const detail = "must be at most 1024 characters long"

  it.each(everyText)("%s", (path, documentWith) => {
    assert.deepStrictEqual(faultsOf(documentWith("x".repeat(1025))), invalid([path, detail]))
    read(documentWith("x".repeat(1024)))
  })

  it("characters are code points: 1,024 of two UTF-16 units each are not too many", () => {
    assert.strictEqual(
      read(rawDocument({ client: truck.repeat(1024) })).orders[0]!.fields.client.length,
      2048
    )
    assert.deepStrictEqual(
      faultsOf(rawDocument({ client: truck.repeat(1025) })),
      invalid(["client", detail])
    )
    assert.deepStrictEqual(
      faultsOf(rawDocument({ client: `${truck.repeat(1024)}x` })),
      invalid(["client", detail])
    )
  })
})

describe("D2.4 a NUL or a lone surrogate in a string is 422", () => {
  it.each(everyText)("%s", (path, documentWith) => {
    const nul = "must not contain the character NUL"
    const surrogate = "must not contain a lone surrogate"
    assert.deepStrictEqual(faultsOf(documentWith("a\0b")), invalid([path, nul]))
    assert.deepStrictEqual(faultsOf(documentWith("a\uD83D")), invalid([path, surrogate]))
    assert.deepStrictEqual(faultsOf(documentWith("\uDE9Ab")), invalid([path, surrogate]))
  })

  it("every other character is kept as it is: no trimming, no normalisation", () => {
    const texts = [
      " a ",
      "\t\n",
      "\u0001\u007F",
      "e\u0301",
      "\u00E9",
      "\uFEFF",
      "\uFFFF",
      `${truck}\u200D`,
      "null"
    ]
    assert.deepStrictEqual(
      texts.map((client) => read(rawDocument({ client })).orders[0]!.fields.client),
      texts
    )
  })
})

describe("D2.4 a required field that is \"\" is 422", () => {
  it("direction and orderItemUpdateStrategy do not take \"\"", () => {
    assert.deepStrictEqual(
      faultsOf(rawDocument({ direction: "", orderItemUpdateStrategy: "", items: [rawItem()] })),
      invalid(
        ["direction", "must be one of INBOUND, OUTBOUND"],
        ["orderItemUpdateStrategy", `must be one of ${Object.keys(defaultStrategies).join(", ")}`]
      )
    )
  })

  it("the key fields of an item, the id of a case and the name of an additional field", () => {
    assert.deepStrictEqual(
      faultsOf({
        ...withItem({ lpn: "", sku: "", caseSerials: [{ id: "" }] }),
        additionalFields: [{ name: "" }]
      }),
      invalid(
        ["additionalFields[0].name", isRequired],
        ["additionalFields[0].value", isRequired],
        ["items[0].lpn", "is required by OVERWRITE"],
        ["items[0].sku", "is required by OVERWRITE"],
        ["items[0].caseSerials[0].id", isRequired]
      )
    )
  })
})

describe("D2.4 in any other optional field \"\" means absent", () => {
  it("on the document and its order", () => {
    const names = [...documentTexts.slice(3), ...orderTexts, "expectedArrivalAt"]
    const empty = Object.fromEntries(names.map((name) => [name, ""]))
    assert.deepStrictEqual(read(rawDocument(empty)), read(rawDocument()))
  })

  it("on an item", () => {
    const names = [...itemTexts, "weightUnit", "dimensionUnit", "expirationDate", "manufacturingDate"]
    assert.deepStrictEqual(itemOf(Object.fromEntries(names.map((name) => [name, ""]))), itemOf({}))
  })
})

describe("D1.1, D1.3 vocabularies: any other word is 422, case included", () => {
  const vocabularies: ReadonlyArray<readonly [path: string, words: ReadonlyArray<string>]> = [
    ["direction", ["INBOUND", "OUTBOUND"]],
    ["orderItemUpdateStrategy", Object.keys(defaultStrategies)],
    ["items[0].quantityUnit", ["PALLET", "CASE", "UNIT"]],
    ["items[0].weightUnit", ["POUND", "KILOGRAM", "OUNCE", "GRAM"]],
    ["items[0].dimensionUnit", ["INCH", "FOOT", "CENTIMETER", "MILLIMETER", "METER"]]
  ]

  it.each(vocabularies)("%s", (path, words) => {
    const documentWith = (word: string) =>
      path.startsWith("items")
        ? withItem({ [path.slice("items[0].".length)]: word })
        : rawDocument({ [path]: word })
    for (const word of words) read(documentWith(word))
    for (
      const bad of ["PIECE", words[0]!.toLowerCase(), ` ${words[0]}`, "constructor", "__proto__", "toString"]
    ) {
      assert.deepStrictEqual(
        faultsOf(documentWith(bad)),
        invalid([path, `must be one of ${words.join(", ")}`])
      )
    }
  })
})

describe("D1.4 slugs", () => {
  it("a slug that is not well-formed names nothing, so it is left to be unknown (404)", () => {
    assert.strictEqual(read(rawDocument({ business: "No Such Business" })).business, "No Such Business")
  })
})

describe("D2.2, D2.4 numbers", () => {
  const max = 9_007_199_254_740_991
  const tooLarge = `must be a number of at most ${max}`
  const amounts = ["quantity", "weightPerUnit", "height", "length", "width"]
  const bad = (path: string, detail: string, raw: unknown) =>
    assert.deepStrictEqual(faultsOf(raw), invalid([path, detail]))

  it.each(amounts)("items[].%s is a number of at least 0, up to 2^53 - 1", (name) => {
    for (const value of [0, 0.1, 5e-324, 1e3, max]) {
      assert.deepStrictEqual(itemOf({ [name]: value }), { ...itemOf({}), [name]: value })
    }
    const path = `items[0].${name}`
    for (const value of [-1, -0.001, -max]) bad(path, "must not be negative", withItem({ [name]: value }))
    for (const value of [max + 1, 1e308, Infinity, -Infinity, Number.NaN]) {
      bad(path, tooLarge, withItem({ [name]: value }))
    }
  })

  it.each(
    [
      ["expectedQuantity", (expectedQuantity: number) => rawDocument({ expectedQuantity })],
      [
        "items[0].caseSerials[0].quantity",
        (quantity: number) => withItem({ caseSerials: [{ id: "C", quantity }] })
      ]
    ] as const
  )("%s is a whole number of at least 0, up to 2^53 - 1", (path, documentWith) => {
    for (const value of [0, 1, 1e3, max]) read(documentWith(value))
    for (const value of [0.5, 1e-9, 1.5]) bad(path, "must be a whole number", documentWith(value))
    for (const value of [-1, -0.5]) bad(path, "must not be negative", documentWith(value))
    for (const value of [max + 1, Infinity, -Infinity, Number.NaN]) bad(path, tooLarge, documentWith(value))
  })
})

describe("D1.6, D2.4 dates and date-times", () => {
  it.each(["expirationDate", "manufacturingDate"])("items[].%s is a date that exists", (name) => {
    for (const date of ["2026-11-20", "2024-02-29"]) {
      assert.deepStrictEqual(itemOf({ [name]: date }), { ...itemOf({}), [name]: date })
    }
    for (const date of ["2025-02-29", "2026-11-20T00:00:00Z"]) {
      assert.deepStrictEqual(
        faultsOf(withItem({ [name]: date })),
        invalid([`items[0].${name}`, "must be a date, YYYY-MM-DD"])
      )
    }
  })

  it("expectedArrivalAt is a date and time", () => {
    const read17 = read(rawDocument({ expectedArrivalAt: "2026-11-20T17:00:00.987654+05:30" }))
    assert.strictEqual(read17.expectedArrivalAt, "2026-11-20T11:30:00.987Z")
    assert.deepStrictEqual(
      faultsOf(rawDocument({ expectedArrivalAt: "2026-11-20" })),
      invalid(["expectedArrivalAt", "must be a date and time as in RFC 3339, such as 2026-11-20T17:00:00Z"])
    )
  })
})

describe("D1.3 an embedding service widens the vocabulary and the strategies", () => {
  const wider = reader({
    vocabulary: { ...defaultVocabulary, quantityUnits: [...defaultVocabulary.quantityUnits, "DRUM"] },
    strategies: { ...defaultStrategies, ADD_ONLY: { ...append, requiredFields: ["lpn", "sku", "lot"] } }
  })

  it("its words and strategies are taken, with the fields those require", () => {
    const document = rawDocument({
      orderItemUpdateStrategy: "ADD_ONLY",
      items: [rawItem({ quantityUnit: "DRUM", lot: "LOT-1" })]
    })
    assert.strictEqual(read(document, wider).orders[0]!.strategy, "ADD_ONLY")
    assert.deepStrictEqual(
      faultsOf(rawDocument({ orderItemUpdateStrategy: "ADD_ONLY", items: [rawItem()] }), wider),
      invalid(["items[0].lot", "is required by ADD_ONLY"])
    )
  })
})
