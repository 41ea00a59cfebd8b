/**
 * `GET /metrics`: the measurements of this process in the text format of Prometheus (docs/operations/metrics.md).
 *
 * Guarantee: it works while the database is away: then `dockline_database_up` is 0, and what only the database knows
 * is left out. It counts toward no rate limit. However many ask, the database is asked about webhooks now and then.
 */
import { MetricsForbidden } from "@dockline/core/Errors"
import type { Unauthenticated } from "@dockline/core/Errors"
import * as CoreMetrics from "@dockline/core/Metrics"
import { Readiness } from "@dockline/core/Readiness"
import { Context, Effect, Metric, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import * as Answer from "../answer/Answer.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import * as EndpointMetrics from "./EndpointMetrics.ts"
import * as MetricsAccess from "./MetricsAccess.ts"

/** The media type of the text format. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

const databaseUp = CoreMetrics.sampled(
  "dockline_database_up",
  "Whether the database answers and holds the schema",
  []
)

/** The names of all metrics of this service begin with it. */
const prefix = "dockline_"

/** The metrics of this service in a registry that may hold others. */
const ownOf = (registry: Metric.MetricRegistry): Metric.MetricRegistry =>
  new Map([...registry].filter(([, { id }]) => id.startsWith(prefix)))

/** Makes what reads all metrics. */
export const make: Effect.Effect<Effect.Effect<string>> = Effect.gen(function*() {
  const ready = yield* Readiness
  const endpoints = yield* EndpointMetrics.make
  return Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    CoreMetrics.begin(context)
    const sampled = Context.add(context, Metric.MetricRegistry, new Map())
    const isUp = yield* Effect.match(ready, { onFailure: () => false, onSuccess: () => true })
    databaseUp.of().updateUnsafe(isUp ? 1 : 0, sampled)
    if (isUp) Option.map(yield* endpoints, (write) => write(sampled))
    const own = Context.add(
      context,
      Metric.MetricRegistry,
      ownOf(Context.get(context, Metric.MetricRegistry))
    )
    return PrometheusMetrics.formatUnsafe(own) + PrometheusMetrics.formatUnsafe(sampled)
  })
})

/** Makes the handler of `GET /metrics`. */
export const makeHandler = (config: Pick<HttpConfig, "metricsLocally" | "metricsToken">) =>
  Effect.map(
    make,
    (read) => (request: HttpServerRequest.HttpServerRequest) =>
      Effect.fromResult(MetricsAccess.check(request, config)).pipe(
        Effect.andThen(read),
        Effect.map((text) =>
          HttpServerResponse.text(text, { contentType, headers: { "cache-control": "no-store" } })
        ),
        Effect.catch((error: MetricsForbidden | Unauthenticated) =>
          Effect.map(Answer.refuse(error), Answer.toResponse)
        )
      )
  )
