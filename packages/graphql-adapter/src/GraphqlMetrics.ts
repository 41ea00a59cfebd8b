/**
 * What is measured of GraphQL: operations, connections, subscriptions and what they are sent.
 */
import * as Metrics from "@dockline/core/Metrics"

/** What an operation goes over when it outlives its request. */
export const transports = ["websocket", "sse"] as const

/** How long operations took; of a subscription until it was granted or refused. */
export const operations = Metrics.histogram(
  "dockline_graphql_operation_duration_seconds",
  "How long operations of GraphQL took, whatever they came over; a subscription until it was granted or refused",
  [["type", ["query", "mutation", "subscription"]], ["outcome", ["ok", "error"]]]
)

/** Connections that stay open. */
export const connections = Metrics.gauge(
  "dockline_graphql_connections",
  "Web sockets, and event streams of subscriptions, that are open",
  [["transport", transports]]
)

/** Web sockets that were cut as they sent too much. */
export const floods = Metrics.counter(
  "dockline_graphql_sockets_cut_total",
  "Web sockets that were cut as they sent too much (close code 1008), by whether a client was signed in",
  [["authenticated", ["yes", "no"]]]
)

/** Subscriptions that run. */
export const subscriptions = Metrics.gauge("dockline_graphql_subscriptions", "Subscriptions that run", [])

/** Messages that were sent to subscriptions. */
export const sent = Metrics.counter(
  "dockline_subscription_messages_sent_total",
  "Messages that were sent to subscriptions, once for each of them",
  [["transport", transports]]
)

/** Subscriptions that did not keep up. */
export const tooSlow = Metrics.counter(
  "dockline_subscription_slow_consumers_total",
  "Subscriptions that were ended as their consumer did not keep up (close code 4429)",
  [["transport", transports]]
)

/** From append to send. */
export const delays = Metrics.histogram(
  "dockline_subscription_delivery_seconds",
  "From the append of a live message until it was sent to a subscription: of those sent at once, the oldest one",
  [["transport", transports]]
)

/** How far the subscriptions of a client are behind. */
export const lag = Metrics.sampled(
  "dockline_subscription_lag_seconds",
  "How old the oldest message is that a subscription has not been sent: of the client's at the business, the greatest",
  ["business", "client"]
)

/** How much waits for the subscriptions of a client. */
export const waiting = Metrics.sampled(
  "dockline_subscription_waiting_messages",
  "Live messages that wait for a subscription: of the client's at the business, the most",
  ["business", "client"]
)
