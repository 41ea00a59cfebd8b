/** When rounds of dropping begin, and what is told of them (D7.4). */
import { assert, describe } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { test } from "../../../../test/support/Tests.ts"
import * as Cleanup from "../../src/stores/Cleanup.ts"

/** Rows under keys, of which some are held, and looks that can be made to fail. */
const world = (rows: Map<string, number>) => {
  const state = { rows, held: new Set<string>(), fails: false, dies: false, looks: 0, batches: 0 }
  const expired: Cleanup.Expired<string, Error> = {
    since: Effect.succeed(""),
    look: () =>
      Effect.suspend(() => {
        state.looks++
        if (state.dies) return Effect.die(new Error("a defect"))
        if (state.fails) return Effect.fail(new Error("away"))
        return Effect.succeed(Array.from(rows).filter(([, count]) => count > 0).map(([key]) => key))
      }),
    drop: (key, after) =>
      Effect.sync(() => {
        state.batches++
        if (state.held.has(key)) return "held" as const
        const count = Math.min(10, rows.get(key)!)
        rows.set(key, rows.get(key)! - count)
        return { count, next: count < 10 ? null : after + count }
      })
  }
  return { state, expired }
}

const waits = Metric.gauge("dockline_storage_expired_seconds", {
  description:
    "The longest time for which expired rows may have waited for their deletion: since none was left",
  attributes: { kind: "messages" }
})

const secondsOf = Effect.map(Metric.value(waits), ({ value }) => value)

describe("a round", () => {
  test("goes on until a look finds nothing, whatever comes meanwhile", function*() {
    const { expired, state } = world(new Map([["a", 25], ["b", 3]]))
    let late = 4
    const drop: typeof expired.drop = (key, after, since) => {
      if (late-- > 0) state.rows.set("c", (state.rows.get("c") ?? 0) + 1)
      return expired.drop(key, after, since)
    }
    assert.deepStrictEqual(yield* Cleanup.round({ ...expired, drop }), { count: 32, isDone: true })
    assert.deepStrictEqual(Array.from(state.rows.values()), [0, 0, 0])
  })

  test("drops all but what is held, and says that something is left", function*() {
    const { expired, state } = world(new Map([["a", 25], ["b", 25], ["c", 25]]))
    state.held.add("b")
    assert.deepStrictEqual(yield* Cleanup.round(expired), { count: 50, isDone: false })
    state.held.clear()
    assert.deepStrictEqual(yield* Cleanup.round(expired), { count: 25, isDone: true })
  })

  test("does not take a batch that dropped nothing for the end, nor try it for ever", function*() {
    const { expired } = world(new Map([["a", 1]]))
    const none = { ...expired, drop: () => Effect.succeed({ count: 0, next: null }) }
    assert.deepStrictEqual(yield* Cleanup.round(none), { count: 0, isDone: false })
  })
})

describe("rounds", () => {
  test("come an hour after one that left nothing, and within half a minute of one that left something or failed", function*() {
    const { expired, state } = world(new Map([["a", 25]]))
    yield* Cleanup.run("messages", expired)
    yield* TestClock.adjust(0)
    assert.strictEqual(state.rows.get("a"), 0)
    const looks = state.looks
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual(state.looks, looks)
    assert.strictEqual(yield* secondsOf, 59 * 60)

    state.rows.set("a", 5)
    state.held.add("a")
    yield* TestClock.adjust("1 minute")
    assert.isAbove(state.looks, looks)
    yield* TestClock.adjust("10 minutes")
    const batches = state.batches
    // No more than one look each half minute, and no less.
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(state.batches - batches, 20)
    state.held.clear()
    yield* TestClock.adjust(Cleanup.longestPause)
    assert.strictEqual(state.rows.get("a"), 0)
    assert.isAtMost(yield* secondsOf, 30)

    for (const fault of ["fails", "dies"] as const) {
      state[fault] = true
      yield* TestClock.adjust("2 hours")
      assert.isAtLeast(yield* secondsOf, 7200)
      state[fault] = false
      state.rows.set("a", 5)
      yield* TestClock.adjust(Cleanup.longestPause)
      assert.strictEqual(state.rows.get("a"), 0, fault)
      assert.isAtMost(yield* secondsOf, 30)
    }
  })
})
