/**
 * The tracer of the bundled server: what it sends, which traces it records, and that a collector which is away, slow or
 * refusing costs nothing but the spans.
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer, Logger, Option, Scope, Tracer } from "effect"
import { OtlpCollector } from "../../../../test/support/OtlpCollector.ts"
import * as Tracing from "../../src/telemetry/Tracing.ts"

const open = Effect.acquireRelease(
  Effect.promise(() => OtlpCollector.open()),
  (collector) => Effect.sync(() => collector.close())
)

/** The tracer, as an environment says; what is logged is kept. */
const tracerOf = Effect.fnUntraced(function*(url: string | undefined, env: Record<string, string> = {}) {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel !== "Debug") lines.push(`${logLevel} ${String(message)}`)
  })
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(
    Tracing.layer(Option.fromUndefinedOr(url)).pipe(
      Layer.provideMerge(Layer.mergeAll(
        Logger.layer([logger]),
        ConfigProvider.layer(ConfigProvider.fromUnknown({
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_BSP_SCHEDULE_DELAY: "20",
          ...env
        }))
      ))
    ),
    scope
  )
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideContext(effect, context)
  return { close: Scope.close(scope, Exit.void), lines, run }
})

const request = (name: string) => Effect.withSpan(Effect.void, name, { kind: "server" })

describe("the tracer of the bundled server", () => {
  it.live("sends protobuf to /v1/traces unless told otherwise, with the headers it is given, and gzip", () =>
    Effect.gen(function*() {
      const collector = yield* open
      const { close, run } = yield* tracerOf(`${collector.baseUrl}/otel/`, {
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
        // Small batches are not compressed: all of them go out as the tracer ends.
        OTEL_BSP_SCHEDULE_DELAY: "600000",
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b,x-team=dock"
      })
      yield* run(Effect.repeat(request("first"), { times: 50 }))
      yield* close
      const [post] = collector.posted
      assert.strictEqual(post?.path, "/otel/v1/traces")
      assert.deepInclude(post!.headers, {
        "content-type": "application/x-protobuf",
        "content-encoding": "gzip",
        "x-key": "a b",
        "x-team": "dock"
      })
    }))

  for (
    const [title, env] of [
      ["without a collector", {}],
      ["with OTEL_SDK_DISABLED", {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/v1/traces",
        OTEL_SDK_DISABLED: "true"
      }],
      ["with OTEL_TRACES_EXPORTER=none", {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/v1/traces",
        OTEL_TRACES_EXPORTER: "none"
      }]
    ] as ReadonlyArray<readonly [string, Record<string, string>]>
  ) {
    it.live(`${title}, no span is made`, () =>
      Effect.gen(function*() {
        const { close, run } = yield* tracerOf(undefined, env)
        const span = yield* run(Effect.withSpan(Effect.currentSpan, "nothing", { kind: "server" }))
        assert.strictEqual(span.spanId, "noop")
        yield* close
      }))
  }

  it.live("sends the log as well, with the ids of the trace, where OTEL_LOGS_EXPORTER says so", () =>
    Effect.gen(function*() {
      const collector = yield* open
      const { close, run } = yield* tracerOf(collector.baseUrl, { OTEL_LOGS_EXPORTER: "otlp" })
      yield* run(Effect.withSpan(Effect.logInfo("a line"), "logging", { kind: "server" }))
      yield* close
      const [span] = collector.spans
      const logs = collector.posted.find(({ path }) => path === "/v1/logs")
      assert.include(logs?.text, "a line")
      assert.include(logs?.text, span!.traceId)
    }))

  it.live("sends no query, no text of an error, no stack and nothing that is too long", () =>
    Effect.gen(function*() {
      const collector = yield* open
      const { close, run } = yield* tracerOf(collector.baseUrl)
      const canary = "canary-5f3a"
      const failing = Effect.fail(new TypeError(canary)).pipe(Effect.withSpan("request", {
        kind: "server",
        attributes: {
          "url.full": `http://dock.test/v1?q=${canary}`,
          "url.query": `q=${canary}`,
          "url.path": "/v1",
          "user_agent.original": "x".repeat(5000),
          "http.request.method": "GET",
          "http.route": "/v1"
        }
      }))
      yield* Effect.exit(run(failing))
      yield* close
      const [post] = collector.posted
      assert.notInclude(post!.text, canary)
      assert.isBelow(post!.text.length, 4000)
      const [span] = collector.spans
      assert.deepStrictEqual([span!.name, span!.isFailed, span!.attributes["url.path"]], [
        "GET /v1",
        true,
        "/v1"
      ])
      assert.include(post!.text, `"message":"TypeError"`)
    }))
})

