/**
 * Dates and times of X12. They are local times of a facility (D13.7) unless a time code names another zone (D23.4).
 *
 * Guarantee: an unknown time code is noted, and the time is read in the facility's zone. A year that no document can hold rejects the set if
 * it is the year of the expected arrival; another time in such a year is left unread, and so noted.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { elementCodes, elementOf } from "../x12/Fault.ts"
import type { Segment } from "../x12/Fault.ts"
import type { DocumentDraft } from "./Draft.ts"

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * The format of Swedish dates is that of ISO 8601. The formats are cached by zone, because making a format costs more than everything else
 * here.
 */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const cachedFormat = formats.get(timeZone)
  if (cachedFormat !== undefined) return cachedFormat
  const format = new Intl.DateTimeFormat("sv", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23"
  })
  formats.set(timeZone, format)
  return format
}

/** A date as `CCYYMMDD` and a time as `HHMMSS`, in a zone. */
export interface LocalTime {
  readonly date: string
  readonly time: string
}

const dayMillis = 24 * 60 * 60_000

/** The offset of a zone from UTC at an instant, in milliseconds; positive when it is ahead. */
const offsetAt = (millis: number, timeZone: string): number => {
  const [, date, clock] = /^(\d+-\d+-\d+) (\d+:\d+:\d+)$/.exec(formatOf(timeZone).format(millis)) ?? []
  return Date.parse(`${date}T${clock}Z`) - Math.floor(millis / 1000) * 1000
}

const offsets = new Map<string, number>()
const maxOffsets = 10_000

/** The offset of a zone at the beginning of a UTC day. It is cached, because most times fall on a few days. */
const offsetOn = (day: number, timeZone: string): number => {
  const key = `${day} ${timeZone}`
  const cachedOffset = offsets.get(key)
  if (cachedOffset !== undefined) return cachedOffset
  if (offsets.size >= maxOffsets) offsets.clear()
  const offset = offsetAt(day * dayMillis, timeZone)
  offsets.set(key, offset)
  return offset
}

/** The offset of a zone between the beginnings of two UTC days; `undefined` if the two offsets differ. */
const offsetWithin = (first: number, last: number, timeZone: string): number | undefined => {
  const offset = offsetOn(first, timeZone)
  return offset === offsetOn(last, timeZone) ? offset : undefined
}

export const localTime = (time: Timestamp.Timestamp, timeZone: string): LocalTime => {
  const millis = Date.parse(time)
  const day = Math.floor(millis / dayMillis)
  const offset = offsetWithin(day, day + 1, timeZone) ?? offsetAt(millis, timeZone)
  const text = Timestamp.fromMillis(millis + offset)
  return {
    date: x12DateOf(text.slice(0, 10)),
    time: `${text.slice(11, 13)}${text.slice(14, 16)}${text.slice(17, 19)}`
  }
}

/** A valid date `CCYYMMDD` as `YYYY-MM-DD`. */
export const isoDateOf = (date: string): string =>
  `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`

/** A date `YYYY-MM-DD` as `CCYYMMDD`. */
export const x12DateOf = (date: string): string => date.replaceAll("-", "")

/**
 * The instant of a valid date and time in a zone. A date alone means the beginning of the day. When clocks are set back, a time that occurs
 * twice means its first occurrence. When clocks are set forward, a time that is skipped means the same minute one hour later.
 */
export const instantOf = (date: string, time: string, timeZone: TimeZone): Timestamp.Timestamp => {
  const clock = time.padEnd(6, "0")
  const localMillis = Date.parse(
    `${isoDateOf(date)}T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4, 6)}Z`
  )
  if (typeof timeZone === "number") return Timestamp.fromMillis(localMillis - 60_000 * timeZone)
  const day = Math.floor(localMillis / dayMillis)
  const steady = offsetWithin(day - 1, day + 2, timeZone)
  if (steady !== undefined) return Timestamp.fromMillis(localMillis - steady)
  // The possible offsets are the offsets a day before and a day after.
  const candidates = [-1, 1].map((days) => localMillis - offsetAt(localMillis + days * dayMillis, timeZone))
  const exact = candidates.filter((millis) => millis + offsetAt(millis, timeZone) === localMillis)
  return Timestamp.fromMillis(Math.min(...(exact.length > 0 ? exact : [Math.max(...candidates)])))
}

