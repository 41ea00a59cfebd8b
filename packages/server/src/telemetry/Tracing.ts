/**
 * Sends traces to an OpenTelemetry collector over OTLP/HTTP, as the standard variables tell.
 *
 * Guarantee: without a collector no span is made. With one, no request waits for it, and the held spans are bounded. The
 * last spans go out as the server stops, within a second.
 */
import { withoutSlashes } from "@dockline/core/values/Url"
import { Config, Effect, Layer, Option, References, Schema, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpTracer } from "effect/observability"
import * as Collector from "./Collector.ts"
import * as Sampling from "./Sampling.ts"
import * as SpanExport from "./SpanExport.ts"

/** The time for the last spans: the rest of the time in which the server has to stop. */
const shutdownMillis = 1000

const HttpUrl = Schema.String.check(
  Schema.makeFilter((text: string) =>
    text === "" || /^https?:$/.test(URL.parse(text)?.protocol ?? "") || "must be an address, http://host:4318"
  )
)

const Protocol = Schema.Literals(["http/protobuf", "http/json"])
const Millis = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))
const BatchSize = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 10_000 }, { message: "must be a whole number from 1 to 10000" })
)

/** The first variable that is set. */
const first = <A>(...configs: ReadonlyArray<Config.Config<A>>): Config.Config<Option.Option<A>> =>
  Config.map(
    Config.all(configs.map((config) => Config.option(config))),
    (values) => Option.firstSomeOf(values)
  )

const url = (name: string) =>
  Config.map(Config.option(Config.schema(HttpUrl, name)), Option.filter((text) => text !== ""))

const headers = (name: string) =>
  Config.Record(Schema.String, Schema.StringFromUriComponent, name, { trim: true })

const exporter = (name: string, choice: "otlp" | "none") =>
  Config.map(
    Config.withDefault(Config.schema(Schema.Literals(["otlp", "none"]), name), choice),
    (kind) => kind === "otlp"
  )

/** The standard variables that are honoured, but those of the resource and the sampler. */
const variables = Config.all({
  isDisabled: Config.withDefault(Config.Boolean("OTEL_SDK_DISABLED"), false),
  traces: url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
  logs: url("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"),
  exportsTraces: exporter("OTEL_TRACES_EXPORTER", "otlp"),
  exportsLogs: exporter("OTEL_LOGS_EXPORTER", "none"),
  protocol: first(
    Config.schema(Protocol, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"),
    Config.schema(Protocol, "OTEL_EXPORTER_OTLP_PROTOCOL")
  ),
  headers: first(headers("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), headers("OTEL_EXPORTER_OTLP_HEADERS")),
  timeout: first(
    Config.schema(Millis, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"),
    Config.schema(Millis, "OTEL_EXPORTER_OTLP_TIMEOUT")
  ),
  compression: Config.withDefault(
    Config.schema(Schema.Literals(["gzip", "none"]), "OTEL_EXPORTER_OTLP_COMPRESSION"),
    "none"
  ),
  interval: Config.withDefault(Config.schema(Millis, "OTEL_BSP_SCHEDULE_DELAY"), 5000),
  maxBatchSize: Config.withDefault(Config.schema(BatchSize, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 512)
})

interface Variables extends Config.Success<typeof variables> {
  readonly base: Option.Option<string>
}

/** The address for a signal, if it is exported. */
const endpointOf = (
  { base, isDisabled, ...endpoints }: Variables,
  signal: "traces" | "logs"
): string | undefined => {
  const isExported = signal === "traces" ? endpoints.exportsTraces : endpoints.exportsLogs
  if (isDisabled || !isExported) return undefined
  return Option.getOrUndefined(
    Option.orElse(endpoints[signal], () => Option.map(base, (text) => `${withoutSlashes(text)}/v1/${signal}`))
  )
}

/** The resource of the environment; its name is `dockline` by default. */
const resource = Effect.gen(function*() {
  const headers: Readonly<Record<string, string>> = yield* Config.withDefault(
    Config.Record(Schema.StringFromUriComponent, Schema.StringFromUriComponent, "OTEL_RESOURCE_ATTRIBUTES", {
      trim: true
    }),
    {}
  )
  const name = yield* Config.option(Config.NonEmptyString("OTEL_SERVICE_NAME"))
  return {
    serviceName: Option.getOrElse(name, () => headers["service.name"] ?? "dockline"),
    attributes: { "service.instance.id": crypto.randomUUID(), ...headers }
  }
})

const off = Layer.succeed(References.TracerEnabled, false)

/** Probes come every few seconds; their traces tell nothing. */
const isProbe = ({ url }: { readonly url: string }): boolean =>
  /^\/(?:healthz|readyz|metrics)(?:[/?#]|$)/.test(url)

const on = (variables: Variables) =>
  Effect.gen(function*() {
    const traces = endpointOf(variables, "traces")
    const logs = endpointOf(variables, "logs")
    const options = {
      resource: yield* resource,
      headers: Option.getOrUndefined(variables.headers),
      compression: variables.compression,
      exportInterval: variables.interval,
      maxBatchSize: variables.maxBatchSize,
      shutdownTimeout: shutdownMillis
    }
    const sampling = yield* Sampling.config
    const tracer = traces === undefined ? off : Layer.mergeAll(
      Layer.effect(
        Tracer.Tracer,
        Effect.map(
          OtlpTracer.make({ ...options, url: traces }),
          (tracer) => Sampling.sampling(tracer, sampling)
        )
      ),
      Layer.succeed(HttpMiddleware.TracerDisabledWhen, isProbe)
    )
    const logger = logs === undefined ? Layer.empty : OtlpLogger.layer({ ...options, url: logs })
    return Layer.mergeAll(tracer, logger).pipe(
      Layer.provide(OtlpExporter.layerFlusher),
      Layer.provide(SpanExport.layer(Option.getOrElse(variables.protocol, () => "http/protobuf" as const))),
      Layer.provide(Collector.layer(Option.getOrElse(variables.timeout, () => 10_000)))
    )
  })

/** Traces to the collector of the settings, unless the environment names one for traces only. */
export const layer = (base: Option.Option<string>): Layer.Layer<never, Config.ConfigError> =>
  Layer.unwrap(
    Effect.flatMap(variables, (values) => {
      const endpoints = { ...values, base }
      return endpointOf(endpoints, "traces") === undefined && endpointOf(endpoints, "logs") === undefined
        ? Effect.succeed(off)
        : on(endpoints)
    })
  )
