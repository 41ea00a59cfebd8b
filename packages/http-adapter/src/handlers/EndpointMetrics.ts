/**
 * The series of webhook endpoints and their backlogs, read from the storage, so that they are the same in every instance. The endpoints
 * with the longest backlogs have their own series, and all others share one.
 */
import * as Metrics from "@dockline/core/values/Metrics"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { EndpointBacklog } from "@dockline/core/webhooks/DeliveryStore"
import { Clock, Effect, Option } from "effect"
import type { Context } from "effect"

export const endpointSeries = 100

const states = [
  "enabled",
  "failing",
  "awaiting_login",
  "disabled",
  "disabled_gone",
  "disabled_failing"
] as const

const endpoints = Metrics.sampledGauge("dockline_webhook_endpoints", "Webhook endpoints by state", [
  "state"
])

const labels = ["endpoint", "business"]

const backlog = Metrics.sampledGauge(
  "dockline_webhook_endpoint_backlog_messages",
  "Messages that wait for an endpoint, counted up to 1000; under endpoint=\"other\", the sum for all endpoints without their own series",
  labels
)

const lag = Metrics.sampledGauge(
  "dockline_webhook_endpoint_lag_seconds",
  "How long the oldest message has waited for an endpoint; under endpoint=\"other\", the longest wait",
  labels
)

const failing = Metrics.sampledGauge(
  "dockline_webhook_endpoint_failing_seconds",
  "How long all deliveries to an endpoint have failed; 0 when the last one succeeded",
  labels
)

const awaitingLogin = Metrics.sampledGauge(
  "dockline_webhook_endpoint_awaiting_login",
  "1 if deliveries to an endpoint wait because its login fails, else 0; under endpoint=\"other\", the number of such endpoints",
  labels
)

const stateOf = (
  { awaitsLogin, disabledReason, enabled, failingSince }: EndpointBacklog
): (typeof states)[number] => {
  if (enabled) return awaitsLogin ? "awaiting_login" : failingSince === null ? "enabled" : "failing"
  if (disabledReason === "GONE") return "disabled_gone"
  return disabledReason === "FAILING" ? "disabled_failing" : "disabled"
}

/** Nobody waits for an endpoint that an operator disabled. */
const isWatched = ({ disabledReason }: EndpointBacklog): boolean => disabledReason !== "OPERATOR"

const rowsOf = (all: ReadonlyArray<EndpointBacklog>, now: number) => {
  const age = (since: string | null) => since === null ? 0 : Math.max(0, now - Date.parse(since)) / 1000
  const rows = all.filter(isWatched).map((each) => ({
    endpoint: String(each.endpointId),
    business: each.business,
    messages: each.messages,
    lag: age(each.oldestAt),
    failing: age(each.failingSince),
    awaitingLogin: stateOf(each) === "awaiting_login" ? 1 : 0
  })).sort((one, two) => two.lag - one.lag || two.failing - one.failing || two.messages - one.messages)
  const rest = rows.slice(endpointSeries)
  return [...rows.slice(0, endpointSeries), {
    endpoint: Metrics.other,
    business: Metrics.other,
    messages: rest.reduce((sum, { messages }) => sum + messages, 0),
    lag: rest.reduce((most, row) => Math.max(most, row.lag), 0),
    failing: rest.reduce((most, row) => Math.max(most, row.failing), 0),
    awaitingLogin: rest.reduce((sum, row) => sum + row.awaitingLogin, 0)
  }]
}

export type Write = (context: Context.Context<never>) => void

const write = (all: ReadonlyArray<EndpointBacklog>, now: number): Write => (context) => {
  for (const state of states) {
    endpoints.of(state).updateUnsafe(all.filter((each) => stateOf(each) === state).length, context)
  }
  for (const row of rowsOf(all, now)) {
    backlog.of(row.endpoint, row.business).updateUnsafe(row.messages, context)
    lag.of(row.endpoint, row.business).updateUnsafe(row.lag, context)
    failing.of(row.endpoint, row.business).updateUnsafe(row.failing, context)
    awaitingLogin.of(row.endpoint, row.business).updateUnsafe(row.awaitingLogin, context)
  }
}

/** `None` without a storage of deliveries, or when it does not answer within 5 seconds. */
export const make: Effect.Effect<Effect.Effect<Option.Option<Write>>> = Effect.flatMap(
  Effect.serviceOption(DeliveryStore),
  Option.match({
    onNone: () => Effect.succeed(Effect.succeedNone),
    onSome: (store) =>
      Effect.gen(function*() {
        const all = yield* store.backlog
        return write(all, yield* Clock.currentTimeMillis)
      }).pipe(
        Effect.timeout("5 seconds"),
        Effect.tapCause((cause) =>
          Effect.logWarning("Could not read the backlogs of webhook endpoints", cause)
        ),
        Effect.option,
        // The first request may go away; the others wait for the same reading.
        Effect.uninterruptible,
        Effect.cachedWithTTL("10 seconds")
      )
  })
)
