/**
 * Operations of GraphQL as spans.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Tracer } from "effect"
import { GraphqlEngine } from "../../src/engine/Engine.ts"
import type { GraphqlContext } from "../../src/resolvers/Run.ts"
import { engine, sessionOf } from "../EngineSetup.ts"

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

const context = (fiber?: Context.Context<never>): GraphqlContext => ({
  session: sessionOf("acme-client"),
  correlationId: "c-1",
  ...(fiber === undefined ? {} : { fiber })
})

const run = (query: string, context: GraphqlContext) =>
  Effect.gen(function*() {
    const { execute, prepare } = yield* GraphqlEngine
    const operation = prepare({ query })
    if (!("document" in operation)) return assert.fail("It is not valid")
    return yield* Effect.promise(() => execute(operation, context))
  })

const missing = `query ${"N".repeat(150)} { shipment(id: 404) { id } }`

const parentOf = ({ parent }: Tracer.Span) => parent._tag === "Some" ? parent.value.spanId : undefined

describe("an operation of GraphQL", () => {
  it.live("is a span within that of its request, and so is what it asks for; its errors are told by their codes", () =>
    Effect.gen(function*() {
      const { spans, tracer } = recording()
      const request = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true })
      const fiber = Context.make(Tracer.Tracer, tracer).pipe(Context.add(Tracer.ParentSpan, request))
      yield* Effect.provide(run(missing, context(fiber as Context.Context<never>)), engine())
      const [operation, inner] = spans
      assert.deepStrictEqual([operation!.name, operation!.kind, parentOf(operation!)], [
        "GraphQL query",
        "internal",
        request.spanId
      ])
      assert.deepStrictEqual(Object.fromEntries(operation!.attributes), {
        "graphql.operation.type": "query",
        "graphql.operation.name": `${"N".repeat(100)}…`,
        "graphql.error.codes": ["SHIPMENT_NOT_FOUND"]
      })
      assert.deepStrictEqual([inner!.name, parentOf(inner!)], ["Shipments.get", operation!.spanId])
    }))

  it.live("without a request begins a trace, and says who asks", () =>
    Effect.gen(function*() {
      const { spans, tracer } = recording()
      yield* Effect.provide(run("{ __typename }", context()), engine()).pipe(Effect.withTracer(tracer))
      assert.deepStrictEqual(spans.map(({ kind, name }) => [name, kind]), [["GraphQL query", "server"]])
      assert.isUndefined(parentOf(spans[0]!))
      assert.deepStrictEqual(Object.fromEntries(spans[0]!.attributes), {
        "graphql.operation.type": "query",
        "correlation.id": "c-1",
        "dockline.client.id": "acme-client"
      })
    }))

  it.live("is none where nothing is traced", () =>
    Effect.gen(function*() {
      const { spans, tracer } = recording()
      yield* Effect.provide(run("{ __typename }", context()), engine()).pipe(
        Effect.withTracer(tracer),
        Effect.withTracerEnabled(false)
      )
      assert.deepStrictEqual(spans, [])
    }))
})
