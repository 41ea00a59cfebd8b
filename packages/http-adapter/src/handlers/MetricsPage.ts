/**
 * `GET /metrics`: the measurements of this process in the text format of Prometheus (docs/operations/metrics.md).
 * While the database is away, `dockline_database_up` is 0 and the series of webhook endpoints are left out. A request
 * with a header that proxies add does not come from this machine.
 */
import { Readiness } from "@dockline/core/access/Readiness"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Unauthenticated } from "@dockline/core/values/Errors"
import * as CoreMetrics from "@dockline/core/values/Metrics"
import { MetricsForbidden } from "@dockline/core/values/RequestErrors"
import { Context, Effect, Metric, Option, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Answer from "../answer/Answer.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as EndpointMetrics from "./EndpointMetrics.ts"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

const databaseUp = CoreMetrics.sampledGauge(
  "dockline_database_up",
  "Whether the database answers and has the schema",
  []
)

const prefix = "dockline_"

/** The registry may hold metrics of others. */
const ownOf = (registry: Metric.MetricRegistry): Metric.MetricRegistry =>
  new Map([...registry].filter(([, { id }]) => id.startsWith(prefix)))

export const make = Effect.gen(function*() {
  const { capabilities } = yield* OperationRegistry
  const names = capabilities.map(({ name }) => name)
  const ready = yield* Readiness
  const endpoints = yield* EndpointMetrics.make
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

/** A request needs the token or, where none is set up, must come from this machine. */
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
