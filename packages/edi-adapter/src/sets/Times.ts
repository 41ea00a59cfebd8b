/**
 * Dates and times of X12, which have no time zone: they are those of a facility (D13.7), unless a segment says UTC.
 */
import * as Timestamp from "@dockline/core/Timestamp"
import { elementCodes } from "../x12/Fault.ts"
import type { SetFaults } from "../x12/Fault.ts"
import { elementOf } from "../x12/Segment.ts"
import type { Segment } from "../x12/Segment.ts"
import type { Draft } from "./Draft.ts"

const formats = new Map<string, Intl.DateTimeFormat>()

/** Swedish has the order of ISO 8601. Zones are kept: making a format costs more than all else here. */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("sv", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23"
  })
  formats.set(timeZone, made)
  return made
}

/** A date as `CCYYMMDD` and a time as `HHMMSS`, in a zone. */
export interface LocalTime {
  readonly date: string
  readonly time: string
}

export const localTime = (time: Timestamp.Timestamp, timeZone: string): LocalTime => {
  const digits = formatOf(timeZone).format(new Date(time)).replace(/\D/g, "")
  return { date: digits.slice(0, 8), time: digits.slice(8, 14) }
}

/** The day `YYYY-MM-DD` of a date that was judged. */
export const dayOf = (date: string): string => `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`

export const dateOf = (day: string): string => day.replaceAll("-", "")

/**
 * The instant of a date and a time that were judged, in a zone; a date alone is the beginning of its day. Of the hour that comes twice
 * when clocks are set back it is the first, and an hour that they leave out is the one after it.
 */
export const instantOf = (date: string, time: string, timeZone: string): Timestamp.Timestamp => {
  const clock = time.padEnd(6, "0")
  const wanted = Date.parse(`${dayOf(date)}T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4, 6)}Z`)
  const offsetAt = (millis: number): number => {
    const local = localTime(Timestamp.fromMillis(millis), timeZone)
    return Date.parse(`${dayOf(local.date)}T${local.time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`) - millis
  }
  // The offsets a day before and after are those that may hold.
  const candidates = [-1, 1].map((days) => wanted - offsetAt(wanted + days * 24 * 60 * 60_000))
  const exact = candidates.filter((millis) => millis + offsetAt(millis) === wanted)
  return Timestamp.fromMillis(Math.min(...(exact.length > 0 ? exact : [Math.max(...candidates)])))
}

/** The years of instants: a day more, in any zone, still has a year of four digits. */
const [firstYear, lastYear] = ["1900", "9998"]

/** Sets when a shipment is expected, from the elements of a date and a time that were judged; a year that is none of a shipment is a fault. */
export const setInstant = (
  draft: Draft,
  segment: Segment,
  [dated, timed]: readonly [date: number, time: number],
  timeZone: string,
  faults: SetFaults
): void => {
  const date = elementOf(segment, dated)
  if (date === "") return
  const year = date.slice(0, 4)
  if (year < firstYear || year > lastYear) {
    faults.add(segment, {
      element: dated,
      code: elementCodes.date,
      detail: `no shipment is expected in the year ${year}`,
      remedy: `Send a date of the years ${firstYear} to ${lastYear}, or none.`
    })
    return
  }
  draft.set("expectedArrivalAt", segment, dated, instantOf(date, elementOf(segment, timed), timeZone))
}
