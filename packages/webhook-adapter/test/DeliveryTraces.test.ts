/**
 * Deliveries are spans in the trace of their message, and tell the customer that trace.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Logger, References, Tracer } from "effect"
import { TestClock } from "effect/testing"
import {
  anEndpoint,
  answer,
  append,
  connectionRefusal,
  dispatch,
  Outside,
  pass,
  settle,
  test,
  Trouble
} from "./DispatchWorld.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

/** Appends messages in a trace, like a request. */
const appendTraced = (shipments: ReadonlyArray<number>, isSampled = true) =>
  Effect.withParentSpan(append(shipments), Tracer.externalSpan({ traceId, spanId, sampled: isSampled }))

/** A tracer that keeps its spans. */
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

const viewOf = (span: Tracer.Span) => ({
  name: span.name,
  kind: span.kind,
  traceId: span.traceId,
  parentId: span.parent._tag === "Some" ? span.parent.value.spanId : undefined,
  isFailed: span.status._tag === "Ended" && span.status.exit._tag === "Failure",
  ...Object.fromEntries(span.attributes)
})

const traceparents = ({ requests }: Outside) => requests.map(({ headers }) => headers["traceparent"])

describe("a delivery of a message that was traced", () => {
  test("is a span of that trace, and so is each retry", function*(outside) {
    const { spans, tracer } = recording()
    const answers = [connectionRefusal, Effect.succeed(answer(503)), Effect.succeed(answer(200))]
    outside.customer = () => answers.shift()!
    const id = yield* anEndpoint()
    const [messageId] = yield* appendTraced([1])
    yield* Effect.withTracer(dispatch(outside), tracer)
    yield* settle
    yield* pass("5 seconds")
    yield* pass("5 minutes")
    const common = {
      name: "deliver PALLET_EVENT",
      kind: "producer",
      traceId,
      parentId: spanId,
      "dockline.business": "acme",
      "dockline.endpoint.id": id,
      "dockline.message.id": messageId,
      "dockline.message.type": "PALLET_EVENT"
    }
    const failure = { ...common, isFailed: true, "dockline.delivery.outcome": "failed" }
    assert.deepStrictEqual(spans.map(viewOf) as ReadonlyArray<unknown>, [
      { ...failure, "dockline.delivery.attempt": 1 },
      { ...failure, "dockline.delivery.attempt": 2, "http.response.status_code": 503 },
      {
        ...common,
        isFailed: false,
        "dockline.delivery.outcome": "delivered",
        "dockline.delivery.attempt": 3,
        "http.response.status_code": 200
      }
    ])
    assert.deepStrictEqual(
      traceparents(outside),
      spans.map((span) => `00-${traceId}-${span.spanId}-01`)
    )
  })

  test("tells the customer the trace even when no spans are made", function*(outside) {
    yield* anEndpoint()
    yield* appendTraced([1])
    yield* dispatch(outside)
    yield* settle
    assert.deepStrictEqual(traceparents(outside), [`00-${traceId}-${spanId}-01`])
  })

  test(
    "is one line of the log at Debug, with the endpoint, the message and the trace, and no text of it",
    function*(outside) {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber, message }) => {
        const span = fiber.context.mapUnsafe.get(Tracer.ParentSpan.key) as Tracer.AnySpan | undefined
        lines.push([message, { ...fiber.getRef(References.CurrentLogAnnotations) }, span?.traceId])
      })
      outside.customer = () => Effect.succeed(answer(500))
      const id = yield* anEndpoint()
      const [messageId] = yield* appendTraced([1])
      yield* dispatch(outside).pipe(
        Effect.provide(
          Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug"))
        )
      )
      yield* settle
      const annotations = { business: "acme", endpointId: id, messageId, attempt: 1 }
      assert.deepInclude(lines, [["Delivery failed: answered 500"], annotations, traceId])
    }
  )
})

describe("a delivery of a message that was not traced", () => {
  test("makes no span and sends no trace context, nor does the work besides deliveries", function*(outside) {
    const { spans, tracer } = recording()
    const trouble = new Trouble()
    trouble.ready = Effect.withSpan(Effect.void, "ready")
    trouble.take = Effect.withSpan(Effect.void, "take")
    trouble.settle = Effect.withSpan(Effect.void, "settle")
    yield* anEndpoint()
    yield* append([1])
    yield* appendTraced([2], false)
    yield* dispatch(outside, { pollMillis: 500 }).pipe(
      Effect.provide(trouble.layer),
      Effect.withTracer(tracer)
    )
    yield* settle
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(traceparents(outside), [undefined, undefined])
    assert.deepStrictEqual(spans.map(({ name }) => name), [])
  })
})
