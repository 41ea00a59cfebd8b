/** D9.9: the interchange that tests a receiver of webhooks is one that a reader of X12 takes. */
import { testInterchange } from "@dockline/core/webhooks/DeliveryBody"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { read } from "../../src/x12/X12Reader.ts"

describe("the interchange of a test", () => {
  it("is read as one interchange for tests, without groups", () => {
    const { interchange } = testInterchange("2026-11-20T17:04:59.000Z")
    const [first, ...others] = Result.getOrThrow(read(String(interchange)))
    assert.lengthOf(others, 0)
    assert.deepInclude(first, { control: "000000001", groups: [] })
  })
})
