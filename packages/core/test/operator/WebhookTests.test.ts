/** Tests of endpoints that are interrupted anywhere. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Scheduler } from "effect"
import { oneAtATime } from "../../src/operator/WebhookTests.ts"

it.live("an endpoint can be tested again, wherever its test was interrupted", () =>
  Effect.gen(function*() {
    // A fiber yields after so many operations, each time at another one, and is interrupted there.
    for (let operations = 4; operations <= 20; operations++) {
      const alone = oneAtATime()
      const test = Effect.andThen(Effect.void, alone({ id: 1 }, Effect.never))
      const fiber = Effect.runFork(Effect.provideService(test, Scheduler.MaxOpsBeforeYield, operations))
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* alone({ id: 1 }, Effect.succeed("tested")), "tested", String(operations))
    }
  }))
