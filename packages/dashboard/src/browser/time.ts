/**
 * Formats times for readers: in the zone of the present facility, with the day unless it is today, and near times also as a span from now.
 */
import { computed, signal } from "@preact/signals"
import { place } from "./session.ts"

/** The present time, in milliseconds since 1970; it is updated every ten seconds. */
export const now = signal(Date.now())

setInterval(() => (now.value = Date.now()), 10_000)

/** The zone of the present facility; UTC if the browser does not know it. */
export const zone = computed(() => {
  const timeZone = place.value?.facility.timeZone ?? "UTC"
  try {
    new Intl.DateTimeFormat("en", { timeZone }).format()
    return timeZone
  } catch {
    return "UTC"
  }
})

const clockOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const

/** The formats of the zone; Swedish has the order of ISO 8601. */
const formats = computed(() => {
  const timeZone = zone.value
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(undefined, { ...options, timeZone })
  return {
    clock: format(clockOptions),
    seconds: format({ ...clockOptions, second: "2-digit" }),
    day: format({ day: "numeric", month: "short" }),
    whole: format({ dateStyle: "full", timeStyle: "long", hourCycle: "h23" }),
    named: format({ ...clockOptions, timeZoneName: "short" }),
    iso: new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone })
  }
})

const calendarDay = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC"
})

/** `2026-11-22 14:05:09`, by the clocks of the facility. */
const local = (date: Date): string => formats.value.iso.format(date)

/** The day at the facility, as `2026-11-22`. */
export const dayOf = (time: Date): string => local(time).slice(0, 10)

/** The beginning of a day at the facility; `""` for an invalid day. */
const startOfDay = (day: string): string => {
  const time = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(time)) return ""
  let start = time
  // The second pass uses the offset from UTC that holds at that time.
  for (let n = 0; n < 2; n++) start += time - Date.parse(`${local(new Date(start)).replace(" ", "T")}Z`)
  return new Date(start).toISOString()
}

/** The day that is this number of days after another day; `""` for an invalid day. */
export const daysAfter = (day: string, days: number): string => {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(time) ? "" : new Date(time + days * 24 * 60 * 60_000).toISOString().slice(0, 10)
}

/** The bounds of a range of days at the facility, both days included; an invalid day sets no bound. */
export const dayRange = (from: string, to: string) => ({
  from: startOfDay(from) || undefined,
  to: startOfDay(daysAfter(to, 1)) || undefined
})

const isToday = (date: Date): boolean => dayOf(date) === dayOf(new Date(now.value))

const hourMillis = 60 * 60_000

/** A space and the name of the zone, if the local time occurs twice because clocks are set back; otherwise `""`. */
const zoneIfTwice = (date: Date): string => {
  const isTwice = [-hourMillis, hourMillis].some((away) =>
    local(new Date(date.getTime() + away)) === local(date)
  )
  const parts = isTwice ? formats.value.named.formatToParts(date) : []
  return parts.filter(({ type }) => type === "timeZoneName").map(({ value }) => ` ${value}`).join("")
}

const textOf = (time: string, clock: Intl.DateTimeFormat): string => {
  const date = new Date(time)
  const text = `${clock.format(date)}${zoneIfTwice(date)}`
  return isToday(date) ? text : `${formats.value.day.format(date)}, ${text}`
}

/** `14:05`, or `21 Nov, 14:05` on another day; `01:30 EDT` if `01:30 EST` follows. */
export const shortTime = (time: string): string => textOf(time, formats.value.clock)

/** `14:05:09`, or `21 Nov, 14:05:09` on another day. */
export const exactTime = (time: string): string => textOf(time, formats.value.seconds)

/** `14:05 CET`: the time of a clock at the facility, with its zone. */
export const namedTime = (time: number): string => formats.value.named.format(time)

export const fullTime = (time: string): string => formats.value.whole.format(new Date(time))

/** A calendar date. */
export const calendarDate = (date: string): string => calendarDay.format(new Date(date))

/** How long after its expected time a shipment starts to count as late. */
const lateMillis = 10 * 60_000

/** Whether something expected at a time is late. */
export const isLate = (time: string): boolean => Date.parse(time) + lateMillis < now.value

const minutesSince = (time: string): number => Math.round((now.value - Date.parse(time)) / 60_000)

/** `4 min`, `2 h 5 min`, `12 h`. */
const durationOf = (minutes: number): string => {
  const parts = minutes < 10 * 60
    ? [[Math.floor(minutes / 60), "h"], [minutes % 60, "min"]] as const
    : [[Math.round(minutes / 60), "h"]] as const
  return parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(" ")
}

/** `about 12 min left`; `behind its pace` if a shipment should have been finished by now. */
export const timeLeft = (finishesAt: string): string => {
  const minutes = -minutesSince(finishesAt)
  return minutes < 0 ? "behind its pace" : `about ${durationOf(Math.max(1, minutes))} left`
}

/** `just now`, `4 min ago`, `in 2 h`; `""` for a time that is a day or more from now. */
export const span = (time: string): string => {
  const minutes = minutesSince(time)
  const size = Math.abs(minutes)
  if (size >= 24 * 60) return ""
  if (size < 1) return "just now"
  const text = durationOf(size)
  return minutes > 0 ? `${text} ago` : `in ${text}`
}