describe("a collector that", () => {
  for (
    const [title, answer, most] of [
      ["says nothing", "silence", 4],
      ["refuses", 400, 4],
      ["is unwell", 503, 16]
    ] as const
  ) {
    // @threat load.5
    it.live(`${title} holds up nothing, fills no memory and is told of once`, () =>
      Effect.gen(function*() {
        const collector = yield* open
        collector.answer = answer
        const { close, lines, run } = yield* tracerOf(collector.baseUrl, {
          OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1"
        })
        for (let n = 0; n < 2000; n++) {
          yield* run(request(`request ${n}`))
          if (n % 100 === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        }
        yield* close
        // Four at once, each at most four times: what else there is was dropped.
        assert.isAtMost(collector.posted.length, most)
        assert.strictEqual(lines.length, 1, lines.join("\n"))
        assert.match(lines[0]!, /^Warn The collector of traces accepts nothing/)
      }))
  }
})

describe("which traces are recorded", () => {
  const spanOf = (
    sampling: Tracing.Sampling,
    options: { kind?: Tracer.SpanKind; parent?: Tracer.AnySpan; chance?: number }
  ) => {
    const { chance = 0.5, kind = "server", parent } = options
    const native = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
    return Tracing.sampling(native, sampling, () => chance).span({
      name: "any",
      parent: Option.fromUndefinedOr(parent),
      annotations: Tracer.externalSpan({ traceId: "t", spanId: "s" }).annotations,
      links: [],
      startTime: 0n,
      kind,
      root: false,
      sampled: parent?.sampled ?? true
    })
  }
  const all: Tracing.Sampling = { ratio: 1, followsCaller: true }
  const traceId = "a".repeat(32)
  const spanId = "b".repeat(16)
  const caller = (isSampled: boolean, ids = { traceId, spanId }) =>
    Tracer.externalSpan({ ...ids, sampled: isSampled })

  it("are those that a request or a delivery begins, and no other", () => {
    const kinds = (["server", "producer", "consumer", "client", "internal"] as const).filter((kind) =>
      spanOf(all, { kind }).sampled
    )
    assert.deepStrictEqual(kinds, ["server", "producer", "consumer"])
  })

  it("are as many as the ratio says", () => {
    const half = { ratio: 0.5, followsCaller: true }
    assert.isTrue(spanOf(half, { chance: 0.49 }).sampled)
    assert.isFalse(spanOf(half, { chance: 0.5 }).sampled)
  })

  // @threat load.5
  it("are those that the caller records, unless it is not to decide", () => {
    assert.isTrue(spanOf({ ratio: 0, followsCaller: true }, { parent: caller(true) }).sampled)
    assert.isFalse(spanOf(all, { parent: caller(false) }).sampled)
    assert.isFalse(spanOf({ ratio: 0, followsCaller: false }, { parent: caller(true) }).sampled)
    assert.isTrue(spanOf({ ratio: 1, followsCaller: false }, { parent: caller(false) }).sampled)
  })

  // @threat load.5
  it("go on with the caller's, unless its ids are none that a collector takes", () => {
    const parentOf = (ids: { readonly traceId: string; readonly spanId: string }) =>
      Option.getOrUndefined(spanOf({ ratio: 1, followsCaller: true }, { parent: caller(false, ids) }).parent)
    assert.strictEqual(parentOf({ traceId, spanId })?.traceId, traceId)
    assert.strictEqual(parentOf({ traceId: "c".repeat(16), spanId })?.spanId, spanId)
    for (
      const ids of [
        { traceId: "0".repeat(32), spanId },
        { traceId: "0".repeat(16), spanId },
        { traceId, spanId: "0".repeat(16) },
        { traceId: "A".repeat(32), spanId },
        { traceId: "a".repeat(24), spanId },
        { traceId, spanId: "" }
      ]
    ) {
      assert.isUndefined(parentOf(ids), JSON.stringify(ids))
      // It is the first of a trace then, whatever the caller says.
      assert.isTrue(spanOf(all, { parent: caller(false, ids) }).sampled)
    }
  })

  it("are whole: a delivery is recorded if the request was", () => {
    const never = { ratio: 0, followsCaller: false }
    assert.isTrue(spanOf(never, { kind: "producer", parent: caller(true) }).sampled)
  })
})
