/** Which known name a misspelt one is taken for. */
import { assert, describe, it } from "vitest"
import { nearest, unknownName } from "../../src/input/Faults.ts"

const fields = ["orderNumber", "shipmentNumber", "items", "lpn", "lot", "sku", "id"]

describe("nearest", () => {
  for (
    const [what, misspelt, expected] of [
      ["a letter left out", "orderNumbr", "orderNumber"],
      ["a letter added", "orderNummber", "orderNumber"],
      ["a letter replaced", "orderNumbar", "orderNumber"],
      ["two letters swapped", "itmes", "items"],
      ["two neighbours swapped count once, so a short name may have them", "pln", "lpn"],
      ["another case", "ORDERNUMBER", "orderNumber"],
      ["an underscore", "order_number", "orderNumber"],
      ["two differences", "ordrNumbr", "orderNumber"],
      ["three differences are too many", "ordrNmbr", undefined],
      ["two of three letters are too many", "lax", undefined],
      ["of two letters none may differ", "ip", undefined],
      ["another word", "comment", undefined],
      ["nothing", "", undefined]
    ] as const
  ) {
    it(`${what}: ${misspelt} is ${expected ?? "no name"}`, () => {
      assert.strictEqual(nearest(misspelt, fields), expected)
    })
  }

  it("is the nearer of two, and of two that are equally near the first", () => {
    assert.strictEqual(nearest("orderNumber1", ["orderNumbers2", "orderNumber"]), "orderNumber")
    assert.strictEqual(nearest("orderNumberX", ["orderNumber1", "orderNumber2"]), "orderNumber1")
  })

  it("does no work for a name that is too long", () => {
    assert.isUndefined(nearest("x".repeat(10_000_000), fields))
  })
})

describe("unknownName", () => {
  it("names the nearest name, or asks for the spelling to be checked", () => {
    assert.strictEqual(
      unknownName("orderNumbr", "a field of a document", fields),
      "is not a field of a document; did you mean orderNumber?"
    )
    assert.strictEqual(
      unknownName("comment", "a field of a document", fields),
      "is not a field of a document; check its spelling"
    )
  })
})
