/** D26.3: the time at which a notice may be sent, by the clocks of the facility. */
import { of } from "@dockline/core/values/Timestamp"
import { assert, it } from "vitest"
import { afterQuiet, dueAt } from "../../src/domain/AlertRule.ts"

const night = { quietFrom: "22:00", quietTo: "06:00" }

it("outside quiet hours a time stays, and within them it is their end", () => {
  for (
    const [time, expected] of [
      ["2026-11-20T21:59:59.999Z", "2026-11-20T21:59:59.999Z"],
      ["2026-11-20T22:00:00.000Z", "2026-11-21T06:00:00.000Z"],
      ["2026-11-21T00:30:12.345Z", "2026-11-21T06:00:00.000Z"],
      ["2026-11-21T05:59:59.999Z", "2026-11-21T06:00:00.000Z"],
      ["2026-11-21T06:00:00.000Z", "2026-11-21T06:00:00.000Z"]
    ] as const
  ) assert.strictEqual(afterQuiet(night, "UTC", of(time)), of(expected))
  const noon = { quietFrom: "12:00", quietTo: "12:30" }
  assert.strictEqual(afterQuiet(noon, "UTC", of("2026-11-20T12:10:00.000Z")), "2026-11-20T12:30:00.000Z")
  assert.strictEqual(afterQuiet(noon, "UTC", of("2026-11-20T11:59:00.000Z")), "2026-11-20T11:59:00.000Z")
  const none = { quietFrom: "", quietTo: "" }
  assert.strictEqual(afterQuiet(none, "UTC", of("2026-11-20T23:00:00.000Z")), "2026-11-20T23:00:00.000Z")
})

it("the clocks are those of the facility, also where they change in the night", () => {
  assert.strictEqual(
    afterQuiet(night, "Asia/Kolkata", of("2026-11-20T17:00:00.000Z")),
    "2026-11-21T00:30:00.000Z"
  )
  // Berlin sets its clocks back at 03:00 on 25 October 2026, and forward at 02:00 on 29 March.
  assert.strictEqual(
    afterQuiet(night, "Europe/Berlin", of("2026-10-24T21:00:00.000Z")),
    "2026-10-25T05:00:00.000Z"
  )
  assert.strictEqual(
    afterQuiet(night, "Europe/Berlin", of("2026-03-28T22:00:00.000Z")),
    "2026-03-29T04:00:00.000Z"
  )
  // No clock shows 02:10 on that day: such an end is as long after the beginning as on other days.
  for (
    const [quietFrom, time] of [["22:00", "2026-03-28T22:00:00.000Z"], [
      "01:30",
      "2026-03-29T00:45:00.000Z"
    ]] as const
  ) {
    const end = afterQuiet({ quietFrom, quietTo: "02:10" }, "Europe/Berlin", of(time))
    assert.strictEqual(end, "2026-03-29T01:10:00.000Z")
  }
})

it("D26.3 a digest is gathered first, and told after quiet hours", () => {
  const rule = { ...night, digestMinutes: 15, timeZone: "UTC" }
  assert.strictEqual(dueAt(rule, of("2026-11-20T12:00:00.000Z")), "2026-11-20T12:15:00.000Z")
  assert.strictEqual(dueAt(rule, of("2026-11-20T21:50:00.000Z")), "2026-11-21T06:00:00.000Z")
})
