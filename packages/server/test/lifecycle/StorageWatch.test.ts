/** D15.4: operators are told of a storage that stays away. */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Readiness } from "@dockline/core/values/Metrics"
import { OperatorEvents } from "@dockline/webhook-adapter/OperatorEvents"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ServerDatabase from "../../src/lifecycle/ServerDatabase.ts"

const away = Effect.fail(new StorageUnavailable({ cause: new Error("connection refused") }))

/** Watches a storage that is as `state` says; gives the types of the events so far. */
const watching = Effect.fnUntraced(function*(state: { ready: typeof Readiness.Service }) {
  const events: Array<string> = []
  yield* Layer.build(ServerDatabase.watchLayer.pipe(
    Layer.provide(Layer.succeed(OperatorEvents, { tell: ({ type }) => void events.push(type) })),
    Layer.provide(Layer.succeed(Readiness, Effect.suspend(() => state.ready)))
  ))
  return events
})

describe("the watch over the storage", () => {
  it.effect("says nothing while it can be reached, nor where it is away for a moment", () =>
    Effect.gen(function*() {
      const state = { ready: Effect.succeed([]) as typeof Readiness.Service }
      const events = yield* watching(state)
      yield* TestClock.adjust("1 minute")
      for (let n = 0; n < 5; n++) {
        state.ready = away
        yield* TestClock.adjust(ServerDatabase.lookMillis)
        state.ready = Effect.succeed([])
        yield* TestClock.adjust(ServerDatabase.lookMillis)
      }
      assert.deepStrictEqual(events, [])
    }))

  it.effect("says so at the second failure in a row", () =>
    Effect.gen(function*() {
      const events = yield* watching({ ready: away })
      yield* TestClock.adjust(ServerDatabase.lookMillis - 1)
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(events, ["storage.unavailable"])
    }))

  it.effect("counts a look without an end as a failure", () =>
    Effect.gen(function*() {
      const events = yield* watching({ ready: Effect.never })
      yield* TestClock.adjust("25 seconds")
      assert.deepStrictEqual(events, ["storage.unavailable"])
    }))
})
