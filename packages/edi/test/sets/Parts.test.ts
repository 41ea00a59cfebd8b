/** The parts of sets: marks, units, local times. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { lpnOfMark } from "../../src/sets/Parties.ts"
import { instantOf, localTime } from "../../src/sets/Times.ts"
import { decimal } from "../../src/sets/Words.ts"

describe("an SSCC", () => {
  it.each([
    ["GM", "00106141411234567897", "106141411234567897"],
    ["GM", "106141411234567897", "106141411234567897"],
    ["AA", "106141411234567897", "106141411234567897"],
    ["W", "00106141411234567897", "00106141411234567897"],
    ["CP", "P-1", "P-1"],
    ["SM", "P-1", undefined]
  ])("behind %s %s is the LPN %s", (qualifier, mark, lpn) => {
    assert.strictEqual(lpnOfMark(qualifier, mark), lpn)
  })
})

describe("a local time", () => {
  it.each([
    ["20261120", "1705", "UTC", "2026-11-20T17:05:00.000Z"],
    ["20261120", "170507", "America/New_York", "2026-11-20T22:05:07.000Z"],
    ["20260720", "", "America/New_York", "2026-07-20T04:00:00.000Z"],
    ["20260720", "1200", "Asia/Kolkata", "2026-07-20T06:30:00.000Z"],
    // The hour that occurs twice means the first of the two, and the hour that is left out means the one after it.
    ["20261101", "0130", "America/New_York", "2026-11-01T05:30:00.000Z"],
    ["20260308", "0230", "America/New_York", "2026-03-08T07:30:00.000Z"],
    ["99981231", "235959", "Pacific/Pago_Pago", "9999-01-01T10:59:59.000Z"],
    ["19000101", "", "Pacific/Kiritimati", "1900-01-01T10:29:20.000Z"]
  ])("%s %s in %s is %s", (date, time, zone, instant) => {
    assert.strictEqual(instantOf(date, time, zone), instant)
  })

  it("is written as it is read", () => {
    assert.deepStrictEqual(localTime(Timestamp.of("2026-11-20T22:05:07.000Z"), "America/New_York"), {
      date: "20261120",
      time: "170507"
    })
  })
})

/** Minutes of UTC: many of them near changes of clocks, over the years that occur in documents. */
const minutes = fc.oneof(
  fc.integer({ min: Date.UTC(1900, 0, 2) / 60_000, max: Date.UTC(9998, 11, 30) / 60_000 }),
  fc.tuple(
    fc.integer({ min: 1970, max: 2100 }),
    fc.constantFrom(2, 9, 10),
    fc.integer({ min: 0, max: 45_000 })
  )
    .map(([year, month, minute]) => Date.UTC(year, month, 1) / 60_000 + minute)
)

Law.register({ describe, it }, "D23.4: local times", [
  Law.make(
    "are those of the zone, and read as the instant or as the first of the two that they name",
    fc.tuple(
      minutes,
      fc.constantFrom("UTC", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu")
    ),
    ([minute, timeZone]) => {
      const instant = Timestamp.fromMillis(minute * 60_000)
      const { date, time } = localTime(instant, timeZone)
      const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" })
      assert.strictEqual(`${date}${time}`, format.format(minute * 60_000).replaceAll(/\D/g, ""))
      const read = instantOf(date, time, timeZone)
      assert.isAtMost(Date.parse(read), minute * 60_000)
      assert.deepStrictEqual(localTime(read, timeZone), { date, time })
    },
    500
  )
])

describe("a quantity", () => {
  it.each([[5, "5"], [2.5, "2.5"], [1e-7, "0.0000001"], [0, "0"], [9007199254740991, "9007199254740991"]])(
    "%d is written without an exponent",
    (quantity, text) => assert.strictEqual(decimal(quantity), text)
  )
})
