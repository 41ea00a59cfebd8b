import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import * as NetworkPermits from "../src/sign-in/NetworkPermits.ts"

describe("permits by network", () => {
  it.effect("go to a network up to its bound, and to all up to theirs, and come back however the work ends", () =>
    Effect.gen(function*() {
      const permitted = NetworkPermits.make(3, 2)
      const gate = yield* Deferred.make<void>()
      const runs: Array<string> = []
      const enter = (network: string) =>
        Effect.forkChild(
          permitted(network, Effect.andThen(Effect.sync(() => runs.push(network)), Deferred.await(gate))),
          { startImmediately: true }
        )
      const refused = (network: string) => Effect.map(permitted(network, Effect.void), Option.isNone)
      const first = yield* enter("a")
      const second = yield* enter("a")
      assert.isTrue(yield* refused("a"))
      assert.isFalse(yield* refused("b"))
      const third = yield* enter("b")
      assert.isTrue(yield* refused("c"))
      assert.deepStrictEqual(runs, ["a", "a", "b"])
      yield* Fiber.interrupt(first)
      assert.isFalse(yield* refused("a"))
      yield* Effect.flip(permitted("a", Effect.fail("a fault")))
      assert.isFalse(yield* refused("c"))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(second)
      yield* Fiber.join(third)
      for (const network of ["c", "d", "e"]) assert.isFalse(yield* refused(network))
    }))
})
