/** What works off the log for capabilities: turns, failures and wake-ups. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Backlog from "../../src/messages/Backlog.ts"

/** A backlog of numbers, of which `work` says whether it fails. */
const aBacklog = (numbers: () => ReadonlyArray<number>, fails: (entry: number) => boolean) => {
  const turns: Array<number> = []
  const counts: Array<number> = []
  return {
    turns,
    counts,
    backlog: {
      behind: (limit: number, after = -1) =>
        Effect.sync(() => numbers().filter((entry) => entry > after).slice(0, limit)),
      keyOf: String,
      work: (entry: number) =>
        Effect.suspend(() => {
          turns.push(entry)
          return fails(entry) ? Effect.fail("away") : Effect.void
        }),
      failureOf: (entry: number) => `Work ${entry} failed`,
      atOnce: 4,
      note: (count: number) => Effect.sync(() => void counts.push(count))
    }
  }
}

describe("a round", () => {
  it.effect("gives each entry its turn once, however many there are", () =>
    Effect.gen(function*() {
      const all = Array.from({ length: 250 }, (_, index) => index)
      const { backlog, counts, turns } = aBacklog(() => all, () => false)
      assert.isFalse(yield* Backlog.makeRound(backlog))
      assert.deepStrictEqual(turns.toSorted((one, other) => one - other), all)
      assert.deepStrictEqual(counts, [250])
    }))

  it.effect("is done where nothing is behind", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* Backlog.makeRound(aBacklog(() => [], () => false).backlog))
    }))

  it.effect("tries what fails again later each time, at most every five minutes, and delays no other", () =>
    Effect.gen(function*() {
      let isAway = true
      const { backlog, turns } = aBacklog(() => [1, 2], (entry) => entry === 1 && isAway)
      const round = Backlog.makeRound(backlog)
      const pauses: Array<number> = []
      for (let before = 0, now = 0; pauses.length < 11; now += 500) {
        turns.length = 0
        assert.isFalse(yield* round)
        assert.include(turns, 2)
        if (turns.includes(1)) {
          pauses.push(now - before)
          before = now
        }
        yield* TestClock.adjust(500)
      }
      assert.deepStrictEqual(
        pauses,
        [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1000)
      )
      isAway = false
      yield* TestClock.adjust(300_000)
      yield* round
      turns.length = 0
      isAway = true
      yield* round
      yield* TestClock.adjust(1000)
      yield* round
      // What succeeded begins anew with a second.
      assert.lengthOf(turns.filter((entry) => entry === 1), 2)
    }))

  it.effect("is done while all that is behind waits to be tried again", () =>
    Effect.gen(function*() {
      const round = Backlog.makeRound(aBacklog(() => [1], () => true).backlog)
      assert.isFalse(yield* round)
      assert.isTrue(yield* round)
    }))
})

describe("rounds", () => {
  it.effect("are made at a wake-up and each five seconds, also after one that failed, until the scope ends", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      let rounds = 0
      let wake = (): void => {}
      let isAway = false
      const round = Effect.suspend(() => {
        rounds++
        return isAway ? Effect.fail("away") : Effect.succeed(true)
      })
      const watch = (call: () => void) => Effect.sync(() => void (wake = call))
      yield* Scope.provide(Backlog.run(round, { watch, failure: "Rounds failed" }), scope)
      const after = (millis: number) => Effect.map(TestClock.adjust(millis), () => rounds)
      assert.strictEqual(yield* after(0), 1)
      assert.strictEqual(yield* after(5999), 1)
      assert.strictEqual(yield* after(1), 2)
      yield* after(1000)
      wake()
      assert.strictEqual(yield* after(0), 3)
      isAway = true
      assert.strictEqual(yield* after(6000), 4)
      assert.strictEqual(yield* after(1000), 5)
      isAway = false
      assert.strictEqual(yield* after(1000), 6)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* after(60_000), 6)
    }))

  it.effect("go on at once where messages came while one was made", () =>
    Effect.gen(function*() {
      const start = yield* Deferred.make<void>()
      const rest = yield* Deferred.make<void>()
      let rounds = 0
      let wake = (): void => {}
      const round = Effect.gen(function*() {
        rounds++
        yield* Deferred.succeed(start, undefined)
        yield* Deferred.await(rest)
        return true
      })
      yield* Backlog.run(round, {
        watch: (call) => Effect.sync(() => void (wake = call)),
        failure: "Rounds failed"
      })
      yield* Deferred.await(start)
      wake()
      yield* Deferred.succeed(rest, undefined)
      yield* TestClock.adjust(1000)
      assert.strictEqual(rounds, 2)
    }).pipe(Effect.scoped))
})
