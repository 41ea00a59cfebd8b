/** Additional fields: merged by name, and left alone when nothing changes (D3.7). */
import { assert, describe, it } from "@effect/vitest"
import { mergeAdditionalFields } from "../../src/shipment/Shipment.ts"

const fields = (...pairs: ReadonlyArray<readonly [name: string, value: string]>) =>
  pairs.map(([name, value]) => ({ name, value }))

const before = fields(["seal", "1"], ["driverName", "Ann"])

describe("D3.7 additional fields are merged by name", () => {
  it.each([
    [
      "a given value replaces in its place",
      fields(["seal", "2"]),
      fields(["seal", "2"], ["driverName", "Ann"])
    ],
    ["a new name is added at the end", fields(["gate", "7"]), [...before, ...fields(["gate", "7"])]],
    [
      "the last of several values counts",
      fields(["seal", "2"], ["seal", "3"]),
      fields(["seal", "3"], ["driverName", "Ann"])
    ]
  ])(
    "%s",
    (_, additions, expected) => assert.deepStrictEqual(mergeAdditionalFields(before, additions), expected)
  )
})

describe("D3.2 what changes nothing is no change, so that a departed shipment can be sent it again", () => {
  it.each([
    ["nothing given", []],
    ["empty values", fields(["seal", ""], ["gate", ""])],
    ["what is stored", before],
    ["another value first, then what is stored", fields(["driverName", "Bob"], ["driverName", "Ann"])]
  ])("%s", (_, additions) => assert.strictEqual(mergeAdditionalFields(before, additions), before))
})
