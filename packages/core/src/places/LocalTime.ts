/**
 * Days and hours at a facility, in its time zone (D13.7).
 */
import * as Timestamp from "../values/Timestamp.ts"

const dayMillis = 24 * 60 * 60_000

/** Makes what tells the hour of a time in a zone: `2026-11-20 07`. Swedish has the order of ISO 8601. */
export const hoursOf = (timeZone: string): (time: Timestamp.Timestamp | number) => string => {
  const format = new Intl.DateTimeFormat("sv", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    hourCycle: "h23"
  })
  return (time) => format.format(new Date(time))
}

/** The day after a day, by any number of days. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMillis).toISOString().slice(0, 10)

/** When a day begins in a zone: the first minute that has its date there. */
export const startOfDay = (day: string, timeZone: string): Timestamp.Timestamp => {
  const hourOf = hoursOf(timeZone)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // Zones are at most 14 hours ahead of UTC and 12 behind it.
  let [before, from] = [midnight - dayMillis, midnight + dayMillis]
  while (from - before > 60_000) {
    const middle = before + Math.floor((from - before) / 120_000) * 60_000
    if (hourOf(middle).slice(0, 10) < day) before = middle
    else from = middle
  }
  return Timestamp.fromMillis(from)
}
