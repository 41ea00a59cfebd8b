import { read } from "@dockline/testing/generators/Generators"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { maxFaults } from "../../src/input/Faults.ts"
import { compile } from "../../src/input/RequestInput.ts"
import { faultsOf, rawDocument, rawItem } from "../Reading.ts"

const negative = (count: number) =>
  Array.from({ length: count }, (_, index) => rawItem({ lpn: `L${index}`, quantity: -1 }))

describe("D2.3 the faults of a document are named up to a limit", () => {
  it("beyond it the answer does not grow", () => {
    const { category, errors } = faultsOf(rawDocument({ items: negative(maxFaults + 500) }))
    assert.strictEqual(category, "unprocessable")
    assert.strictEqual(errors.length, maxFaults)
  })

  it("a wrong type after them is still what makes it a 400, and is named", () => {
    const items = [...negative(maxFaults + 500), rawItem({ lpn: "LAST", quantity: "5" })]
    const { category, errors } = faultsOf(rawDocument({ items }))
    assert.strictEqual(category, "malformed")
    assert.strictEqual(errors.length, maxFaults)
    assert.isTrue(errors.some(({ path }) => path === `items[${maxFaults + 500}].quantity`))
  })

  it("a list beyond its limit is one fault, whatever its entries", () => {
    const million = Array.from({ length: 1_000_000 }, () => 1)
    const { errors } = faultsOf(
      rawDocument({ additionalFields: million, items: [rawItem({ caseSerials: million })] })
    )
    assert.deepStrictEqual(errors, [
      { path: "additionalFields", detail: "must hold at most 1000 entries" },
      { path: "items[0].caseSerials", detail: "must hold at most 10000 entries" }
    ])
  })
})

describe("D2.7 a list with one entry too many", () => {
  it("is a fault, though each entry is valid", () => {
    const additionalFields = Array.from({ length: 1001 }, (_, index) => ({ name: `N${index}`, value: "" }))
    assert.deepStrictEqual(faultsOf(rawDocument({ additionalFields })), {
      category: "unprocessable",
      errors: [{ path: "additionalFields", detail: "must hold at most 1000 entries" }]
    })
  })
})

describe("a field of the client's own", () => {
  it("is echoed short, and without what cannot be seen", () => {
    const { errors } = faultsOf(rawDocument({ "a\u0000\u001b[2J\u202e": 1, ["x".repeat(200)]: 1 }))
    assert.deepStrictEqual(errors.map(({ path }) => path), [
      "a\\u0000\\u001b[2J\\u202e",
      `${"x".repeat(100)}…`
    ])
  })
})

describe("D2.3 absent", () => {
  it("undefined, which an embedding service may pass, is absent as null is", () => {
    assert.deepStrictEqual(read(rawDocument({ carrier: undefined })), read(rawDocument()))
  })
})

describe("a value of a program", () => {
  it("is read once, so that it cannot change after it was checked", () => {
    let reads = 0
    const raw = rawDocument({
      get carrier() {
        return ++reads === 1 ? "Nordfracht" : 5
      }
    })
    assert.strictEqual(read(raw).carrier, "Nordfracht")
    assert.strictEqual(reads, 1)
  })
})

describe("a schema that cannot be checked", () => {
  const [word, list] = [Schema.Literal("*"), Schema.Array(Schema.String)]
  const withType = Schema.Struct({ type: word })

  it.each(
    [
      ["a union of scalars", Schema.Union([Schema.String, Schema.Number])],
      ["a union of two words and a list", Schema.Union([word, Schema.Literal("all"), list])],
      ["a union of structs and a word", Schema.Union([withType, word])],
      ["a union of structs, one of them without a literal type", Schema.Union([withType, Schema.Struct({})])],
      ["a big integer", Schema.BigInt]
    ] as const
  )("%s is refused when it is made", (_, schema) => {
    assert.throws(() => compile(schema.ast, "a thing"), TypeError, "a thing")
  })
})
