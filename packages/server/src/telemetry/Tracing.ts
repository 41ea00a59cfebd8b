/**
 * Sends traces, and the log if the environment requires it, to an OpenTelemetry collector over OTLP/HTTP, configured by the standard
 * variables.
 *
 * Guarantee: without a collector no span is made. With a collector, no request waits for it, and the number of stored spans is limited. The
 * last spans are sent while the server stops, within a second.
 */
import { withoutSlashes } from "@dockline/core/values/Clip"
import { Config, Effect, Layer, Option, References, Schedule, Schema, Semaphore, Tracer } from "effect"
import { FetchHttpClient, HttpClient, HttpMiddleware } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpSerialization, OtlpTracer } from "effect/observability"

const batchLimit = 4

/** How often a batch is repeated after temporary failures. */
const repeats = 3

/**
 * The HTTP client by which the exporters send batches to the collector; `timeoutMillis` is how long a batch may take, each time it is sent.
 *
 * Guarantee: at most {@link batchLimit} batches are on their way, each for a limited time; other batches are dropped. The exporter also
 * drops every batch for a minute after a failed one. The log has one line when the collector begins to fail, and one when it takes batches
 * again.
 */
export const collectorLayer = (timeoutMillis: number): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function*() {
      const client = yield* HttpClient.HttpClient
      const room = yield* Semaphore.make(batchLimit)
      let isAway = false

      const noteFailure = (reason: string) =>
        Effect.suspend(() => {
          if (isAway) return Effect.void
          isAway = true
          return Effect.logWarning(`The collector of traces accepts nothing, so spans are dropped: ${reason}`)
        })
      const noteSuccess = Effect.suspend(() => {
        if (!isAway) return Effect.void
        isAway = false
        return Effect.logInfo("The collector takes traces again")
      })

      return HttpClient.filterStatusOk(client).pipe(
        HttpClient.transform((response) =>
          response.pipe(
            // The answer is read here, so that the timeout covers the whole answer.
            Effect.tap((response) => Effect.ignore(response.arrayBuffer)),
            Effect.timeout(timeoutMillis),
            Effect.retry({
              while: HttpClient.isTransientError,
              times: repeats,
              schedule: Schedule.spaced("1 second")
            }),
            Effect.tap(noteSuccess),
            Effect.tapError((error) => noteFailure(error.message)),
            // The error becomes a defect, because the exporter would repeat a failure.
            Effect.orDie,
            room.withPermitsIfAvailable(1),
            Effect.flatMap(Option.match({
              onSome: Effect.succeed,
              onNone: () =>
                Effect.andThen(
                  noteFailure("it is too slow"),
                  Effect.die(new Error("The collector is too slow"))
                )
            })),
            Effect.withTracerEnabled(false)
          )
        )
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

/**
 * The settings that decide which traces are recorded (`OTEL_TRACES_SAMPLER`).
 *
 * Guarantee: only requests and deliveries begin a trace; recurring work of the service begins none. The trace of a caller is continued
 * unless a collector would refuse its ids.
 */
export interface Sampling {
  /** The fraction of the traces beginning here that is recorded, from 0 to 1. */
  readonly ratio: number
  /** Whether a caller decides about the recording of its trace. */
  readonly followsCaller: boolean
}

const Ratio = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1 }, { message: "must be a number from 0 to 1" })
)

/** The sampling of the environment. By default all traces are recorded, except where a caller has decided otherwise. */
export const config: Config.Config<Sampling> = Config.map(
  Config.all({
    sampler: Config.withDefault(
      Config.schema(Schema.Literals(samplers), "OTEL_TRACES_SAMPLER"),
      "parentbased_always_on"
    ),
    ratio: Config.withDefault(Config.schema(Ratio, "OTEL_TRACES_SAMPLER_ARG"), 1)
  }),
  ({ ratio, sampler }) => ({
    ratio: sampler.endsWith("always_on") ? 1 : sampler.endsWith("always_off") ? 0 : ratio,
    followsCaller: sampler.startsWith("parentbased_")
  })
)

const beginning: ReadonlySet<Tracer.SpanKind> = new Set(["server", "consumer", "producer"])

/** Whether a collector accepts the ids. Some collectors refuse a whole batch for one bad span. */
const isSendable = ({ spanId, traceId }: Tracer.AnySpan): boolean =>
  /^(?!0+$)(?:[0-9a-f]{16}){1,2}$/.test(traceId) && /^(?!0+$)[0-9a-f]{16}$/.test(spanId)

/** The parent, unless it is a caller's span with ids that a collector would refuse. */
const callerOf = (parent: Option.Option<Tracer.AnySpan>): Option.Option<Tracer.AnySpan> =>
  Option.filter(parent, (span) => span._tag === "Span" || isSendable(span))

/** A tracer that records sampled spans; `chance` returns numbers from 0 up to 1. */
export const sampling = (
  tracer: Tracer.Tracer,
  { followsCaller, ratio }: Sampling,
  chance: () => number = Math.random
): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (spanOptions) => {
      const parent = callerOf(spanOptions.parent)
      const { kind } = spanOptions
      const options = { ...spanOptions, parent }
      const isFirst = Option.isNone(parent)
      const isCalled = !isFirst && kind === "server" && parent.value._tag === "ExternalSpan"
      if (!isFirst && (followsCaller || !isCalled)) return tracer.span(options)
      return tracer.span({ ...options, sampled: beginning.has(kind) && chance() < ratio })
    }
  })

