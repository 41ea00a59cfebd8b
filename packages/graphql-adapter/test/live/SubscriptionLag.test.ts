/** How far subscriptions are behind, as series: the worst of a client's, bounded in number, and gone with them. */
import { fromMillis } from "@dockline/core/values/Timestamp"
import { makeLag, pairLimit } from "@dockline/graphql-adapter/live/Subscriptions"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Metric } from "effect"
import { TestClock } from "effect/testing"

/** Subscriptions in a registry of their own, and what is read of them. */
const make = Effect.gen(function*() {
  yield* TestClock.setTime(100_000)
  const context = Context.make(Metric.MetricRegistry, new Map()).pipe(
    Context.add(Clock.Clock, yield* Clock.Clock)
  )
  const valuesOf = (name: string): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Metric.snapshotUnsafe(context).filter(({ id }) => id === name).map(({ attributes, state }) => [
        Object.values(attributes ?? {}).join(" "),
        (state as { readonly value: number }).value
      ])
    )
  return {
    add: makeLag(context),
    seconds: () => valuesOf("dockline_subscription_lag_seconds"),
    waiting: () => valuesOf("dockline_subscription_waiting_messages")
  }
})

const backlog = (behindMillis: number | undefined, waiting = 0) => ({
  behindSince: () => behindMillis === undefined ? undefined : fromMillis(100_000 - behindMillis),
  waiting: () => waiting
})

describe("the lag of subscriptions", () => {
  it.effect("is that of the one that is furthest behind, for each client at each business", () =>
    Effect.gen(function*() {
      const { add, seconds, waiting } = yield* make
      add("acme", "one", backlog(7000, 1))
      add("acme", "one", backlog(3000, 9))
      add("acme", "two", backlog(undefined))
      add("globex", "one", backlog(1000))
      assert.deepStrictEqual(seconds(), { "acme one": 7, "acme two": 0, "globex one": 1 })
      assert.deepStrictEqual(waiting(), { "acme one": 9, "acme two": 0, "globex one": 0 })
    }))

  it.effect("grows with time, and is never below 0, whatever the clocks say", () =>
    Effect.gen(function*() {
      const { add, seconds } = yield* make
      add("acme", "one", backlog(1000))
      add("acme", "ahead", backlog(-5000))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(seconds(), { "acme one": 3, "acme ahead": 0 })
    }))

  it.effect("is gone with the last subscription of the client, and there again with the next", () =>
    Effect.gen(function*() {
      const { add, seconds } = yield* make
      const [first, second] = [
        add("acme", "one", backlog(1000)),
        add("acme", "one", backlog(2000))
      ]
      second()
      assert.deepStrictEqual(seconds(), { "acme one": 1 })
      first()
      assert.deepStrictEqual(seconds(), {})
      add("acme", "one", backlog(4000))
      // Ended once more, it ends nothing of others.
      first()
      add("acme", "one", backlog(3000))
      assert.deepStrictEqual(seconds(), { "acme one": 4 })
    }))

  it.effect("has a bounded number of series: clients that come late share one", () =>
    Effect.gen(function*() {
      const { add, seconds } = yield* make
      const ends = Array.from(
        { length: pairLimit + 50 },
        (_, n) => add("acme", `client-${n}`, backlog(n))
      )
      assert.strictEqual(Object.keys(seconds()).length, pairLimit + 1)
      assert.strictEqual(seconds()["other other"], (pairLimit + 49) / 1000)
      for (const end of ends) end()
      assert.deepStrictEqual(seconds(), {})
    }))
})
