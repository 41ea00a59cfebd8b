/**
 * Times for people: in the zone of their device, as a day only where it is not today, and as a span where it is near.
 */
import { signal } from "@preact/signals"

/** The time now, in milliseconds since 1970; it moves every ten seconds. */
export const now = signal(Date.now())

setInterval(() => (now.value = Date.now()), 10_000)

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
const seconds = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23"
})
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" })
const calendarDay = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC"
})

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString()

/** `14:05`, or `21 Nov, 14:05` on another day. */
export const shortTime = (time: string): string => {
  const date = new Date(time)
  return isSameDay(date, new Date(now.value))
    ? clock.format(date)
    : `${day.format(date)}, ${clock.format(date)}`
}

/** `14:05:09`, or with the day. */
export const exactTime = (time: string): string => {
  const date = new Date(time)
  return isSameDay(date, new Date(now.value))
    ? seconds.format(date)
    : `${day.format(date)}, ${seconds.format(date)}`
}

/** All there is to say of a time, with its zone. */
export const fullTime = (time: string): string => whole.format(new Date(time))

/** A calendar date. */
export const calendarDate = (date: string): string => calendarDay.format(new Date(date))

/** `just now`, `4 min ago`, `in 2 h`; `""` when it is a day away or more. */
export const span = (time: string): string => {
  const minutes = Math.round((now.value - Date.parse(time)) / 60_000)
  const size = Math.abs(minutes)
  if (size >= 24 * 60) return ""
  if (size < 1) return "just now"
  const parts = [[Math.floor(size / 60), "h"], [size % 60, "min"]] as const
  const text = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(" ")
  return minutes > 0 ? `${text} ago` : `in ${text}`
}
