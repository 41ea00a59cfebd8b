/** What holds for answers kept by idempotency key, whatever they are stored in (D5.2). */
import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { IdempotencyStore, retentionMillis } from "../../access/IdempotencyStore.ts"
import type { FirstAnswer, IdempotentRequest } from "../../access/IdempotencyStore.ts"
import * as assert from "../Assert.ts"
import { orderOf } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"
import { unique } from "../Unique.ts"
import { aWorld, itemsOf } from "../worlds/IntakeWorld.ts"
import type { IntakeStores } from "../worlds/IntakeWorld.ts"
import { at } from "../worlds/MessageLogWorld.ts"

/** The port that the suite is about, and those it needs: what is answered goes with what is written. */
export type IdempotencyStores = IdempotencyStore | IntakeStores

type AddTest = <A, E>(title: string, program: Effect.Effect<A, E, IdempotencyStores>) => void

/** Runs a request, unless an answer is kept for it. */
const once = Effect.fnUntraced(
  function*<E, R>(request: IdempotentRequest, first: Effect.Effect<FirstAnswer, E, R>) {
    const store = yield* IdempotencyStore
    return yield* store.once(request, first)
  }
)

/** A client of its own with its requests, and runs that have each an answer of its own and are counted. */
const aClient = Effect.sync(() => {
  const clientId = unique("client")
  let count = 0
  return {
    clientId,
    request: (fields: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
      clientId,
      key: "key",
      fingerprint: "body",
      ...fields
    }),
    count: () => count,
    first: (keep = true): Effect.Effect<FirstAnswer> =>
      Effect.sync(() => ({ answer: `answer ${++count}`, keep }))
  }
})

