/** How many requests a client may send (D10.5). */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as RateLimits from "../../src/tokens/RateLimits.ts"

const limiter = (perMinute: number, clientCapacity = 100) =>
  Effect.provide(RateLimits.layer({ perMinute, clientCapacity }))

const take = (clientId: string) => Effect.flatMap(RequestLimits, (limits) => limits.count(clientId))

const refusal = (clientId: string) => Effect.flip(take(clientId))

describe("D10.5 requests of a client", () => {
  it.effect("are 6,000 a minute unless set", () =>
    Effect.gen(function*() {
      const first = yield* take("acme-client")
      assert.deepStrictEqual(first, { limit: 6000, windowSeconds: 60, remaining: 5999, resetSeconds: 60 })
    }).pipe(Effect.provide(RateLimits.layer())))

  it.effect("are refused beyond the limit until the minute is over, and say when that is", () =>
    Effect.gen(function*() {
      for (const remaining of [2, 1, 0]) assert.strictEqual((yield* take("a"))?.remaining, remaining)
      yield* TestClock.adjust("17500 millis")
      const { limit, windowSeconds, retryAfterSeconds } = yield* refusal("a")
      assert.deepStrictEqual([limit, windowSeconds, retryAfterSeconds], [3, 60, 43])
      yield* TestClock.adjust("42499 millis")
      assert.strictEqual((yield* refusal("a")).retryAfterSeconds, 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* take("a"), {
        limit: 3,
        windowSeconds: 60,
        remaining: 2,
        resetSeconds: 60
      })
    }).pipe(limiter(3)))

  it.effect("that were refused do not put off the next that is taken", () =>
    Effect.gen(function*() {
      yield* take("a")
      yield* Effect.repeat(refusal("a"), { times: 100 })
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* take("a"))?.remaining, 0)
    }).pipe(limiter(1)))

  it.effect("are without a limit with 0", () =>
    Effect.gen(function*() {
      for (let count = 0; count < 100; count++) assert.isUndefined(yield* take("a"))
    }).pipe(limiter(0)))

  it.effect("are counted for no more clients at once than the capacity", () =>
    Effect.gen(function*() {
      for (const client of ["a", "b", "c"]) yield* take(client)
      assert.strictEqual((yield* take("a"))?.remaining, 0)
      yield* refusal("c")
    }).pipe(limiter(1, 2)))
})
