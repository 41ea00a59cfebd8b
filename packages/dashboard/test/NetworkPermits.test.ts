import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { networkPermits } from "../src/sign-in/ProviderRoutes.ts"

describe("permits by network", () => {
  it.effect("go to a network up to its bound, and to all up to theirs, and come back however the work ends", () =>
    Effect.gen(function*() {
      const permits = networkPermits(3, 2)
      const gate = yield* Deferred.make<void>()
      const runs: Array<string> = []
      const enter = (network: string) =>
        Effect.forkChild(
          permits(network, Effect.andThen(Effect.sync(() => runs.push(network)), Deferred.await(gate))),
          { startImmediately: true }
        )
      const isRefused = (network: string) => Effect.map(permits(network, Effect.void), Option.isNone)
      const first = yield* enter("a")
      const second = yield* enter("a")
      assert.isTrue(yield* isRefused("a"))
      assert.isFalse(yield* isRefused("b"))
      const third = yield* enter("b")
      assert.isTrue(yield* isRefused("c"))
      assert.deepStrictEqual(runs, ["a", "a", "b"])
      yield* Fiber.interrupt(first)
      assert.isFalse(yield* isRefused("a"))
      yield* Effect.flip(permits("a", Effect.fail("a fault")))
      assert.isFalse(yield* isRefused("c"))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(second)
      yield* Fiber.join(third)
      for (const network of ["c", "d", "e"]) assert.isFalse(yield* isRefused(network))
    }))
})
