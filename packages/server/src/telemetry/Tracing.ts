/**
 * Sends traces to an OpenTelemetry collector over OTLP/HTTP.
 *
 * Guarantee: without a collector no span is made. With one, no request waits for it, and the held spans are bounded. The
 * last spans go out as the server stops, within a second.
 */
import { withoutSlashes } from "@dockline/core/internal/values/Url"
import { Config, Effect, Layer, Option, References, Schema, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { OtlpExporter, OtlpTracer } from "effect/observability"
import * as Collector from "./Collector.ts"
import * as Sampling from "./Sampling.ts"
import * as SpanExport from "./SpanExport.ts"

/** How long a batch may take. */
const batchMillis = 10_000

/** The time for the last spans: the rest of the time in which the server has to stop. */
const shutdownMillis = 1000

const Millis = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))
const BatchSize = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 10_000 }, { message: "must be a whole number from 1 to 10000" })
)

/** The standard variables that are honoured; `OtlpTracer` reads those of the resource. */
const variables = Config.all({
  serviceName: Config.withDefault(Config.NonEmptyString("OTEL_SERVICE_NAME"), "dockline"),
  protocol: Config.withDefault(
    Config.schema(Schema.Literals(["http/protobuf", "http/json"]), "OTEL_EXPORTER_OTLP_PROTOCOL"),
    "http/protobuf"
  ),
  headers: Config.option(
    Config.Record(Schema.String, Schema.StringFromUriComponent, "OTEL_EXPORTER_OTLP_HEADERS", { trim: true })
  ),
  exportInterval: Config.withDefault(Config.schema(Millis, "OTEL_BSP_SCHEDULE_DELAY"), 5000),
  maxBatchSize: Config.withDefault(Config.schema(BatchSize, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 512),
  sampling: Sampling.config
})

/** Probes come every few seconds; their traces tell nothing. */
const isProbe = ({ url }: { readonly url: string }): boolean =>
  /^\/(?:healthz|readyz|metrics)(?:[/?#]|$)/.test(url)

const to = (collector: string) =>
  Effect.map(
    variables,
    ({ headers, protocol, sampling, serviceName, ...options }) =>
      Layer.effect(
        Tracer.Tracer,
        Effect.map(
          OtlpTracer.make({
            ...options,
            url: `${withoutSlashes(collector)}/v1/traces`,
            headers: Option.getOrUndefined(headers),
            resource: { serviceName, attributes: { "service.instance.id": crypto.randomUUID() } },
            shutdownTimeout: shutdownMillis
          }),
          (tracer) => Sampling.sampled(tracer, sampling)
        )
      ).pipe(
        Layer.merge(Layer.succeed(HttpMiddleware.TracerDisabledWhen, isProbe)),
        Layer.provide([OtlpExporter.layerFlusher, SpanExport.layer(protocol), Collector.layer(batchMillis)])
      )
  )

/** Traces to the collector of the settings. */
export const layer = (collector: Option.Option<string>): Layer.Layer<never, Config.ConfigError> =>
  Option.match(collector, {
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (url) => Layer.unwrap(to(url))
  })
