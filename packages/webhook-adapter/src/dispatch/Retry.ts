/**
 * Decides what follows from an attempt (D9.3). Whatever a customer answers, a delivery is tried a bounded number of
 * times or for a bounded time, and never more often than once a second.
 */
import type { DeliveryStatus, Progress } from "@dockline/core/Delivery"
import { fromMillis } from "@dockline/core/Timestamp"
import type { Timestamp } from "@dockline/core/Timestamp"
import type { RetrySettings } from "../WebhookConfig.ts"

export interface EndedAttempt {
  readonly progress: Progress
  /** Since when the endpoint fails; `null` when its last delivery succeeded. */
  readonly failingSince: Timestamp | null
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** When it ended, in milliseconds since 1970. */
  readonly now: number
  /** A random number from 0 to 1 that varies the scheduled delay by up to a fifth. */
  readonly chance: number
}

export interface Verdict extends Progress {
  readonly status: DeliveryStatus
  readonly nextAttemptAt: Timestamp | null
  readonly failingSince: Timestamp | null
  readonly disable: "GONE" | "FAILING" | undefined
}

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

export const decide = (settings: RetrySettings, ended: EndedAttempt): Verdict => {
  const { now, progress, status } = ended
  if (isSuccess(status)) {
    return { ...progress, status: "DELIVERED", nextAttemptAt: null, failingSince: null, disable: undefined }
  }
  const failingSince = ended.failingSince ?? fromMillis(now)
  // The message that was answered 410 stays in the backlog: it is due again once the endpoint is enabled.
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

/** The wait is `undefined` when the delivery is dead. */
const nextStep = ({ retryDelays }: RetrySettings, ended: EndedAttempt) => {
  const { chance, now, progress: { failedSince, tries } } = ended
  const scheduled = retryDelays[tries]
  if (scheduled === undefined) return { wait: undefined, tries: tries + 1 }
  const asked = ended.status === 429 || ended.status === 503 ? retryAfter(ended.retryAfter, now) : undefined
  if (asked === undefined) return { wait: Math.round(scheduled * (0.8 + 0.4 * chance)), tries: tries + 1 }
  if (asked >= scheduled) return { wait: asked, tries: tries + 1 }
  // A short wait that the customer asks for uses up no step: otherwise the delivery would be dead within seconds. Such
  // waits end when the time of the whole schedule is over.
  const patience = retryDelays.reduce((sum, delay) => sum + delay, 0)
  const failing = failedSince === null ? 0 : now - Date.parse(failedSince)
  return failing < patience ? { wait: asked, tries } : { wait: undefined, tries: tries + 1 }
}

const shortestWait = 1000
const longestWait = 24 * 3_600_000

/** The wait in milliseconds, bounded to between a second and a day; `undefined` for a past date and for other text. */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d+$/.test(text)) return clamp(Number(text) * 1000)
  const date = httpDate(text, now)
  return date === undefined || date <= now ? undefined : clamp(date - now)
}

const clamp = (millis: number): number => Math.min(Math.max(millis, shortestWait), longestWait)

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The date forms of RFC 9110: the current form, the form with a two-digit year, and the form of asctime. */
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

/** A two-digit year is at most 50 years ahead, and otherwise in the past (RFC 9110, 5.6.7). */
const fullYear = (year: string, now: number): string => {
  if (year.length === 4) return year
  const current = new Date(now).getUTCFullYear()
  const near = current - (current % 100) + Number(year)
  return String(near > current + 50 ? near - 100 : near)
}
