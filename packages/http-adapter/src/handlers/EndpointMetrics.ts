/**
 * What waits for webhook endpoints, as series: read from the storage, so that it is told whether or not anybody
 * dispatches, and by every instance alike.
 *
 * Guarantee: the number of series is bounded: those of the endpoints that are furthest behind, and one for all others.
 */
import { DeliveryStore } from "@dockline/core/DeliveryStore"
import type { EndpointBacklog } from "@dockline/core/DeliveryStore"
import * as Metrics from "@dockline/core/Metrics"
import { Clock, Effect, Option } from "effect"
import type { Context } from "effect"

/** The most endpoints that have series of their own. */
export const endpointSeries = 100

const states = [
  "enabled",
  "failing",
  "awaiting_login",
  "disabled",
  "disabled_gone",
  "disabled_failing"
] as const

const endpoints = Metrics.sampled("dockline_webhook_endpoints", "Webhook endpoints by how they fare", [
  "state"
])

const labels = ["endpoint", "business"]

const backlog = Metrics.sampled(
  "dockline_webhook_endpoint_backlog_messages",
  "Messages that wait for an endpoint, counted up to 1000; those of the endpoints that have no series of their own "
    + "are added up under endpoint=\"other\"",
  labels
)

const lag = Metrics.sampled(
  "dockline_webhook_endpoint_lag_seconds",
  "How long the oldest message has waited that an endpoint has not got; of all others the longest",
  labels
)

const failing = Metrics.sampled(
  "dockline_webhook_endpoint_failing_seconds",
  "For how long no delivery to an endpoint has succeeded though some were tried; 0 when the last one did",
  labels
)

const awaitingLogin = Metrics.sampled(
  "dockline_webhook_endpoint_awaiting_login",
  "1 where deliveries to an endpoint wait as it cannot be signed in to, else 0; of all others how many",
  labels
)

const stateOf = (
  { awaitsLogin, disabledReason, enabled, failingSince }: EndpointBacklog
): (typeof states)[number] => {
  if (!enabled) {
    return disabledReason === "GONE"
      ? "disabled_gone"
      : disabledReason === "FAILING"
      ? "disabled_failing"
      : "disabled"
  }
  return awaitsLogin ? "awaiting_login" : failingSince === null ? "enabled" : "failing"
}

/** One series of each metric. */
interface Row {
  readonly endpoint: string
  readonly business: string
  readonly messages: number
  readonly lag: number
  readonly failing: number
  readonly awaitingLogin: number
}

/** What an operator disabled waits for nobody. */
const isWatched = ({ disabledReason }: EndpointBacklog): boolean => disabledReason !== "OPERATOR"

/** The endpoints that are furthest behind, and the rest as one. */
const rowsOf = (all: ReadonlyArray<EndpointBacklog>, now: number): ReadonlyArray<Row> => {
  const age = (since: string | null) => since === null ? 0 : Math.max(0, now - Date.parse(since)) / 1000
  const rows = all.filter(isWatched).map((each): Row => ({
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

/** Writes the series of what waits. */
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

/** For how long what was read is shown again, however many ask. */
const cached = "10 seconds"

/** How long the storage may take to tell. */
const patience = "5 seconds"

/** Reads what waits; nothing where there is no storage that could tell, or it does not answer. */
export const make: Effect.Effect<Effect.Effect<Option.Option<Write>>> = Effect.flatMap(
  Effect.serviceOption(DeliveryStore),
  Option.match({
    onNone: () => Effect.succeed(Effect.succeedNone),
    onSome: (store) =>
      Effect.gen(function*() {
        const all = yield* store.backlog
        return write(all, yield* Clock.currentTimeMillis)
      }).pipe(
        Effect.timeout(patience),
        Effect.tapCause((cause) =>
          Effect.logWarning("Could not read what waits for webhook endpoints", cause)
        ),
        Effect.option,
        // Whoever asks first may go away: the others get what it asked for.
        Effect.uninterruptible,
        Effect.cachedWithTTL(cached)
      )
  })
)
