/** D17.3: the dates and times of Kargo's filters. */
import { assert, describe, it } from "@effect/vitest"
import { endOf, instantFault, instantOf } from "../src/schema/KargoWords.ts"

describe("a date, or a date and time", () => {
  const cases: ReadonlyArray<readonly [text: string, begin: string | undefined, end: string | undefined]> = [
    ["2026-06-30", "2026-06-30T00:00:00.000Z", "2026-07-01T00:00:00.000Z"],
    ["2026-06-30T23:00:00-01:00", "2026-07-01T00:00:00.000Z", "2026-07-01T00:00:00.001Z"],
    ["9999-12-30", "9999-12-30T00:00:00.000Z", "9999-12-31T00:00:00.000Z"],
    ["9999-12-31", "9999-12-31T00:00:00.000Z", undefined],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z", undefined],
    ["yesterday", undefined, undefined],
    ["2026-02-30", undefined, undefined]
  ]
  for (const [text, begin, end] of cases) {
    it(`${text} begins at ${begin}, and is before ${end}`, () => {
      assert.strictEqual(instantOf(text), begin)
      assert.strictEqual(endOf(text), end)
      assert.strictEqual(instantFault(text) === undefined, begin !== undefined)
    })
  }
})
