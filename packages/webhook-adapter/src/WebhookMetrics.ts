/** The metrics of webhooks. An attempt is counted when it ends, a delivery when its outcome is written. */
import * as Metrics from "@dockline/core/values/Metrics"
import type { Attempt } from "@dockline/core/webhooks/Delivery"
import type { Settlement } from "@dockline/core/webhooks/DeliveryStore"
import { Effect, Metric } from "effect"

const answers = ["2xx", "3xx", "4xx", "5xx", "none"] as const

const attempts = Metrics.counter(
  "dockline_webhook_attempts_total",
  "Attempts to deliver a message, by the class of the answer's status; `none` without an answer",
  [["status", answers]]
)

const durations = Metrics.histogram(
  "dockline_webhook_attempt_duration_seconds",
  "Duration of attempts to deliver a message",
  []
)

const inFlight = Metrics.gauge(
  "dockline_webhook_deliveries_in_flight",
  "Deliveries whose request is in progress",
  []
)

const deliveries = Metrics.counter(
  "dockline_webhook_deliveries_total",
  "Recorded outcomes of deliveries: delivered, to be retried, dead",
  [["outcome", ["delivered", "retry", "dead"]]]
)

const loginFailures = Metrics.counter(
  "dockline_webhook_login_failures_total",
  "How often the login for an endpoint failed",
  []
)

const disabled = Metrics.counter(
  "dockline_webhook_endpoints_disabled_total",
  "Endpoints that were disabled because they answered 410 or failed for too long",
  [["reason", ["gone", "failing"]]]
)

const misses = Metrics.counter(
  "dockline_webhook_history_missed_total",
  "How often messages expired before they could be delivered to an endpoint",
  []
)

const answerOf = (status: number | null): (typeof answers)[number] => {
  if (status === null) return "none"
  return answers.find((answer) => answer.startsWith(String(Math.floor(status / 100)))) ?? "none"
}

export const countLoginFailure: Effect.Effect<void> = Metric.update(loginFailures.of(), 1)

export const countAttempt = ({ durationMs, status }: Attempt): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(attempts.of(answerOf(status)), 1),
    Metric.update(durations.of(), durationMs / 1000)
  )

/** Counts a delivery as in flight while it runs. */
export const countInFlight = <A, E, R>(sending: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Metric.modify(inFlight.of(), 1),
    () => sending,
    () => Metric.modify(inFlight.of(), -1)
  )

const outcomes = { DELIVERED: "delivered", PENDING: "retry", DEAD: "dead" } as const

/** Counts the outcomes in a settlement that was written. */
export const countSettled = ({ disable, expiredUpTo, results }: Settlement): Effect.Effect<void> =>
  Effect.contextWith((context) => {
    for (const { status } of results) deliveries.of(outcomes[status]).updateUnsafe(1, context)
    if (disable !== undefined) {
      disabled.of(disable === "GONE" ? "gone" : "failing").updateUnsafe(1, context)
    }
    if (expiredUpTo !== undefined) misses.of().updateUnsafe(1, context)
    return Effect.void
  })
