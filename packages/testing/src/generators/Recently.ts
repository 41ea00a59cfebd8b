/**
 * Times that tests report. A time that is long past is refused (D21.2), so they are relative to the day of the run.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"

const day = 86_400_000

const dayBefore = (days: number): string => new Date(Date.now() - days * day).toISOString().slice(0, 10)

/** The day before the run. Its times are past, whatever the time of the run. */
export const yesterday = dayBefore(1)

const dayBeforeYesterday = dayBefore(2)

/** A time of {@link yesterday}: `recently("17:00:00.000Z")`. */
export const recently = (timeOfDay: string): Timestamp.Timestamp => Timestamp.of(`${yesterday}T${timeOfDay}`)

/** The same time of day, a day earlier than {@link recently}. */
export const lessRecently = (timeOfDay: string): Timestamp.Timestamp =>
  Timestamp.of(`${dayBeforeYesterday}T${timeOfDay}`)
