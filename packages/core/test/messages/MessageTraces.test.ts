/**
 * What following the log leaves in traces.
 */
import * as Memory from "@dockline/core/memory/Memory"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Directory } from "@dockline/core/places/Place"
import { aDraft, everythingOf } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Tracer } from "effect"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

describe("a message that was traced", () => {
  it.live("is one span of its trace where it is passed on, whatever the number of followers; reading makes none", () => {
    const spans: Array<Tracer.Span> = []
    const creation = Latch.makeUnsafe(false)
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        creation.openUnsafe()
        return span
      }
    })
    const inTrace = Effect.withParentSpan(Tracer.externalSpan({ traceId, spanId, sampled: true }))
    const program = Effect.gen(function*() {
      const log = yield* MessageLog
      const directory = yield* Directory
      const facilities = [{ slug: "east", name: "East", docks: [] }]
      yield* directory.put([{ slug: "acme", name: "Acme", fieldMap: [], facilities }])
      const options = { afterId: undefined, buffer: 100 }
      yield* Effect.forEach([1, 2, 3], () => log.follow(everythingOf("acme"), options))
      yield* log.append([aDraft("acme", 1)])
      for (const n of [2, 3]) {
        yield* inTrace(log.append([aDraft("acme", n)]))
        yield* creation.await
        creation.closeUnsafe()
      }
    })
    return program.pipe(
      Effect.scoped,
      Effect.provide(Memory.layer),
      Effect.withTracer(tracer),
      Effect.andThen(Effect.sync(() => {
        assert.deepStrictEqual(spans.map(({ kind, name, traceId }) => [name, kind, traceId]), [
          ["publish PALLET_EVENT", "consumer", traceId],
          ["publish PALLET_EVENT", "consumer", traceId]
        ])
        assert.deepStrictEqual(spans.map(({ attributes }) => attributes.get("dockline.message.id")), [2, 3])
      }))
    )
  })
})
