/**
 * The times of the examples. They are written as of one day, and shown as of the day before the reader's: times that others report are
 * refused when they are old or ahead (D21.2), and an example is to be sent as it stands.
 */
import * as Timestamp from "../values/Timestamp.ts"

const dayMillis = 86_400_000

/** The day as of which the examples are written. */
const writtenDay = Date.parse("2026-11-20T00:00:00Z")

const time = /\b\d{4}-\d{2}-\d{2}(?=T\d{2}:\d{2})/g

/** The day of a time in milliseconds, as its number since 1970: texts of one day are the same. */
export const dayOf = (now: number): number => Math.floor(now / dayMillis)

/**
 * Moves every time in a text by whole days, so that the day of the examples becomes the day before that of `now`. Dates without a time
 * stay: nothing refuses them.
 */
export const moveTimes = (text: string, now: number): string => {
  const days = (dayOf(now) - 1) * dayMillis - writtenDay
  return text.replace(
    time,
    (date) => Timestamp.fromMillis(Date.parse(`${date}T00:00:00Z`) + days).slice(0, date.length)
  )
}
