/**
 * Times that tests report. A time that is long past is refused (D21.2), so they are relative to the day of the run.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"

const day = 86_400_000

const dayBefore = (days: number): string => new Date(Date.now() - days * day).toISOString().slice(0, 10)

/** The day before the run. Its times are past, whatever the time of the run. */
export const yesterday = dayBefore(1)

const dayBeforeYesterday = dayBefore(2)

const timeOf = (day: string, timeOfDay: string): Timestamp.Timestamp => {
  const time = Timestamp.parse(`${day}T${timeOfDay}`)
  if (time === undefined) throw new TypeError(`Not a time of day: ${timeOfDay}`)
  return time
}

/** A time of {@link yesterday}: `recently("17:00:00Z")`. */
export const recently = (timeOfDay: string): Timestamp.Timestamp => timeOf(yesterday, timeOfDay)

/** The same time of day, a day earlier than {@link recently}. */
export const lessRecently = (timeOfDay: string): Timestamp.Timestamp => timeOf(dayBeforeYesterday, timeOfDay)
