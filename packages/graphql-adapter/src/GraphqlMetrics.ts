/** Metrics of GraphQL: operations, connections, subscriptions and their messages. */
import type { Message } from "@dockline/core/messages/Message"
import * as Metrics from "@dockline/core/values/Metrics"
import { Clock, Context } from "effect"

export const transports = ["websocket", "sse"] as const

const operations = Metrics.histogram(
  "dockline_graphql_operation_duration_seconds",
  "Duration of GraphQL operations over any transport; for a subscription, until it was accepted or refused",
  [["type", ["query", "mutation", "subscription"]], ["outcome", ["ok", "error"]]]
)

/** Runs an operation and measures how long it takes. */
export const measureOperation = async <A>(
  references: Context.Context<never>,
  type: "query" | "mutation" | "subscription",
  run: () => Promise<A>,
  isOk: (result: A) => boolean
): Promise<A> => {
  const clock = Context.get(references, Clock.Clock)
  const start = clock.monotonicTimeNanosUnsafe()
  const result = await run()
  operations.of(type, isOk(result) ? "ok" : "error")
    .updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - start) / 1e9, references)
  return result
}

export const connections = Metrics.gauge(
  "dockline_graphql_connections",
  "Open web sockets, and open event streams of subscriptions",
  [["transport", transports]]
)

export const floods = Metrics.counter(
  "dockline_graphql_sockets_cut_total",
  "Web sockets that were closed because they sent too much (close code 1008), by whether a client was signed in",
  [["authenticated", ["yes", "no"]]]
)

export const subscriptions = Metrics.gauge("dockline_graphql_subscriptions", "Open subscriptions", [])

export const sentCount = Metrics.counter(
  "dockline_subscription_messages_sent_total",
  "Messages that were sent to subscriptions; a message counts once for each subscription",
  [["transport", transports]]
)

export const tooSlow = Metrics.counter(
  "dockline_subscription_slow_consumers_total",
  "Subscriptions that were closed because their consumer did not keep up (close code 4429)",
  [["transport", transports]]
)

const delays = Metrics.histogram(
  "dockline_subscription_delivery_seconds",
  "Time from the append of a live message until it was sent to a subscription; for messages sent together, that of the oldest",
  [["transport", transports]]
)

/** Measures the delay of a message that is sent now. */
export const measureDelay = (
  references: Context.Context<never>,
  transport: (typeof transports)[number],
  { sentAt }: Pick<Message, "sentAt">
): void => {
  const delay = (Context.get(references, Clock.Clock).currentTimeMillisUnsafe() - Date.parse(sentAt)) / 1000
  delays.of(transport).updateUnsafe(Math.max(0, delay), references)
}

export const lag = Metrics.sampledGauge(
  "dockline_subscription_lag_seconds",
  "Age of the oldest message that was not yet sent to a subscription: the greatest among the client's subscriptions at the business",
  ["business", "client"]
)

export const waiting = Metrics.sampledGauge(
  "dockline_subscription_waiting_messages",
  "Live messages that wait for a subscription: the most among the client's subscriptions at the business",
  ["business", "client"]
)
