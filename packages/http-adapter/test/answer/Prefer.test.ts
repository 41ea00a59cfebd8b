/** Which preferences of a request count (RFC 7240, D2.8, D5.3). */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/answer/Prefer.ts"

describe("RFC 7240 of a preference that is given twice the first counts", () => {
  it.each([
    ["dry-run", true, undefined],
    ["dry-run=true", true, undefined],
    ["dry-run=false", false, undefined],
    ["dry-run=false, dry-run", false, undefined],
    ["dry-run, dry-run=false", true, undefined],
    ["DRY-RUN=False, dry-run=true", false, undefined],
    ["dry-run=false, return=minimal, dry-run", false, "minimal"],
    ["return=minimal, return=representation", false, "minimal"],
    ["return=representation, return=minimal", false, "representation"],
    ["return=other, return=minimal", false, undefined]
  ])("%s", (header, dryRun, returned) => {
    assert.deepStrictEqual(parse(header), { dryRun, return: returned })
  })
})
