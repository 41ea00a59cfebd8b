/** Steps of the exchange that wait for their business share a transaction, and none fails for another. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as EdiTurns from "../../src/stores/edi/EdiTurns.ts"

/** Turns whose transactions are counted, and whose first one waits to be let go. */
const make = Effect.gen(function*() {
  const go = yield* Deferred.make<void>()
  const begun: Array<string> = []
  const late = yield* Deferred.make<never, string>()
  const inTurn = yield* EdiTurns.make<string, string>(
    (business, steps) =>
      Effect.suspend(() => {
        begun.push(business)
        const done = Effect.catch(steps, (error) => error === "away" ? Effect.fail(error) : Effect.die(error))
        return begun.length === 1 ? Effect.andThen(Deferred.await(go), done) : done
      }),
    (wait) => Effect.raceFirst(wait, Deferred.await(late))
  )
  return { begun, go, inTurn, late }
})

it.live("steps that come meanwhile share the next transaction, in their order", () =>
  Effect.gen(function*() {
    const { begun, go, inTurn } = yield* make
    const done: Array<number> = []
    const step = (number: number) =>
      Effect.sync(() => {
        done.push(number)
        return number === 2 ? Exit.fail("refused") : Exit.succeed(number)
      })
    const fibers = yield* Effect.forEach([0, 1, 2, 3], (number) =>
      Effect.tap(Effect.forkChild(inTurn("acme", step(number))), () => Effect.yieldNow))
    yield* Deferred.succeed(go, undefined)
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(exits, [Exit.succeed(0), Exit.succeed(1), Exit.fail("refused"), Exit.succeed(3)])
    assert.deepStrictEqual(done, [0, 1, 2, 3])
    assert.deepStrictEqual(begun, ["acme", "acme"])
    assert.deepStrictEqual(yield* inTurn("globex", step(4)), Exit.succeed(4))
  }).pipe(Effect.scoped))

it.live("where a step breaks the transaction of several, each is done by itself", () =>
  Effect.gen(function*() {
    const { go, inTurn } = yield* make
    const steps = [Effect.succeed(Exit.succeed(0)), Effect.fail("broken"), Effect.succeed(Exit.succeed(2))]
    const first = yield* Effect.forkChild(inTurn("acme", Effect.succeed(Exit.succeed(-1))))
    yield* Effect.yieldNow
    const fibers = yield* Effect.forEach(
      steps,
      (step) => Effect.tap(Effect.forkChild(inTurn("acme", step)), () => Effect.yieldNow)
    )
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(first)
    const exits = yield* Effect.forEach(fibers, (fiber) => Effect.exit(Fiber.join(fiber)))
    assert.deepStrictEqual(exits, [
      Exit.succeed(Exit.succeed(0)),
      Exit.die("broken"),
      Exit.succeed(Exit.succeed(2))
    ])
  }).pipe(Effect.scoped))

it.live("where the database is away, all steps of a transaction fail at once", () =>
  Effect.gen(function*() {
    const { begun, go, inTurn } = yield* make
    const first = yield* Effect.forkChild(inTurn("acme", Effect.succeed(Exit.succeed(0))))
    yield* Effect.yieldNow
    const fibers = yield* Effect.forEach(
      [Effect.succeed(Exit.succeed(1)), Effect.fail("away"), Effect.succeed(Exit.succeed(3))],
      (step) => Effect.tap(Effect.forkChild(inTurn("acme", step)), () => Effect.yieldNow)
    )
    yield* Deferred.succeed(go, undefined)
    assert.deepStrictEqual(yield* Fiber.join(first), Exit.succeed(0))
    const exits = yield* Effect.forEach(fibers, (fiber) => Effect.exit(Fiber.join(fiber)))
    assert.deepStrictEqual(exits, Array.from({ length: 3 }, () => Exit.fail("away")))
    assert.deepStrictEqual(begun, ["acme", "acme"])
  }).pipe(Effect.scoped))

it.live("a step fails at its deadline, and is not begun later", () =>
  Effect.gen(function*() {
    const { begun, go, inTurn, late } = yield* make
    let done = 0
    const ended = yield* Deferred.make<void>()
    const step = Effect.andThen(Deferred.succeed(ended, undefined), Effect.sync(() => Exit.succeed(++done)))
    const fibers = yield* Effect.forEach([1, 2], () =>
      Effect.tap(Effect.forkChild(inTurn("acme", step)), () => Effect.yieldNow))
    yield* Deferred.fail(late, "late")
    const exits = yield* Effect.forEach(fibers, (fiber) =>
      Effect.exit(Fiber.join(fiber)))
    assert.deepStrictEqual(exits, [Exit.fail("late"), Exit.fail("late")])
    yield* Deferred.succeed(go, undefined)
    yield* Deferred.await(ended)
    for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual([done, begun], [1, ["acme"]])
  }).pipe(Effect.scoped))