type TraceData = OtlpTracer.TraceData
type Span = TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]
type Attribute = Span["attributes"][number]

const textLimit = 1024

/** The attributes that may hold secrets. */
const unsent: ReadonlySet<string> = new Set([
  "url.full",
  "url.query",
  "exception.message",
  "exception.stacktrace"
])

const textOf = (attributes: ReadonlyArray<Attribute>, key: string): string | undefined =>
  attributes.find((attribute) => attribute.key === key)?.value.stringValue ?? undefined

const clip = (attribute: Attribute): Attribute => {
  const text = attribute.value.stringValue
  return typeof text === "string" && text.length > textLimit
    ? { ...attribute, value: { stringValue: text.slice(0, textLimit).toWellFormed() } }
    : attribute
}

const attributesToSend = (attributes: ReadonlyArray<Attribute>): Array<Attribute> =>
  attributes.filter(({ key }) => !unsent.has(key)).map(clip)

/** The name of a span: the route of a request, or the function that a statement calls. */
const nameOf = ({ attributes, name }: Span): string => {
  const method = textOf(attributes, "http.request.method")
  const route = textOf(attributes, "http.route")
  if (method !== undefined) return route === undefined ? method : `${method} ${route}`
  const statement = textOf(attributes, "db.query.text")
  if (statement === undefined) return name
  return /\bdockline\.(\w+)\(/.exec(statement)?.[0].slice(0, -1) ?? statement.trim().replace(/\s.*$/s, "")
}

const spanOf = (span: Span): Span => {
  const events = span.events.map((event) => ({ ...event, attributes: attributesToSend(event.attributes) }))
  const failure = events.find(({ name }) => name === "exception")
  const type = failure === undefined ? undefined : textOf(failure.attributes, "exception.type")
  const { code } = span.status
  return {
    ...span,
    name: nameOf(span),
    attributes: attributesToSend(span.attributes),
    events,
    status: type === undefined ? { code } : { code, message: type }
  }
}

const clean = (data: TraceData): TraceData => ({
  resourceSpans: data.resourceSpans.map((resource) => ({
    ...resource,
    scopeSpans: resource.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(spanOf) }))
  }))
})

/**
 * The serialization by a protocol of OTLP. It removes secrets from the spans that leave the service, and names them by their routes and
 * statements.
 *
 * Guarantee: no query string, text of an error, stack or parameter of a statement is sent, and attributes are limited in size.
 */
export const spanExport = (
  protocol: "http/protobuf" | "http/json"
): Layer.Layer<OtlpSerialization.OtlpSerialization> =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    OtlpSerialization.OtlpSerialization.use((inner) =>
      Effect.succeed({ ...inner, traces: (data: TraceData) => inner.traces(clean(data)) })
    )
  ).pipe(
    Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf)
  )

/** The time for sending the last spans, within the time in which the server has to stop. */
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

/** The supported standard variables, except those of the resource and the sampler. */
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

/** The address for a signal; `undefined` if the signal is not exported. */
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
  const attributes: Readonly<Record<string, string>> = yield* Config.withDefault(
    Config.Record(Schema.StringFromUriComponent, Schema.StringFromUriComponent, "OTEL_RESOURCE_ATTRIBUTES", {
      trim: true
    }),
    {}
  )
  const name = yield* Config.option(Config.NonEmptyString("OTEL_SERVICE_NAME"))
  return {
    serviceName: Option.getOrElse(name, () => attributes["service.name"] ?? "dockline"),
    attributes: { "service.instance.id": crypto.randomUUID(), ...attributes }
  }
})

const off = Layer.succeed(References.TracerEnabled, false)

/** Whether a request is a probe. Probes come every few seconds, and their traces are useless. */
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
    const choice = yield* config
    const tracer = traces === undefined ? off : Layer.mergeAll(
      Layer.effect(
        Tracer.Tracer,
        Effect.map(
          OtlpTracer.make({ ...options, url: traces }),
          (tracer) => sampling(tracer, choice)
        )
      ),
      Layer.succeed(HttpMiddleware.TracerDisabledWhen, isProbe)
    )
    const logger = logs === undefined ? Layer.empty : OtlpLogger.layer({ ...options, url: logs })
    return Layer.mergeAll(tracer, logger).pipe(
      Layer.provide(OtlpExporter.layerFlusher),
      Layer.provide(spanExport(Option.getOrElse(variables.protocol, () => "http/protobuf" as const))),
      Layer.provide(collectorLayer(Option.getOrElse(variables.timeout, () => 10_000)))
    )
  })

/**
 * Exports traces and the log. `base` is the address of the collector in the settings; the environment may name another address for each
 * signal.
 */
export const layer = (base: Option.Option<string>): Layer.Layer<never, Config.ConfigError> =>
  Layer.unwrap(
    Effect.flatMap(variables, (values) => {
      const endpoints = { ...values, base }
      return endpointOf(endpoints, "traces") === undefined && endpointOf(endpoints, "logs") === undefined
        ? Effect.succeed(off)
        : on(endpoints)
    })
  )
