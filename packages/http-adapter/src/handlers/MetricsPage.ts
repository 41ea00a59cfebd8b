/**
 * `GET /metrics`: the measurements of this process in the text format of Prometheus (docs/operations/metrics.md), and the series of webhook
 * endpoints and their backlogs. These are read from the storage, so they are the same in every instance. The endpoints with the longest
 * backlogs have their own series; all others share one. While the database is unavailable, `dockline_database_up` is 0 and the series of
 * webhook endpoints are absent. A request with a header that proxies add does not count as a request from this machine.
 */
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Unauthenticated } from "@dockline/core/values/Errors"
import { Readiness } from "@dockline/core/values/Metrics"
import * as Metrics from "@dockline/core/values/Metrics"
import * as CoreMetrics from "@dockline/core/values/Metrics"
import { MetricsForbidden } from "@dockline/core/values/RequestErrors"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { EndpointBacklog } from "@dockline/core/webhooks/DeliveryStore"
import { Clock, Context, Effect, Metric, Option, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Answer from "../answer/Answer.ts"
import type { HttpConfig } from "../HttpConfig.ts"

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

/** Whether the series include an endpoint: nobody waits for an endpoint that an operator disabled. */
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

/** Reads the series; `None` if there is no storage of deliveries, or if it fails or does not answer within 5 seconds. */
export const seriesOf: Effect.Effect<Effect.Effect<Option.Option<Write>>> = Effect.flatMap(
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
        // The client of the first request may go away while others wait for the same reading.
        Effect.uninterruptible,
        Effect.cachedWithTTL("10 seconds")
      )
  })
)

const contentType = "text/plain; version=0.0.4; charset=utf-8"

const databaseUp = CoreMetrics.sampledGauge(
  "dockline_database_up",
  "Whether the database answers and has the schema",
  []
)

const prefix = "dockline_"

/** The metrics of this service: the registry may also hold metrics of other libraries. */
const ownOf = (registry: Metric.MetricRegistry): Metric.MetricRegistry =>
  new Map([...registry].filter(([, { id }]) => id.startsWith(prefix)))

export const make = Effect.gen(function*() {
  const { capabilities } = yield* OperationRegistry
  const names = capabilities.map(({ name }) => name)
  const ready = yield* Readiness
  const endpoints = yield* seriesOf
  return Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    CoreMetrics.begin(context, names)
    const samplingContext = Context.add(context, Metric.MetricRegistry, new Map())
    const isUp = yield* Effect.match(ready, { onFailure: () => false, onSuccess: () => true })
    databaseUp.of().updateUnsafe(isUp ? 1 : 0, samplingContext)
    if (isUp) Option.map(yield* endpoints, (write) => write(samplingContext))
    const own = Context.add(
      context,
      Metric.MetricRegistry,
      ownOf(Context.get(context, Metric.MetricRegistry))
    )
    return PrometheusMetrics.formatUnsafe(own) + PrometheusMetrics.formatUnsafe(samplingContext)
  })
})

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const loopback = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$|^::1$/i

const passedOn = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-original-.*)$/

const isLocal = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean =>
  loopback.test(Option.getOrElse(remoteAddress, () => "")) &&
  !Object.keys(headers).some((name) => passedOn.test(name))

const errors = [{
  path: "Authorization",
  detail: "must be \"Bearer \" and the token of the setting METRICS_TOKEN"
}]

/** The refusal of a request: it needs the token, or must come from this machine if there is no token. */
const refusalOf = (
  request: HttpServerRequest.HttpServerRequest,
  { metricsLocally = false, metricsToken: token }: HttpConfig
): MetricsForbidden | Unauthenticated | undefined => {
  if (token === undefined) return metricsLocally && isLocal(request) ? undefined : new MetricsForbidden()
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "")?.[1]
  if (bearer === undefined) return new Unauthenticated({ errors })
  return timingSafeEqual(digest(bearer), digest(Redacted.value(token)))
    ? undefined
    : new Unauthenticated({ reason: "invalid", errors })
}

export const makeHandler = (config: HttpConfig) =>
  Effect.map(make, (read) => (request: HttpServerRequest.HttpServerRequest) => {
    const refusal = refusalOf(request, config)
    return refusal !== undefined
      ? Answer.respond(refusal)
      : Effect.map(
        read,
        (text) => HttpServerResponse.text(text, { contentType })
      )
  })
