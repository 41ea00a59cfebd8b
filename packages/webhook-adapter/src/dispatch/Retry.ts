/**
 * What follows from an attempt: delivered, tried again, dead, or the endpoint disabled (D9.3).
 *
 * Guarantee: pure rules; time and chance are parameters. Whatever a customer answers, a delivery is tried a bounded
 * number of times or for a bounded time, and never more often than once a second.
 */
import type { DeliveryStatus, Progress } from "@dockline/core/Delivery"
import { fromMillis } from "@dockline/core/Timestamp"
import type { Timestamp } from "@dockline/core/Timestamp"

/** The schedule of a delivery that fails, and the patience with an endpoint that does. */
export interface RetrySettings {
  /** How long a delivery waits after each failure, in milliseconds, give or take a fifth; after the last it is dead. */
  readonly retryDelays: ReadonlyArray<number>
  /** How long an endpoint may fail before it is disabled, in milliseconds. */
  readonly failingMillis: number
}

/** An attempt that has ended, and what was known of delivery and endpoint. */
export interface EndedAttempt {
  readonly progress: Progress
  /** Since when the endpoint fails; `null` when its last delivery succeeded. */
  readonly failingSince: Timestamp | null
  /** The status of the answer; `null` without one. */
  readonly status: number | null
  /** The header `Retry-After` of the answer. */
  readonly retryAfter: string | undefined
  /** When it ended, in milliseconds since 1970. */
  readonly now: number
  /** From 0 to 1: where within its fifth a delay of the schedule comes to lie. */
  readonly chance: number
}

/** What follows. */
export interface Verdict extends Progress {
  readonly status: DeliveryStatus
  /** `null` unless the delivery is pending. */
  readonly nextAttemptAt: Timestamp | null
  readonly failingSince: Timestamp | null
  readonly disable: "GONE" | "FAILING" | undefined
}

/** Any 2xx. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** What follows from an attempt. */
export const decide = (settings: RetrySettings, ended: EndedAttempt): Verdict => {
  const { now, progress, status } = ended
  if (isSuccess(status)) {
    return { ...progress, status: "DELIVERED", nextAttemptAt: null, failingSince: null, disable: undefined }
  }
  const failingSince = ended.failingSince ?? fromMillis(now)
  // The message answered 410 is backlog too: it is due again once the endpoint is enabled.
  if (status === 410) {
    return { ...progress, status: "PENDING", nextAttemptAt: fromMillis(now), failingSince, disable: "GONE" }
  }
  const disable = now - Date.parse(failingSince) >= settings.failingMillis ? "FAILING" : undefined
  const { wait, tries } = nextStep(settings, ended)
  return {
    tries,
    failedSince: progress.failedSince ?? fromMillis(now),
    status: wait === undefined ? "DEAD" : "PENDING",
    nextAttemptAt: wait === undefined ? null : fromMillis(now + wait),
    failingSince,
    disable
  }
}

/** How long the delivery waits, `undefined` when it is dead, and how many steps of its schedule are used up then. */
const nextStep = ({ retryDelays }: RetrySettings, ended: EndedAttempt) => {
  const { chance, now, progress: { failedSince, tries } } = ended
  const scheduled = retryDelays[tries]
  if (scheduled === undefined) return { wait: undefined, tries: tries + 1 }
  const asked = ended.status === 429 || ended.status === 503 ? retryAfter(ended.retryAfter, now) : undefined
  if (asked === undefined) return { wait: Math.round(scheduled * (0.8 + 0.4 * chance)), tries: tries + 1 }
  if (asked >= scheduled) return { wait: asked, tries: tries + 1 }
  // A customer that asks for short waits uses up no step, or it would lose messages within seconds. It has as much
  // time as the schedule takes.
  const patience = retryDelays.reduce((sum, delay) => sum + delay, 0)
  const failing = failedSince === null ? 0 : now - Date.parse(failedSince)
  return failing < patience ? { wait: asked, tries } : { wait: undefined, tries: tries + 1 }
}

const shortestWait = 1000
const longestWait = 24 * 3_600_000

/**
 * The wait that a header `Retry-After` asks for, in milliseconds: whole seconds or an HTTP date, from a second to a
 * day. `undefined` for a date that has passed and for whatever else it may say: the schedule goes on as usual then.
 */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d+$/.test(text)) return clamp(Number(text) * 1000)
  const date = httpDate(text, now)
  return date === undefined || date <= now ? undefined : clamp(date - now)
}

const clamp = (millis: number): number => Math.min(Math.max(millis, shortestWait), longestWait)

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The three forms of RFC 9110: of today, with a weekday in full and a two-digit year, and of C's asctime. */
const dateForms = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/
]

const httpDate = (text: string, now: number): number | undefined => {
  for (const form of dateForms) {
    const { day, month, time, year } = form.exec(text)?.groups ?? {}
    if (day === undefined || month === undefined || time === undefined || year === undefined) continue
    const number = months.indexOf(month) + 1
    const date = Date.parse(
      `${fullYear(year, now)}-${twoDigits(number)}-${twoDigits(Number(day))}T${time}.000Z`
    )
    return number === 0 || Number.isNaN(date) ? undefined : date
  }
  return undefined
}

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** A year of two digits is the one within the next 50 years, else of the past (RFC 9110, 5.6.7). */
const fullYear = (year: string, now: number): string => {
  if (year.length === 4) return year
  const current = new Date(now).getUTCFullYear()
  const near = current - (current % 100) + Number(year)
  return String(near > current + 50 ? near - 100 : near)
}
