import { rawDocuments, read } from "@dockline/testing/generators/Generators"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import * as DocumentInput from "../../src/document/DocumentInput.ts"
import { compile } from "../../src/input/DocumentCheck.ts"
import { maxFaults } from "../../src/input/Faults.ts"
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

/** The same value, each object of which fails to be read once: `ValidCopy` then makes no copy of it. */
const reluctant = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reluctant)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, reluctant(member)] as const)
  const [first] = members
  if (first === undefined) return value
  let isRead = false
  const get = () => {
    if (isRead) return first[1]
    isRead = true
    throw new Error("not yet")
  }
  return Object.defineProperty(Object.fromEntries(members), first[0], { enumerable: true, get })
}

/** Puts a value in the place of a member, wherever it is; no path: instead of the whole. */
const replaced = (value: unknown, path: ReadonlyArray<number>, by: unknown): unknown => {
  const [place, ...rest] = path
  if (place === undefined || typeof value !== "object" || value === null) return by
  const keys = Object.keys(value)
  if (keys.length === 0) return by
  const key = keys[place % keys.length]!
  const member = replaced(Reflect.get(value, key), rest, by)
  return Array.isArray(value)
    ? value.map((entry: unknown, index) => (String(index) === key ? member : entry))
    : { ...value, [key]: member }
}

describe("a value that is copied", () => {
  const values = fc.oneof(
    fc.constantFrom(null, undefined, "", "x", "CASE", "2026-11-20", -1, 0, 1.5, Infinity, true, {}, [], [
      null
    ]),
    fc.record({ id: fc.constantFrom("S", ""), unknown: fc.constantFrom(null, 1) })
  )
  const paths = fc.array(fc.nat(30), { maxLength: 5 })
  const raws = fc.tuple(rawDocuments, fc.array(fc.tuple(paths, values), { maxLength: 2 }))
    .map(([raw, changes]) =>
      changes.reduce<unknown>((changed, [path, by]) => replaced(changed, path, by), raw)
    )

  it("is what it would be if it were read thoroughly, and so are its faults", () => {
    const reader = DocumentInput.reader()
    fc.assert(
      fc.property(raws, (raw) => assert.deepStrictEqual(reader(reluctant(raw)), reader(raw))),
      { numRuns: 2000 }
    )
  })

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
  const typed = Schema.Struct({ type: word })

  it.each(
    [
      ["a union of scalars", Schema.Union([Schema.String, Schema.Number])],
      ["a union of two words and a list", Schema.Union([word, Schema.Literal("all"), list])],
      ["a union of structs and a word", Schema.Union([typed, word])],
      ["a union of structs, one of them without a literal type", Schema.Union([typed, Schema.Struct({})])],
      ["a big integer", Schema.BigInt]
    ] as const
  )("%s is refused when it is made", (_, schema) => {
    assert.throws(() => compile(schema.ast, "a thing"), TypeError, "a thing")
  })
})
