/** Jobs of the exchange that wait at the same time share the next batch, and none fails because of another. */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { test } from "../../../../test/support/Tests.ts"
import { makeTurns } from "../../src/storage/EdiSteps.ts"

/** Turns that record their batches, and whose first batch waits until the test releases it. */
const make = Effect.gen(function*() {
  const go = yield* Deferred.make<void>()
  const late = yield* Deferred.make<never, string>()
  const lateAnswers: Array<readonly [key: string, given: number | string, answer: number]> = []
  const rounds: Array<readonly [key: string, ...given: ReadonlyArray<number | string>]> = []
  const inTurn = yield* makeTurns<number | string, number, string>({
    run: (key, jobs) =>
      Effect.gen(function*() {
        rounds.push([key, ...jobs])
        if (rounds.length === 1) yield* Deferred.await(go)
        return yield* Effect.forEach(jobs, (each) =>
          typeof each === "number"
            ? Effect.succeed(each * 10)
            : each === "away"
            ? Effect.fail(each)
            : Effect.die(each))
      }),
    inTime: (wait) => Effect.raceFirst(wait, Deferred.await(late)),
    onLate: (key, job, answer) => Effect.sync(() => lateAnswers.push([key, job, answer]))
  })
  /** The answers to a first job, and to others that come while it runs. */
  const meanwhile = Effect.fnUntraced(function*(first: number, ...others: ReadonlyArray<number | string>) {
    const fibers = yield* Effect.forEach(
      [first, ...others],
      (each) => Effect.tap(Effect.forkChild(inTurn("acme", each)), () => Effect.yieldNow)
    )
    yield* Deferred.succeed(go, undefined)
    return yield* Effect.forEach(fibers, (fiber) => Effect.exit(Fiber.join(fiber)))
  })
  return { go, inTurn, late, meanwhile, rounds, undone: lateAnswers }
})

test.live("what comes meanwhile shares the next turn, in its order", function*() {
  const { inTurn, meanwhile, rounds } = yield* make
  assert.deepStrictEqual(yield* meanwhile(0, 1, 2, 3), [0, 10, 20, 30].map((each) => Exit.succeed(each)))
  assert.strictEqual(yield* inTurn("globex", 4), 40)
  assert.deepStrictEqual(rounds, [["acme", 0], ["acme", 1, 2, 3], ["globex", 4]])
})

test.live("where one breaks the transaction of several, each is done by itself", function*() {
  const { meanwhile, rounds } = yield* make
  assert.deepStrictEqual(yield* meanwhile(0, 1, "broken", 3), [
    Exit.succeed(0),
    Exit.succeed(10),
    Exit.die("broken"),
    Exit.succeed(30)
  ])
  assert.deepStrictEqual(rounds.slice(2), [["acme", 1], ["acme", "broken"], ["acme", 3]])
})

test.live("where the database is away, all of a turn fail at once", function*() {
  const { meanwhile, rounds } = yield* make
  assert.deepStrictEqual(yield* meanwhile(0, 1, "away", 3), [
    Exit.succeed(0),
    ...Array.from({ length: 3 }, () => Exit.fail("away"))
  ])
  assert.strictEqual(rounds.length, 2)
})

test.live(
  "a wait fails at its deadline: its work is not begun later, or undone if it was begun",
  function*() {
    const { go, inTurn, late, rounds, undone } = yield* make
    const fibers = yield* Effect.forEach(
      [1, 2],
      (each) => Effect.tap(Effect.forkChild(inTurn("acme", each)), () => Effect.yieldNow)
    )
    yield* Deferred.fail(late, "late")
    const exits = yield* Effect.forEach(fibers, (fiber) => Effect.exit(Fiber.join(fiber)))
    assert.deepStrictEqual(exits, [Exit.fail("late"), Exit.fail("late")])
    yield* Deferred.succeed(go, undefined)
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual(rounds, [["acme", 1]])
    assert.deepStrictEqual(undone, [["acme", 1, 10]])
  }
)

test.live(
  "where nobody waits any longer, work is not begun, or undone if it was begun",
  function*() {
    const { go, inTurn, rounds, undone } = yield* make
    const fibers = yield* Effect.forEach(
      [1, 2],
      (each) => Effect.tap(Effect.forkChild(inTurn("acme", each)), () => Effect.yieldNow)
    )
    yield* Fiber.interruptAll(fibers)
    yield* Deferred.succeed(go, undefined)
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual(rounds, [["acme", 1]])
    assert.deepStrictEqual(undone, [["acme", 1, 10]])
    // A job whose caller goes away after the answer, but before it gets the answer, is undone too.
    const fiber = yield* Effect.forkChild(inTurn("globex", 3), { startImmediately: true })
    for (let turn = 0; turn < 20 && rounds.length < 2; turn++) yield* Effect.yieldNow
    yield* Fiber.interrupt(fiber)
    const isUndone = undone.length === 2
    assert.strictEqual(isUndone, Exit.isFailure(yield* Fiber.await(fiber)))
  }
)