/** The American zones by the first letter of their time codes, each with its standard offset in minutes. */
const american: Readonly<Record<string, readonly [zone: string, standard: number]>> = {
  A: ["America/Anchorage", -540],
  C: ["America/Chicago", -360],
  E: ["America/New_York", -300],
  H: ["Pacific/Honolulu", -600],
  M: ["America/Denver", -420],
  N: ["America/St_Johns", -210],
  P: ["America/Los_Angeles", -480],
  T: ["America/Halifax", -240]
}

/** The zone of a time: a name, or an offset from UTC in minutes. */
export type TimeZone = string | number

/** The zone of a time code (data element 623); `undefined` for an unknown code. LT and an absent code mean the zone of the facility. */
export const zoneOf = (code: string, facilityZone: string): TimeZone | undefined => {
  if (code === "" || code === "LT") return facilityZone
  if (code === "UT" || code === "GM") return "UTC"
  // 01 to 12 are hours ahead of UTC. 13 to 24 are 12 to 1 hours behind UTC.
  const number = /^\d\d$/.test(code) ? Number(code) : 0
  if (number > 0 && number <= 24) return 60 * (number <= 12 ? number : number - 25)
  const [, sign, hours] = /^([PM])(\d{1,2})$/.exec(code) ?? []
  if (hours !== undefined) {
    return Number(hours) > 14 ? undefined : 60 * Number(hours) * (sign === "P" ? 1 : -1)
  }
  const [letter = "", kind = ""] = code
  const zone = code.length === 2 && Object.hasOwn(american, letter) ? american[letter] : undefined
  if (zone === undefined) return undefined
  return kind === "T"
    ? zone[0]
    : kind === "S"
    ? zone[1]
    : kind === "D"
    ? zone[1] + 60
    : undefined
}

/** The numbers of the elements with a date, its time and its time code. */
export type TimePlaces = readonly [date: number, time: number, code: number]

/** The first and the last accepted year. The limit ensures that the year has four digits in every zone. */
const [firstYear, lastYear] = ["1900", "9998"]

/** Determines the zone of a time. An unknown code is noted, and the time is read in the facility's zone. */
const readZone = (draft: DocumentDraft, segment: Segment, place: number, facilityZone: string): TimeZone => {
  const { content } = draft
  const code = content.text(segment, place)
  const zone = zoneOf(code, facilityZone)
  if (zone === undefined) {
    content.faults.add(segment, {
      element: place,
      code: elementCodes.code,
      detail: `the time code ${code} is unknown, so the time is read in the time zone of the facility`,
      remedy: "Send a code of the data element 623, such as UT, ET or LT.",
      isNoted: true
    })
  }
  return zone ?? facilityZone
}

/** Sets the expected arrival of a shipment. A year outside the accepted ones is a fault. */
export const setArrival = (
  draft: DocumentDraft,
  segment: Segment,
  [datePlace, timePlace, codePlace]: TimePlaces,
  facilityZone: string
): void => {
  const { content } = draft
  const date = content.text(segment, datePlace)
  if (date === "") return
  const time = content.text(segment, timePlace)
  if (content.faults.isRejected) return
  const year = date.slice(0, 4)
  if (year < firstYear || year > lastYear) {
    content.faults.add(segment, {
      element: datePlace,
      code: elementCodes.date,
      detail: `no shipment is expected in the year ${year}`,
      remedy: `Send a date of the years ${firstYear} to ${lastYear}, or none.`
    })
    return
  }
  draft.set(
    "expectedArrivalAt",
    segment,
    datePlace,
    instantOf(date, time, readZone(draft, segment, codePlace, facilityZone))
  )
}

/**
 * Stores a time for which documents have no field as an additional field, with its segment and qualifier as the name, such as `DTM*011`.
 * Ignores an unreadable time.
 */
export const keepTime = (
  draft: DocumentDraft,
  segment: Segment,
  [datePlace, timePlace, codePlace]: TimePlaces,
  facilityZone: string
): void => {
  const [qualifier, date, time] = [1, datePlace, timePlace].map((place) => elementOf(segment, place))
  const year = date?.slice(0, 4) ?? ""
  if (
    !draft.content.isSound(segment, 1, datePlace, timePlace) || qualifier === undefined || qualifier === ""
  ) return
  if (year < firstYear || year > lastYear || date === undefined || time === undefined) return
  const value = time === ""
    ? isoDateOf(date)
    : instantOf(date, time, readZone(draft, segment, codePlace, facilityZone))
  draft.keep(
    `${segment.id}*${qualifier}`,
    value,
    segment,
    datePlace,
    timePlace,
    ...time === "" ? [codePlace] : []
  )
}
