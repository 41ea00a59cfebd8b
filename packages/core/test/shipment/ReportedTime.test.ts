import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { defaultReportedTimes, timeAfter, timeBefore, timeFault } from "../../src/shipment/CheckIn.ts"
import { fromMillis } from "../../src/values/Timestamp.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"

const now = Timestamp.of("2026-11-20T17:00:00.000Z")
const shift = (millis: number) => fromMillis(Date.parse(now) + millis)

const second = 1000
const day = 86_400_000

// @threat reports.1
describe("D21.2 a reported time", () => {
  it.each([
    ["now", 0, undefined],
    ["as far ahead as clocks may differ", 300 * second, undefined],
    ["a millisecond further", 300 * second + 1, "300 seconds ahead"],
    ["ten years ahead", 3653 * day, "300 seconds ahead"],
    ["30 days behind", -30 * day, undefined],
    ["a millisecond older", -30 * day - 1, "30 days behind"],
    ["in 2001", Date.parse("2001-01-01T00:00:00Z") - Date.parse(now), "30 days behind"]
  ])(
    "that is %s is taken, or refused with the field, the server's time and the remedy",
    (_, ahead, refusal) => {
      const fault = timeFault(shift(ahead), now, defaultReportedTimes)
      assert.strictEqual(fault === undefined, refusal === undefined)
      for (const { detail, path } of fault?.errors ?? []) {
        assert.strictEqual(path, "occurredAt")
        for (const part of [refusal!, now, "set the clock of the sender"]) assert.include(detail, part)
      }
    }
  )

  it("may be ahead by the tolerance that is set", () => {
    const times = { ...defaultReportedTimes, clockToleranceSeconds: 0 }
    assert.isUndefined(timeFault(now, now, times))
    assert.isDefined(timeFault(shift(1), now, times))
  })

  it("may be absent", () => {
    assert.isUndefined(timeFault(undefined, now, defaultReportedTimes))
  })
})

// @threat reports.1
describe("D21.3 the time of a step that follows another", () => {
  const after = (earlier: Timestamp.Timestamp | null, occurredAt?: Timestamp.Timestamp) =>
    timeAfter(earlier, { occurredAt, now, times: defaultReportedTimes, other: "the arrival" })

  it.each([
    ["nothing is before it", null, undefined, now],
    ["it is reported at the same time", shift(-second), shift(-second), shift(-second)],
    ["it is reported later", shift(-second), shift(0), now],
    ["nothing is reported, and the other is ahead", shift(60 * second), undefined, shift(60 * second)]
  ])("is never before the other: %s", (_, earlier, occurredAt, expected) => {
    assert.deepStrictEqual(after(earlier, occurredAt), Result.succeed(expected))
  })

  it("is refused where it is before the other", () => {
    const refusal = Result.getOrThrow(Result.flip(after(now, shift(-1))))
    assert.include(refusal.errors[0]!.detail, `before the arrival, ${now}`)
    assert.match(refusal.errors[0]!.detail, /set the clock of the sender, and send the right time, or none/)
  })
})

// @threat reports.1
describe("D21.3 the time of a step that precedes another", () => {
  const until = (later: Timestamp.Timestamp | null, occurredAt?: Timestamp.Timestamp) =>
    timeBefore(later, { occurredAt, now, times: defaultReportedTimes, other: "the arrival" })

  it.each([
    ["nothing is after it", null, undefined, now],
    ["it is reported at the same time", shift(-second), shift(-second), shift(-second)],
    ["it is reported earlier", shift(-second), shift(-2 * second), shift(-2 * second)],
    ["nothing is reported, and the other is past", shift(-60 * second), undefined, shift(-60 * second)]
  ])("is never after the other: %s", (_, later, occurredAt, expected) => {
    assert.deepStrictEqual(until(later, occurredAt), Result.succeed(expected))
  })

  it("is refused where it is after the other", () => {
    const refusal = Result.getOrThrow(Result.flip(until(shift(-1), now)))
    assert.include(refusal.errors[0]!.detail, `after the arrival, ${shift(-1)}`)
  })
})
