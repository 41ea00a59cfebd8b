/** D9.9: a reader of X12 accepts the interchange that tests a receiver of webhooks. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { ediInterchange, ediOutboxes } from "@dockline/edi/domain/EdiFile"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { read } from "../../src/x12/X12Reader.ts"

describe("the interchange of a test", () => {
  it("is read as one interchange for tests, without groups", () => {
    const text = ediOutboxes[ediInterchange].aboutNothing(Timestamp.of("2026-11-20T17:04:59.000Z"))
    const [first, ...others] = Result.getOrThrow(read(text))
    assert.lengthOf(others, 0)
    assert.deepInclude(first, { control: "000000001", groups: [] })
  })
})
