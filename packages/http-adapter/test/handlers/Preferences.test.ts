/** Which preferences of a request count (RFC 7240, D2.8, D5.3). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { preferencesOf } from "../../src/handlers/Documents.ts"

describe("RFC 7240 preferences", () => {
  it.each([
    [undefined, false, undefined],
    ["", false, undefined],
    ["respond-async, wait=100", false, undefined],
    ["Return = \"Minimal\"", false, "minimal"],
    ["return=minimal; foo=\"some, dry-run\"", false, "minimal"],
    ["return=representation", false, "representation"],
    ["return", false, undefined],
    ["return=other, return=minimal", false, undefined],
    ["return=minimal, return=representation", false, "minimal"],
    ["return=representation, return=minimal", false, "representation"],
    ["dry-run", true, undefined],
    ["dry-run=\"\"", true, undefined],
    ["dry-run=true", true, undefined],
    ["dry-run=false", false, undefined],
    ["dry-run, dry-run=false", true, undefined],
    ["DRY-RUN=False, dry-run=true", false, undefined],
    ["dry-run=false, return=minimal, dry-run", false, "minimal"],
    ["foo=\"a\\\"b, c\", dry-run; x=y, return=minimal", true, "minimal"],
    ["foo=\"dry-run\"", false, undefined],
    ["foo; dry-run", false, undefined],
    ["@, dry-run", true, undefined]
  ])("%s", (header, dryRun, preference) => {
    assert.deepStrictEqual(preferencesOf(header), { dryRun, return: preference })
  })

  it("never fail", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (header) => void preferencesOf(header))
    )
  })
})
