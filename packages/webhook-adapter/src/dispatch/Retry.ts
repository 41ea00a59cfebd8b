/**
 * Decides the consequences of an attempt (D9.3).
 *
 * Guarantee: whatever a customer answers, the tries of a delivery are bounded in number or in time; a 410 disables the endpoint, and its
 * message is tried once more whenever an operator enables it. A `Retry-After` header never causes a wait of less than a second.
 */
import { fromMillis } from "@dockline/core/values/Timestamp"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { DeliveryStatus, Progress } from "@dockline/core/webhooks/Delivery"
import { retryAfterSeconds, saysWhen } from "@dockline/core/webhooks/Delivery"
import type { RetrySettings } from "../WebhookConfig.ts"

/** An attempt that has ended, with the history of its delivery. */
export interface EndedAttempt {
  readonly progress: Progress
  /** The time of the first failure since the endpoint's last success; `null` when its last delivery succeeded. */
  readonly failingSince: Timestamp | null
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** The end of the attempt, in milliseconds since 1970. */
  readonly now: number
  /** A random number from 0 to 1, which varies the scheduled delay by up to a fifth. */
  readonly chance: number
}

/** The state of a delivery after an attempt. */
export interface RetryDecision extends Progress {
  readonly status: DeliveryStatus
  readonly nextAttemptAt: Timestamp | null
  readonly failingSince: Timestamp | null
  /** The reason to disable the endpoint; `undefined` if it stays enabled. */
  readonly disable: "GONE" | "FAILING" | undefined
}

/** Whether a status accepts a message. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/** Decides how a delivery continues. */
export const decide = (settings: RetrySettings, ended: EndedAttempt): RetryDecision => {
  const { now, progress, status } = ended
  if (isSuccess(status)) {
    return { ...progress, status: "DELIVERED", nextAttemptAt: null, failingSince: null, disable: undefined }
  }
  const failingSince = ended.failingSince ?? fromMillis(now)
  // A message with the answer 410 stays in the backlog, and is due again once the endpoint is enabled.
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

/** The wait until the next try, and the number of tries so far. The wait is `undefined` when the delivery is dead. */
const nextStep = ({ retryDelays }: RetrySettings, ended: EndedAttempt) => {
  const { chance, now, progress: { failedSince, tries } } = ended
  const delay = retryDelays[tries]
  if (delay === undefined) return { wait: undefined, tries: tries + 1 }
  const requestedWait = saysWhen(ended.status) ? retryAfter(ended.retryAfter, now) : undefined
  if (requestedWait === undefined) return { wait: Math.round(delay * (0.8 + 0.4 * chance)), tries: tries + 1 }
  if (requestedWait >= delay) return { wait: requestedWait, tries: tries + 1 }
  // A customer's wait that is shorter than the scheduled delay uses up no step of the schedule: otherwise the delivery would be dead within
  // seconds. Such waits end when the delivery has failed for as long as the whole schedule.
  const patience = retryDelays.reduce((sum, delay) => sum + delay, 0)
  const failing = failedSince === null ? 0 : now - Date.parse(failedSince)
  return failing < patience ? { wait: requestedWait, tries } : { wait: undefined, tries: tries + 1 }
}

const shortestWait = 1000
const longestWait = 24 * 3_600_000

/** The wait in milliseconds that a `Retry-After` header requests, limited to between a second and a day; `undefined` without a request. */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  const seconds = retryAfterSeconds(header, now)
  return seconds === undefined ? undefined : Math.min(Math.max(seconds * 1000, shortestWait), longestWait)
}
