/**
 * Computes when a notice may be sent: once the time for collecting its digest is over, and outside quiet hours, which follow the clocks of
 * the facility (D26.3).
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { QuietHours } from "./AlertRule.ts"

const [minuteMillis, dayMinutes] = [60_000, 1440]

const minutesOf = (clock: string): number => {
  const [hours, minutes] = clock.split(":")
  return Number(hours) * 60 + Number(minutes)
}

/** The minute of the day at a time in a zone. */
const minutesIn = (timeZone: string, time: number): number =>
  minutesOf(
    new Intl.DateTimeFormat("sv", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
      .format(time)
  )

/** The minutes of quiet hours that are left at a time; 0 outside them. */
const quietMinutes = ({ quietFrom, quietTo }: QuietHours, timeZone: string, time: number): number => {
  if (quietFrom === "") return 0
  const [from, to, now] = [minutesOf(quietFrom), minutesOf(quietTo), minutesIn(timeZone, time)]
  const sinceFrom = (now - from + dayMinutes) % dayMinutes
  const length = (to - from + dayMinutes) % dayMinutes
  return sinceFrom < length ? length - sinceFrom : 0
}

/** The end of the quiet hours that contain a time, or else the time itself. Clocks that are set back before that end delay it. */
export const afterQuiet = (
  hours: QuietHours,
  timeZone: string,
  time: Timestamp.Timestamp
): Timestamp.Timestamp => {
  const millis = Date.parse(time)
  const rest = quietMinutes(hours, timeZone, millis)
  if (rest === 0) return time
  const end = Math.floor(millis / minuteMillis) * minuteMillis + rest * minuteMillis
  // Clocks that were set forward before the end show a later time there.
  const excess = (minutesIn(timeZone, end) - minutesOf(hours.quietTo) + dayMinutes) % dayMinutes
  const earlier = end - excess * minuteMillis
  const isEarlier = excess < dayMinutes / 2 && earlier > millis &&
    quietMinutes(hours, timeZone, earlier) === 0
  return isEarlier ? Timestamp.fromMillis(earlier) : afterQuiet(hours, timeZone, Timestamp.fromMillis(end))
}

/** When a rule sends a notice that is added now. */
export const dueAt = (
  rule: QuietHours & { readonly digestMinutes: number; readonly timeZone: string },
  now: Timestamp.Timestamp
): Timestamp.Timestamp =>
  afterQuiet(
    rule,
    rule.timeZone,
    Timestamp.fromMillis(Date.parse(now) + rule.digestMinutes * minuteMillis)
  )
