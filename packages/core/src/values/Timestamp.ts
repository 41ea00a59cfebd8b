/**
 * Reads and writes the points in time and calendar dates of documents and answers.
 *
 * Guarantee: every timestamp inside Dockline is one canonical string, UTC with milliseconds and `Z`
 * (`2026-11-20T17:00:00.000Z`), so timestamps compare and sort as strings and are written out unchanged. Input may carry
 * any offset; without an offset it is UTC (WIRE.md, D1.6).
 */
import type { Brand } from "effect"
import { Clock, Context, Effect } from "effect"

/** A point in time: RFC 3339, UTC, milliseconds, `Z`; years 0001 to 9999. {@link parse} reads what clients write. */
export type Timestamp = string & Brand.Brand<"Timestamp">

const dateTimePattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})?$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/

const year1 = Date.parse("0001-01-01T00:00:00.000Z")
const year10000 = Date.parse("9999-12-31T23:59:59.999Z") + 1

/** A number of seconds in words, for people: `1 second`, `2 seconds`. */
export const secondsInWords = (seconds: number): string => seconds === 1 ? "1 second" : `${seconds} seconds`

/** A cache of timestamps, because a request writes the same few timestamps several times, and formatting one takes 2 µs. */
const cache = { millis: new Float64Array(64).fill(Number.NaN), texts: Array.from({ length: 64 }, () => "") }

/** Writes milliseconds since 1970 as a {@link Timestamp}. */
export const fromMillis = (millis: number): Timestamp => {
  const at = millis & 63
  if (cache.millis[at] !== millis) {
    cache.texts[at] = new Date(millis).toISOString()
    cache.millis[at] = millis
  }
  // The cache holds results of `toISOString`.
  return cache.texts[at]! as Timestamp
}

/**
 * Reads an RFC 3339 date-time (any offset, UTC without an offset, fractions cut to milliseconds) as a {@link Timestamp};
 * `undefined` for any other text and outside the years 0001 to 9999 (D1.6).
 */
export const parse = (text: string): Timestamp | undefined => {
  const match = dateTimePattern.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction, offset] = match
  if (!isCalendarDate(`${year}-${month}-${day}`)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const offsetMinutes = parseOffset(offset)
  if (offsetMinutes === undefined) return undefined
  // A `Date` has no leap seconds: :60 becomes the first instant of the next minute.
  const wholeMinute = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`)
  const millis = wholeMinute + Number(second) * 1000 + Number((fraction ?? "").padEnd(3, "0").slice(0, 3)) -
    offsetMinutes * 60_000
  return millis >= year1 && millis < year10000 ? fromMillis(millis) : undefined
}

/** Whether a text has the canonical form of a timestamp. */
export const isTimestamp = (text: string): text is Timestamp => parse(text) === text

/** The timestamp of a program's own text, such as a constant. Throws for a text in another form. */
export const of = (text: string): Timestamp => {
  if (!isTimestamp(text)) throw new TypeError(`Not a timestamp: ${text}`)
  return text
}

/** The earliest timestamp. */
export const earliest: Timestamp = fromMillis(year1)

/** Times as other formats write them: a blank for `T`, no seconds, a comma, offsets without a colon or minutes, a zone's name. */
const looseText =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt]| +)(\d{2}:\d{2})(:\d{2})?(?:[.,](\d+))?(?: *(Z|z|UTC|GMT)| *([+-])(\d{2}):?(\d{2})?| (\d{2}):?(\d{2}))?(?: ?\[[^\]]*\])?$/

/**
 * The fault of a time from a client, with the remedy; `undefined` for a valid one. `kinds` describes the accepted forms. All inputs share
 * this text and so accept the same forms.
 */
export const fault = (text: string, kinds = "a date and time"): string | undefined => {
  if (parse(text) !== undefined) return undefined
  const must = `must be ${kinds} as in RFC 3339`
  const [, date, minute, second = ":00", fraction, utc, sign, hours, minutes = "00", ...rest] =
    looseText.exec(text) ?? []
  const [lostHours, lostMinutes] = rest
  const time = `${date}T${minute}${second}${fraction === undefined ? "" : `.${fraction.slice(0, 9)}`}`
  const write = (offset: string, note = ""): string =>
    parse(`${time}${offset}`) === undefined
      ? `${must}, such as 2026-11-20T17:00:00Z`
      : `${must}: write ${time}${offset}${note}`
  if (lostHours !== undefined) {
    return write(`+${lostHours}:${lostMinutes}`, "; in an address the + is written as %2B")
  }
  if (sign !== undefined) return write(`${sign}${hours}:${minutes}`)
  return write("Z", utc === undefined ? ", or its offset, such as -05:00, in place of Z" : "")
}

const parseOffset = (offset: string | undefined): number | undefined => {
  if (offset === undefined || offset === "Z" || offset === "z") return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysOf = (year: number, month: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/**
 * Whether the text is a real calendar date, `YYYY-MM-DD`, from year 1 on (D1.6). A document has dozens of dates, so no `Date` is created.
 */
export const isCalendarDate = (text: string): boolean => {
  if (!datePattern.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month)
}

/** The current time of Effect's `Clock`, so that tests move it with `TestClock`. */
export const now: Effect.Effect<Timestamp> = Effect.map(Clock.currentTimeMillis, fromMillis)

/** The default clock. */
const systemClock = Context.get(Context.empty(), Clock.Clock)

/**
 * The current time of a `Clock` that replaces the system's, such as in a test; otherwise `null`. If it is `null`, storages use the clock of
 * their database for times that must be read under a lock (D21.1).
 */
export const givenNow: Effect.Effect<Timestamp | null> = Effect.map(Clock.Clock, (clock) => givenNowOf(clock))

/** The current time of a clock that replaces the system's; `null` for the system's clock. */
export const givenNowOf = (clock: Clock.Clock): Timestamp | null =>
  clock === systemClock ? null : fromMillis(clock.currentTimeMillisUnsafe())

/** A clock that shows another time of day, in milliseconds since 1970. Timers and durations follow the system's clock. */
export const clockOf = (time: () => number, system: Clock.Clock): Clock.Clock => {
  // Timestamps need whole milliseconds; `performance.now()` has fractions.
  const millis = () => Math.trunc(time())
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => system.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: system.monotonicTimeNanos,
    sleep: (duration) => system.sleep(duration)
  }
}

/** Runs an effect as of a time, in milliseconds since 1970. */
export const asOf = (millis: number) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Clock.Clock,
    (system) => Effect.provideService(effect, Clock.Clock, clockOf(() => millis, system))
  )
