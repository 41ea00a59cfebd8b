/** Metrics of GraphQL: operations, connections, subscriptions and their messages. */
import type { Message } from "@dockline/core/messages/Message"
import * as Metrics from "@dockline/core/values/Metrics"
import { Clock, Context } from "effect"

export const transports = ["websocket", "sse"] as const

const operations = Metrics.histogram(
  "dockline_graphql_operation_duration_seconds",
  "How long operations of GraphQL took, over any transport; a subscription until it was accepted or refused",
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
  "Web sockets, and event streams of subscriptions, that are open",
  [["transport", transports]]
)

export const floods = Metrics.counter(
  "dockline_graphql_sockets_cut_total",
  "Web sockets that were cut as they sent too much (close code 1008), by whether a client was signed in",
  [["authenticated", ["yes", "no"]]]
)

export const subscriptions = Metrics.gauge("dockline_graphql_subscriptions", "Subscriptions that run", [])

export const sentCount = Metrics.counter(
  "dockline_subscription_messages_sent_total",
  "Messages that were sent to subscriptions, once for each of them",
  [["transport", transports]]
)

export const tooSlow = Metrics.counter(
  "dockline_subscription_slow_consumers_total",
  "Subscriptions that were ended as their consumer did not keep up (close code 4429)",
  [["transport", transports]]
)

const delays = Metrics.histogram(
  "dockline_subscription_delivery_seconds",
  "From the append of a live message until it was sent to a subscription; for messages sent together, of the oldest one",
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
  "How old the oldest message is that a subscription has not been sent: of the client's at the business, the greatest",
  ["business", "client"]
)

export const waiting = Metrics.sampledGauge(
  "dockline_subscription_waiting_messages",
  "Live messages that wait for a subscription: of the client's at the business, the most",
  ["business", "client"]
)
