/** Texts of answers in pieces: what was written, in pieces of bounded length, and no sooner than they are taken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import * as Pieces from "../src/Pieces.ts"

const collect = (output: Pieces.Output): Promise<ReadonlyArray<string>> =>
  output._tag === "Whole"
    ? Promise.resolve([output.text])
    : Effect.runPromise(Stream.runCollect(output.pieces))

describe("the text of an answer", () => {
  it("is given whole where it is short", () => {
    const text = "x".repeat(1000)
    const output = Pieces.outputOf(Array.from({ length: 200 }, () => text).values())
    assert.deepStrictEqual(output, { _tag: "Whole", text: text.repeat(200) })
    assert.deepStrictEqual(Pieces.outputOf([""].values()), { _tag: "Whole", text: "" })
  })

  it("is written no sooner than it is taken where it is long", async () => {
    let count = 0
    const parts = (function*() {
      for (; count < 10_000; count++) yield "x".repeat(1000)
    })()
    const output = Pieces.outputOf(parts)
    assert.isTrue(output._tag === "Pieces")
    if (output._tag === "Whole") return
    assert.isAtMost(count, Pieces.longText / 1000 + 1)
    const first = await Effect.runPromise(Stream.runCollect(Stream.take(output.pieces, 10)))
    assert.isAtMost(Math.max(...first.map(({ length }) => length)), 70_000)
    assert.isAtMost(count, (Pieces.longText + 7 * 70_000) / 1000)
  })

  it("is what was written, and no piece ends within a character", async () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 5 }),
      fc.constantFrom("😀".repeat(70_001), `a${"😀".repeat(50_000)}`, "ü".repeat(65_536), "x".repeat(400_000))
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const pieces = await collect(Pieces.outputOf(parts.values()))
        assert.strictEqual(pieces.join(""), parts.join(""))
        const decoder = new TextDecoder()
        const bytes = pieces.map((piece) => decoder.decode(new TextEncoder().encode(piece))).join("")
        assert.strictEqual(bytes, parts.join(""))
      }),
      { numRuns: 30 }
    )
  })
})
