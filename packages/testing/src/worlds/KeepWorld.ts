/** Cases of the answers that stores keep under idempotency keys together with their writes (D5.2). */
import { NotRun } from "@dockline/core/access/Idempotency"
import type { IdempotentRequest, Keep } from "@dockline/core/access/Idempotency"
import { Cause, Effect, Exit, Result } from "effect"
import * as assert from "../Assert.ts"
import { unique } from "../generators/Given.ts"
import type { AddTest } from "../Suite.ts"

/** Runs the decision of a call, or substitutes another result. */
export type Deciding = <A, E>(decide: () => Result.Result<A, E>) => Result.Result<A, E | string>

/** A call of a store that a case makes repeatedly. Each call concerns a new entity. */
export interface KeptCall<R> {
  /** Makes the call with an answer to be kept. */
  readonly call: (
    keep: Keep<unknown, NotRun>,
    deciding: Deciding
  ) => Effect.Effect<unknown, unknown, R>
  /** The number of writes so far. */
  readonly writeCount: Effect.Effect<number, unknown, R>
}

/** The call with its own decision, with a decision that refuses, and with a decision that throws. */
const waysOf = <R>({ call, writeCount }: KeptCall<R>) => ({
  writeCount,
  write: (keep: Keep<unknown, NotRun>) => call(keep, (decide) => decide()),
  refuse: (keep: Keep<unknown, NotRun>) => call(keep, () => Result.fail("refused")),
  breaks: (keep: Keep<unknown, NotRun>) =>
    call(keep, () => {
      throw new Error("broken")
    })
})

/** The instruction to keep the `text` of the result, also of a refusal, under the key of a request. */
export const keepOf = (
  request: IdempotentRequest,
  text: (result: Result.Result<unknown, unknown>) => string | undefined
): Keep<unknown, NotRun> => ({ request, textOf: text, notRun: (state) => new NotRun({ state }) })

/** The end of a call as a text: `done`, `refused`, or the reason why the call was not executed. */
const endOf = <R>(call: Effect.Effect<unknown, unknown, R>): Effect.Effect<string, never, R> =>
  Effect.match(call, {
    onSuccess: () => "done",
    onFailure: (error) => {
      if (!(error instanceof NotRun)) return "refused"
      const { state } = error
      return state._tag === "KeptAnswer" ? `kept ${state.text}` : state.code
    }
  })

/** A new client with its instructions to keep answers. */
const aClient = Effect.sync(() => {
  const clientId = unique("client")
  let texts = 0
  const keep = (fields: Partial<IdempotentRequest>, keepsIt = true) =>
    keepOf({ clientId, key: "key", fingerprint: "body", ...fields }, (result) => {
      if (!keepsIt) return undefined
      return Result.isSuccess(result) ? `answer ${++texts}` : "refusal"
    })
  return { keep }
})

/** Adds the cases of a call. */
export const keepsAnswers = <E, R>(
  test: AddTest<R>,
  what: string,
  aCall: Effect.Effect<KeptCall<R>, E, R>
): void => {
  const ways = Effect.map(aCall, waysOf)
  test(`D5.2 ${what} is kept with what it wrote: a repeat writes nothing and finds the answer`, function*() {
    const [{ keep }, { write, writeCount }] = [yield* aClient, yield* ways]
    assert.strictEqual(yield* endOf(write(keep({}))), "done")
    assert.strictEqual(yield* writeCount, 1)
    assert.strictEqual(yield* endOf(write(keep({}))), "kept answer 1")
    assert.strictEqual(yield* endOf(write(keep({ fingerprint: "other" }))), "IDEMPOTENCY_KEY_REUSED")
    assert.strictEqual(yield* writeCount, 1)
    for (const fields of [{ key: "KEY" }, { clientId: unique("other") }]) {
      assert.strictEqual(yield* endOf(write(keep(fields))), "done")
    }
    assert.strictEqual(yield* writeCount, 3)
  })

  test(`D5.2 a refusal of ${what} is kept if it is to be kept, and then is the answer`, function*() {
    const [{ keep }, { refuse, write, writeCount }] = [yield* aClient, yield* ways]
    assert.strictEqual(yield* endOf(refuse(keep({}, false))), "refused")
    assert.strictEqual(yield* endOf(refuse(keep({}))), "refused")
    assert.strictEqual(yield* endOf(write(keep({}))), "kept refusal")
    assert.strictEqual(yield* writeCount, 0)
  })

  test(`D5.2 ${what} that breaks keeps nothing, and frees the key`, function*() {
    const [{ keep }, { breaks, write, writeCount }] = [yield* aClient, yield* ways]
    const exit = yield* Effect.exit(breaks(keep({})))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    assert.strictEqual(yield* writeCount, 0)
    assert.strictEqual(yield* endOf(write(keep({}))), "done")
  })

  test(`D5.2 ${what}: of many with one key at once exactly one is done`, function*() {
    const [{ keep }, { write, writeCount }] = [yield* aClient, yield* ways]
    const ends = yield* Effect.all(Array.from({ length: 12 }, () => endOf(write(keep({})))), {
      concurrency: "unbounded"
    })
    assert.strictEqual(ends.filter((end) => end === "done").length, 1, ends.join())
    const others = new Set(ends.filter((end) => end !== "done"))
    for (const end of others) {
      assert.isTrue(end.startsWith("kept answer") || end === "IDEMPOTENCY_KEY_IN_USE", end)
    }
    assert.strictEqual(yield* writeCount, 1)
  })
}
