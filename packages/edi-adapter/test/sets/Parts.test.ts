/** The parts of sets: marks, units, local times. */
import { assert, describe, it } from "vitest"
import { lpnOfMark } from "../../src/sets/Sscc.ts"
import { instantOf, localTime } from "../../src/sets/Times.ts"
import { decimal } from "../../src/sets/Units.ts"

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
    // The hour that comes twice is the first of the two, and the hour that is left out is the one after it.
    ["20261101", "0130", "America/New_York", "2026-11-01T05:30:00.000Z"],
    ["20260308", "0230", "America/New_York", "2026-03-08T07:30:00.000Z"],
    ["99981231", "235959", "Pacific/Pago_Pago", "9999-01-01T10:59:59.000Z"],
    ["19000101", "", "Pacific/Kiritimati", "1900-01-01T10:29:20.000Z"]
  ])("%s %s in %s is %s", (date, time, zone, instant) => {
    assert.strictEqual(instantOf(date, time, zone), instant)
  })

  it("is written as it is read", () => {
    assert.deepStrictEqual(localTime("2026-11-20T22:05:07.000Z", "America/New_York"), {
      date: "20261120",
      time: "170507"
    })
  })
})

describe("a quantity", () => {
  it.each([[5, "5"], [2.5, "2.5"], [1e-7, "0.0000001"], [0, "0"], [9007199254740991, "9007199254740991"]])(
    "%d is written without an exponent",
    (quantity, text) => assert.strictEqual(decimal(quantity), text)
  )
})
