import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  alternatesAtMost,
  longestAlternate,
  longestMetadata,
  longestSku,
  readDelete,
  readSet,
  skusInChange
} from "../../src/skus/Sku.ts"
import { invalid, malformed, requestFaultsOf } from "../Reading.ts"

const place = { business: "acme", facility: "east" }

describe("D17.4 a change of the SKU master", () => {
  it("reads what is given, and leaves out what is null", () => {
    const sku = {
      id: "SKU-1",
      description: "Oat drink",
      casesPerPallet: 60,
      alternateIds: ["1"],
      metadata: "[1]"
    }
    assert.deepStrictEqual<unknown>(
      Result.getOrThrow(readSet({ ...place, skus: [{ ...sku, unitOfMeasure: null }] })),
      { ...place, skus: [sku] }
    )
    assert.deepStrictEqual<unknown>(Result.getOrThrow(readDelete({ ...place, ids: ["a", "b", "a"] })), {
      ...place,
      ids: ["a", "b"]
    })
  })

  it("names every fault: 422 for bad values and for a SKU that is given twice", () => {
    assert.deepStrictEqual(
      requestFaultsOf(readSet, {
        business: "",
        skus: [
          { id: "A" },
          { id: "" },
          { id: "A", casesPerPallet: 1.5 },
          { id: "x".repeat(longestSku + 1), metadata: "{" },
          { id: "B", metadata: `"${"x".repeat(longestMetadata)}"`, alternateIds: [""] },
          { id: "C", alternateIds: Array.from({ length: alternatesAtMost + 1 }, String) },
          { id: "D", alternateIds: ["x".repeat(longestAlternate), "x".repeat(longestAlternate + 1)] },
          {}
        ]
      }),
      invalid(
        ["business", "is required"],
        ["facility", "is required"],
        ["skus[1].id", "is required"],
        ["skus[2].casesPerPallet", "must be a whole number"],
        ["skus[2].id", "is given twice"],
        ["skus[3].id", `must be at most ${longestSku} characters long`],
        [
          "skus[3].metadata",
          "must be the text of a JSON value, without the character NUL and lone surrogates"
        ],
        ["skus[4].alternateIds[0]", "is required"],
        ["skus[4].metadata", `must be at most ${longestMetadata} characters long, as JSON`],
        ["skus[5].alternateIds", `must hold at most ${alternatesAtMost} entries`],
        ["skus[6].alternateIds[1]", `must be at most ${longestAlternate} characters long`],
        ["skus[7].id", "is required"]
      )
    )
  })

  it("400 for fields of a wrong type or name; not too many at once", () => {
    assert.deepStrictEqual(
      requestFaultsOf(readSet, { ...place, skus: [{ id: 1 }, { id: "A", decription: "" }] }),
      malformed(
        ["skus[0].id", "must be a string, not a number"],
        ["skus[1].decription", "is not a field of a change of SKUs; did you mean description?"]
      )
    )
    const many = Array.from({ length: skusInChange + 1 }, (_, n) => ({ id: String(n) }))
    assert.deepStrictEqual(
      requestFaultsOf(readSet, { ...place, skus: many }),
      invalid(["skus", `must hold at most ${skusInChange} entries`])
    )
  })
})
