import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Timestamp from "../../src/values/Timestamp.ts"

describe("D1.6 input takes any offset and is UTC without one", () => {
  it.each([
    ["2026-11-20T17:00:00Z", "2026-11-20T17:00:00.000Z"],
    ["2026-11-20T17:00:00", "2026-11-20T17:00:00.000Z"],
    ["2026-11-20t17:00:00z", "2026-11-20T17:00:00.000Z"],
    ["2026-11-20T17:00:00+00:00", "2026-11-20T17:00:00.000Z"],
    ["2026-11-20T17:00:00-00:00", "2026-11-20T17:00:00.000Z"],
    ["2026-11-20T17:00:00+05:30", "2026-11-20T11:30:00.000Z"],
    ["2026-11-20T17:00:00-08:00", "2026-11-21T01:00:00.000Z"],
    ["2026-12-31T23:59:59-00:01", "2027-01-01T00:00:59.000Z"],
    ["2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00.000Z"]
  ])("%s is %s", (input, expected) => {
    assert.strictEqual(Timestamp.parse(input), expected)
  })
})

describe("D1.6 output is UTC with milliseconds and Z", () => {
  it.each([
    ["2026-11-20T17:00:00.1Z", "2026-11-20T17:00:00.100Z"],
    ["2026-11-20T17:00:00.12Z", "2026-11-20T17:00:00.120Z"],
    ["2026-11-20T17:00:00.123Z", "2026-11-20T17:00:00.123Z"],
    ["2026-11-20T17:00:00.123999999Z", "2026-11-20T17:00:00.123Z"],
    ["2026-11-20T17:00:00.000001+01:00", "2026-11-20T16:00:00.000Z"]
  ])("a fraction of %s is cut to %s", (input, expected) => {
    assert.strictEqual(Timestamp.parse(input), expected)
  })

  it.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [1, "1970-01-01T00:00:00.001Z"],
    [-1, "1969-12-31T23:59:59.999Z"],
    [Date.UTC(2026, 10, 20, 17), "2026-11-20T17:00:00.000Z"]
  ])("%i milliseconds are %s", (millis, expected) => {
    assert.strictEqual(Timestamp.fromMillis(millis), expected)
  })

  it("timestamps compare as strings from the first year to the last", () => {
    const first = Timestamp.parse("0001-01-01T00:00:00Z")!
    const last = Timestamp.parse("9999-12-31T23:59:59.999Z")!
    assert.deepStrictEqual([first, last], ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
    assert.isTrue(first < last)
  })

  it.effect("now is the time of Effect's clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 17))
      assert.strictEqual(yield* Timestamp.now, "2026-11-20T17:00:00.000Z")
      yield* TestClock.adjust("1500 millis")
      assert.strictEqual(yield* Timestamp.now, "2026-11-20T17:00:01.500Z")
    }))
})

describe("D1.6 RFC 3339: a leap second is the first instant of the next minute", () => {
  it.each([
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.500Z"],
    ["2017-01-01T00:59:60+01:00", "2017-01-01T00:00:00.000Z"]
  ])("%s is %s", (input, expected) => {
    assert.strictEqual(Timestamp.parse(input), expected)
  })
})

describe("D2.4 what is no RFC 3339 date-time is refused", () => {
  it.each([
    "",
    "now",
    "2026-11-20",
    "2026-11-20T17:00",
    "2026-11-20T17:00:00.Z",
    "2026-11-20T17:00:00,5Z",
    "2026-11-20T17:00:00 Z",
    "2026-11-20 17:00:00Z",
    " 2026-11-20T17:00:00Z",
    "2026-11-20T17:00:00Z\n",
    "2026-11-20T17:00:00+0100",
    "2026-11-20T17:00:00+24:00",
    "2026-11-20T17:00:00+01:60",
    "2026-11-20T24:00:00Z",
    "2026-11-20T17:60:00Z",
    "2026-11-20T17:00:61Z",
    "2026-13-20T17:00:00Z",
    "2026-00-20T17:00:00Z",
    "2026-11-31T17:00:00Z",
    "2026-11-00T17:00:00Z",
    "2025-02-29T17:00:00Z",
    "+002026-11-20T17:00:00Z",
    "٢٠٢٦-11-20T17:00:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59.999-00:01",
    "9999-12-31T23:59:60Z"
  ])("%j", (input) => {
    assert.isUndefined(Timestamp.parse(input))
  })
})

describe("D1.6 calendar dates are YYYY-MM-DD and exist", () => {
  it.each(["2026-11-20", "2024-02-29", "2000-02-29", "0001-01-01", "0004-02-29", "9999-12-31"])(
    "%s is a date",
    (text) => assert.isTrue(Timestamp.isCalendarDate(text))
  )

  it.each([
    "",
    "2026-1-1",
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "2026-01-32",
    "2026-11-31",
    "2025-02-29",
    "1900-02-29",
    "2100-02-29",
    "2024-02-30",
    "0000-01-01",
    "-001-01-01",
    "10000-01-01",
    "2026-11-20T00:00:00Z",
    " 2026-11-20",
    "2026-11-20\n"
  ])("%j is none", (text) => assert.isFalse(Timestamp.isCalendarDate(text)))
})
