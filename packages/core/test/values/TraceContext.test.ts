/**
 * The trace context as text, and what is known of a request.
 */
import * as RequestLog from "@dockline/core/values/RequestLog"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, References, Tracer } from "effect"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const traceparent = `00-${traceId}-${spanId}-01`

/** A tracer with a backend: it keeps what has ended. */
const recording = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

describe("D12.8 a trace context", () => {
  it("is read as the W3C writes it", () => {
    const span = TraceContext.toSpan(traceparent)
    assert.deepStrictEqual([span?.traceId, span?.spanId, span?.sampled], [traceId, spanId, true])
    assert.isFalse(TraceContext.toSpan(`00-${traceId}-${spanId}-00`)?.sampled)
  })

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${traceId}-${spanId}`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `01-${traceId}-${spanId}-01`,
    `${traceparent}-more`,
    `${traceparent}\r\nx: y`
  ])("%j is none", (text) => {
    assert.isUndefined(TraceContext.toSpan(text))
  })

  it.effect("is that of the span it is asked in, if that is sampled and goes somewhere", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* TraceContext.current)
      const external = Tracer.externalSpan({ traceId, spanId, sampled: true })
      const span = Tracer.externalSpan({ traceId, spanId, sampled: false })
      assert.strictEqual(yield* Effect.withParentSpan(TraceContext.current, external), traceparent)
      assert.isUndefined(yield* Effect.withParentSpan(TraceContext.current, span))
      assert.isUndefined(yield* Effect.withSpan(TraceContext.current, "nowhere"))

      const { spans, tracer } = recording()
      const inside = yield* TraceContext.current.pipe(
        Effect.withSpan("somewhere"),
        Effect.withParentSpan(external),
        Effect.withTracer(tracer)
      )
      assert.strictEqual(inside, `00-${traceId}-${spans[0]!.spanId}-01`)
    }))

  it.effect("is that of the caller, where spans of this process go nowhere", () =>
    Effect.gen(function*() {
      const external = Tracer.externalSpan({ traceId, spanId, sampled: true })
      const native = TraceContext.current.pipe(Effect.withSpan("native"), Effect.withParentSpan(external))
      assert.strictEqual(yield* native, traceparent)
      assert.strictEqual(yield* Effect.withTracerEnabled(native, false), traceparent)
    }))
})

describe("what is known of a request", () => {
  it.effect("is in the lines of whoever began it, and on its span, once it is known", () =>
    Effect.gen(function*() {
      const { spans, tracer } = recording()
      const annotations = yield* RequestLog.add({ clientId: "acme" }).pipe(
        Effect.andThen(References.CurrentLogAnnotations),
        RequestLog.within({ correlationId: "c-1", route: "/v1/documents" }),
        Effect.annotateLogs({ before: 1 }),
        Effect.withSpan("request"),
        Effect.withTracer(tracer)
      )
      assert.deepStrictEqual(annotations, {
        before: 1,
        correlationId: "c-1",
        route: "/v1/documents",
        clientId: "acme"
      })
      assert.deepStrictEqual(Object.fromEntries(spans[0]!.attributes), {
        "correlation.id": "c-1",
        "http.route": "/v1/documents",
        "dockline.client.id": "acme"
      })
      assert.isTrue(Option.isNone(spans[0]!.parent) && spans[0]!.status._tag === "Ended")
      assert.isTrue(spans[0]!.status._tag === "Ended" && Exit.isSuccess(spans[0]!.status.exit))
    }))

  it.effect("is nothing outside of a request", () =>
    Effect.gen(function*() {
      yield* RequestLog.add({ clientId: "acme" })
      assert.deepStrictEqual(yield* References.CurrentLogAnnotations, {})
    }))
})
