/** Statements that are sent together. */
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlError } from "effect/sql"
import { test } from "../../../../test/support/Tests.ts"
import { together } from "../../src/connections/Pipeline.ts"

const refusal = (message: string) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: message, message, operation: "test" }) })

/** Statements that are answered when the test says so. */
const statementsOnDemand = Effect.map(
  Effect.replicateEffect(Deferred.make<string, SqlError.SqlError>(), 3),
  (answers) => {
    const sends: Array<number> = []
    const interruptions: Array<number> = []
    const statements = answers.map((answer, at) =>
      Effect.suspend(() => {
        sends.push(at)
        return Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => interruptions.push(at)))
      })
    )
    return { answers, interruptions, sends, statements }
  }
)

describe("statements that are sent together", () => {
  test("are sent in their order before any is answered, and answered in their order", function*() {
    const { answers, sends, statements } = yield* statementsOnDemand
    const fiber = yield* Effect.forkChild(together(statements), { startImmediately: true })
    assert.deepStrictEqual(sends, [0, 1, 2])
    for (const [at, answer] of Array.from(answers.entries()).toReversed()) {
      yield* Deferred.succeed(answer, `${at}`)
    }
    assert.deepStrictEqual(yield* Fiber.join(fiber), ["0", "1", "2"])
  })

  test("fail as the first that fails, once all are answered", function*() {
    const { answers: [first, second, third], statements } = yield* statementsOnDemand
    const fiber = yield* Effect.forkChild(Effect.exit(together(statements)), { startImmediately: true })
    yield* Deferred.fail(third!, refusal("the third"))
    yield* Deferred.fail(second!, refusal("the second"))
    yield* Effect.yieldNow
    assert.isUndefined(fiber.pollUnsafe())
    yield* Deferred.succeed(first!, "")
    assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.fail(refusal("the second")))
  })

  test("are all given up by an interruption", function*() {
    const { interruptions, statements } = yield* statementsOnDemand
    const fiber = yield* Effect.forkChild(together(statements), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(interruptions.toSorted(), [0, 1, 2])
  })

  test("may be none", function*() {
    assert.deepStrictEqual(yield* together([]), [])
  })
})