/** Where and how a repeat is recognised. */
const keeping = (test: AddTest): void => {
  test(
    "the same key with the same body returns the first answer, and runs it once",
    Effect.gen(function*() {
      const { count, first, request } = yield* aClient
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: true })
      assert.strictEqual(count(), 1)
    })
  )

  test(
    "an answer is kept for 24 hours, to the millisecond",
    Effect.gen(function*() {
      const { first, request } = yield* aClient
      // Today, so that a storage which drops old answers by itself leaves them.
      const start = Date.now()
      assert.strictEqual(retentionMillis, 86_400_000)
      yield* at(start)(once(request(), first()))
      const onceAt = (millis: number) => at(start + millis)(once(request(), first()))
      assert.deepStrictEqual(yield* onceAt(retentionMillis - 1), { answer: "answer 1", replayed: true })
      assert.deepStrictEqual(yield* onceAt(retentionMillis), { answer: "answer 2", replayed: false })
      assert.deepStrictEqual(yield* onceAt(retentionMillis + 1), { answer: "answer 2", replayed: true })
    })
  )

  test(
    "with another body it is IDEMPOTENCY_KEY_REUSED, until the 24 hours are over",
    Effect.gen(function*() {
      const { count, first, request } = yield* aClient
      const start = Date.now()
      yield* at(start)(once(request(), first()))
      const other = once(request({ fingerprint: "other" }), first())
      const error = yield* Effect.flip(at(start + retentionMillis - 1)(other))
      assert.strictEqual(error._tag === "IdempotencyKeyReused" && error.code, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual(count(), 1)
      assert.strictEqual((yield* at(start + retentionMillis)(other)).answer, "answer 2")
    })
  )

  test(
    "keys belong to a client, are compared exactly, and none runs into another",
    Effect.gen(function*() {
      const { clientId, first, request } = yield* aClient
      const ids = ["a", "a,b", "a\",\"b", "A", "a ", "é", "e\u0301"]
      const requests = ids.flatMap((client) =>
        ["", ...ids].map((key) => request({ clientId: `${clientId}${client}`, key }))
      )
      const answers = yield* Effect.forEach(requests, (each) => once(each, first()))
      assert.deepStrictEqual(answers.filter(({ replayed }) => replayed), [])
      const again = yield* Effect.forEach(requests, (each) => once(each, first()))
      assert.deepStrictEqual(again, answers.map(({ answer }) => ({ answer, replayed: true })))
    })
  )

  test(
    "an answer is kept as it is, and one that is not to be kept is not",
    Effect.gen(function*() {
      const { first, request } = yield* aClient
      assert.deepStrictEqual(yield* once(request(), first(false)), { answer: "answer 1", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 2", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first(false)), { answer: "answer 2", replayed: true })
      const answer = `{"a":1,"b":"\u0001\u2028\u{1F69A}\\u0000 '"}${"x".repeat(100_000)}`
      const long = request({ key: "long" })
      yield* once(long, Effect.succeed({ answer, keep: true }))
      assert.strictEqual((yield* once(long, first())).answer, answer)
    })
  )
}

/** What happens while a request runs, and how it may end. */
const running = (test: AddTest): void => {
  test(
    "while the first runs a repeat is IDEMPOTENCY_KEY_IN_USE, and gets its answer afterwards; other keys do not wait",
    Effect.gen(function*() {
      const { first, request } = yield* aClient
      const [started, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.andThen(
        Deferred.succeed(started, undefined),
        Effect.andThen(Deferred.await(gate), first())
      )
      const running = yield* Effect.forkChild(once(request(), slow))
      // A storage that takes it for a repeat never starts it.
      yield* Effect.raceFirst(Deferred.await(started), Fiber.await(running))
      for (const fingerprint of ["body", "other"]) {
        const error = yield* Effect.flip(once(request({ fingerprint }), first()))
        assert.strictEqual(error._tag === "IdempotencyKeyInUse" && error.code, "IDEMPOTENCY_KEY_IN_USE")
      }
      assert.strictEqual((yield* once(request({ key: "other" }), first())).answer, "answer 1")
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(running), { answer: "answer 2", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 2", replayed: true })
    })
  )

  for (
    const [how, ending] of [
      ["is refused", Effect.fail("refused" as const)],
      ["breaks", Effect.die(new Error("broken"))],
      ["is interrupted", Effect.interrupt]
    ] as const
  ) {
    test(
      `a first that ${how} comes out so, and frees the key`,
      Effect.gen(function*() {
        const { first, request } = yield* aClient
        const exit = yield* Effect.exit(once(request(), ending))
        assert.deepStrictEqual(Exit.isFailure(exit) && exit.cause.reasons.map(({ _tag }) => _tag), [
          how === "is refused" ? "Fail" : how === "breaks" ? "Die" : "Interrupt"
        ])
        assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: false })
      })
    )
  }

  test(
    "of many at once exactly one runs, and nobody gets another answer",
    Effect.gen(function*() {
      const { count, first, request } = yield* aClient
      const attempt = Effect.result(once(request(), Effect.andThen(Effect.yieldNow, first())))
      const attempts = yield* Effect.all(Array.from({ length: 20 }, () => attempt), {
        concurrency: "unbounded"
      })
      assert.strictEqual(count(), 1)
      const answers = attempts.map((each) => Result.isSuccess(each) ? each.success : each.failure.code)
      assert.deepStrictEqual(
        answers.filter((each) => typeof each !== "string" && !each.replayed),
        [{ answer: "answer 1", replayed: false }]
      )
      for (const each of answers) {
        if (typeof each === "string") assert.strictEqual(each, "IDEMPOTENCY_KEY_IN_USE")
        else assert.strictEqual(each.answer, "answer 1")
      }
    })
  )

  test(
    "what a request wrote and its answer are kept both or neither, though its client goes away midway",
    Effect.gen(function*() {
      const { count, first, request } = yield* aClient
      const { submit, shipments } = yield* aWorld
      const [written, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const writing = Effect.gen(function*() {
        yield* submit({}, orderOf("O1", "APPEND", itemsOf("L1")))
        yield* Deferred.succeed(written, undefined)
        yield* Deferred.await(gate)
        return yield* first()
      })
      const running = yield* Effect.forkChild(once(request(), writing))
      yield* Effect.raceFirst(Deferred.await(written), Fiber.await(running))
      const leaving = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(leaving)
      const before = yield* shipments
      const { answer, replayed } = yield* once(request(), writing)
      assert.deepStrictEqual(
        before.length,
        replayed ? 1 : 0,
        "an answer is kept exactly if what it answers is"
      )
      assert.strictEqual(answer, `answer ${count()}`)
      assert.deepStrictEqual(
        (yield* shipments).map(({ orders }) => orders.map(({ items }) => items.length)),
        [[1]]
      )
    })
  )
}

/** The suite of `IdempotencyStore`, with the ports that it goes together with. */
export const idempotencyStoreSuite: Suite.Suite<IdempotencyStores> = Suite.make(
  "answers kept by idempotency key",
  ({ describe, test }) => {
    describe("D5.2 keeping", () => keeping(test))
    describe("D5.2 running", () => running(test))
  }
)
