/** The report about two answers that differ. */
import { assert, describe, it } from "vitest"
import { toldDifference } from "../src/intake/Differential.ts"

const answer = (items: number, lot: string) => ({
  status: 200,
  body: { items: Array.from({ length: items }, (_, index) => ({ lpn: `P-${index}`, lot })) }
})

describe("a difference of two answers", () => {
  it("is told by the places where they differ", () => {
    assert.deepStrictEqual(toldDifference("MERGE", answer(2, "A"), answer(2, "A")), ["MERGE:"])
    assert.deepStrictEqual(
      toldDifference("MERGE", { ...answer(1, "A"), status: 201 }, { ...answer(1, "B"), detail: "late" }),
      [
        "MERGE:",
        "- status: 201 and 200",
        "- body.items.0.lot: \"A\" and \"B\"",
        "- detail: nothing and \"late\""
      ]
    )
  })

  it("takes ten lines at most, none of them long", () => {
    const lines = toldDifference("OVERWRITE", answer(5000, "A".repeat(4000)), answer(5000, "B".repeat(4000)))
    assert.lengthOf(lines, 10)
    assert.strictEqual(lines.at(-1), "- and 4992 more")
    for (const line of lines) assert.isBelow(line.length, 250)
    const [, whole] = toldDifference("OVERWRITE", answer(5000, "A"), { status: 200, body: null })
    assert.isBelow(whole!.length, 250)
  })
})
