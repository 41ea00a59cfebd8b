/**
 * Keeps answers by idempotency key in the transactions of their requests (of a batch, or of a single job).
 *
 * Guarantee: a transaction first claims the keys of its jobs, and keeps their answers last. If the process dies, the claims end and nothing
 * is kept. If two instances get the same request, one runs it, and the other refuses it while the first still runs, and later finds its
 * answer. In a cluster the locks of keys are on the node of the business: if a client uses a key for two businesses at once, the
 * transaction that keeps its answer later is rolled back, and finds the answer of the first. Answers expire by the clock of the database or
 * of the instance, whichever is behind (`answers_since`), so that a fast clock does not let a request run again.
 */
import { IdempotencyStore, KeptAnswer, retentionMillis } from "@dockline/core/access/Idempotency"
import type { IdempotentRequest, Keep, KeyState } from "@dockline/core/access/Idempotency"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "@dockline/core/values/RequestErrors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Array as Arr, Effect, Exit, Layer, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"
import { exitOf, resultOf } from "../connections/BatchTransactions.ts"
import type { Done, Work } from "../connections/BatchTransactions.ts"
import { noEnds, together } from "../connections/Pipeline.ts"
import type { Ends } from "../connections/Pipeline.ts"
import { operations } from "../connections/StoreOperations.ts"
import type { Operations, StoreClaim } from "../connections/StoreOperations.ts"
import { whole } from "../rows/RowFields.ts"
import * as Cleanup from "./Cleanup.ts"

/** A row of `answers_kept`: the position of the request, from 1, and its kept answer. */
const KeptRow = Schema.Struct({ place: whole, fingerprint: Schema.String, answer: Schema.String })

interface Answer {
  readonly request: IdempotentRequest
  readonly text: string
}

/** Work for a request that may have a key. */
export interface KeyedWork<in A> {
  readonly keep: Keep<A, unknown> | undefined
}

const idOf = ({ clientId, key }: IdempotentRequest): string => JSON.stringify([clientId, key])

const columnsOf = (requests: ReadonlyArray<IdempotentRequest>) => ({
  clientIds: requests.map(({ clientId }) => clientId),
  keys: requests.map(({ key }) => key)
})

/** The text to keep for the outcome of a job; `undefined` for a defect. */
const textOf = <A>(keep: Keep<A, unknown>, done: Exit.Exit<A, unknown>) =>
  exitOf(() => {
    const result = resultOf(done)
    return Result.succeed(result && keep.textOf(result))
  })

/** Makes work for a single job in its own transaction. A refused job has written nothing. */
const single = <A, E>(work: Effect.Effect<A, E | SqlError.SqlError>): Work<unknown, A> => () =>
  work.pipe(
    Effect.map((answer): ReadonlyArray<Done<A>> => [Exit.succeed(answer)]),
    Effect.catch((error) =>
      SqlError.isSqlError(error) ? Effect.fail(error) : Effect.succeed([Exit.fail(error)])
    )
  )

/** Makes the functions that keep answers, over these operations of a store. */
export const make = ({ call, rows, run, transaction }: Operations) => {
  const find = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>) {
    const { clientIds, keys } = columnsOf(requests)
    const answers = yield* rows(KeptRow)`dockline.answers_kept(${clientIds}, ${keys},
      ${yield* Timestamp.now}, ${yield* Timestamp.givenNow})`
    const states = requests.map((): KeyState | undefined => undefined)
    for (const { answer, fingerprint, place: at } of answers) {
      // `at` is the position of a request, from 1.
      states[at - 1] = requests[at - 1]!.fingerprint === fingerprint
        ? new KeptAnswer({ text: answer })
        : new IdempotencyKeyReused()
    }
    return states
  })

  const lock = (requests: ReadonlyArray<IdempotentRequest>) =>
    call(Schema.Array(Schema.Boolean))`array(select pg_try_advisory_xact_lock(
      hashtextextended('dockline.idempotency:' || id, 0))
      from unnest(${requests.map(idOf)}::text[]) with ordinality as request (id, at) order by at)`

  /** Begins a transaction that locks the keys until its end; returns the state of each key that is not free. */
  const claim = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>, ends: Ends) {
    // There are two statements, because the second must see the answer of the transaction that held the lock before.
    const [, locks, states] = yield* together([ends.begin, lock(requests), find(requests)])
    const claims = new Set<string>()
    return requests.map((request, at): KeyState | undefined => {
      const id = idOf(request)
      // A transaction can get the same lock again, so it has to remember the keys that it has claimed.
      const isFree = locks[at] === true && !claims.has(id)
      claims.add(id)
      return isFree ? states[at] : new IdempotencyKeyInUse()
    })
  })

  /** Keeps answers at the end of a transaction. */
  const put = Effect.fnUntraced(function*(answers: ReadonlyArray<Answer>) {
    if (answers.length === 0) return
    const requests = answers.map(({ request }) => request)
    const { clientIds, keys } = columnsOf(requests)
    yield* run`dockline.answers_keep(${clientIds}, ${keys},
      ${requests.map(({ fingerprint }) => fingerprint)}, ${answers.map(({ text }) => text)},
      ${yield* Timestamp.now}, ${yield* Timestamp.givenNow})`
  })

  /** Does jobs, and keeps the answers of jobs with a key. A job whose key is not free ends with the state of the key (`Keep.notRun`). */
  const keeping = <J, A>(work: Work<J, A>): Work<J & KeyedWork<A>, A> =>
    Effect.fnUntraced(function*(jobs, wait, ends) {
      const withKeys = jobs.flatMap(({ keep }, at) => keep === undefined ? [] : [{ at, keep }])
      if (withKeys.length === 0) return yield* work(jobs, wait, ends)
      const done: Array<Done<A>> = []
      const claims = yield* claim(withKeys.map(({ keep }) => keep.request), ends)
      for (const [index, { at, keep }] of withKeys.entries()) {
        const state = claims[index]
        if (state !== undefined) done[at] = Exit.fail(keep.notRun(state))
      }
      const rest = Array.from(jobs.entries()).filter(([at]) => done[at] === undefined)
      const results = rest.length === 0 ? [] : yield* work(rest.map(([, job]) => job), wait, noEnds)
      for (const [[at], result] of Arr.zip(rest, results)) done[at] = result
      const isLeft = new Set(rest.map(([at]) => at))
      const answers = withKeys.flatMap(({ at, keep }): ReadonlyArray<Answer> => {
        // Each job was either refused or done.
        const result = done[at]!
        if (result === "held" || !isLeft.has(at)) return []
        const text = textOf(keep, result)
        if (Exit.isFailure(text)) done[at] = Exit.failCause(text.cause)
        return Exit.isFailure(text) || text.value === undefined
          ? []
          : [{ request: keep.request, text: text.value }]
      })
      yield* together([put(answers), ends.end(true)])
      return done
    })

  /** Does work in its own transaction, and keeps its answer, as a part of an operation. */
  const alone = <A, E, F>(
    needs: Partial<StoreClaim>,
    keep: Keep<A, F> | undefined,
    work: Effect.Effect<A, E | SqlError.SqlError>
  ) =>
    Effect.flatMap(
      transaction(needs)(keeping(single(work))([{ keep }], true, noEnds)),
      // Fails after the commit, because a kept refusal must stay. Work that waits for locks is never `held`, and fails with its own errors.
      ([done]) => done as Exit.Exit<A, E | F>
    )

  return { claim, put, keeping, alone }
}

/**
 * Keeps the answers of requests that have written nothing, in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. It
 * also drops all expired answers.
 */
export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function*() {
    const means = yield* operations
    const answers = make(means)

    const keep = Effect.fnUntraced(function*(request: IdempotentRequest, text: string) {
      const [state] = yield* answers.claim([request], noEnds)
      if (state === undefined) {
        yield* answers.put([{ request, text }])
        return null
      }
      return state._tag === "KeptAnswer" ? state : yield* state
    })

    const answersTable = { name: "idempotent_answer", at: "kept_at", key: ["client_id", "key"] }
    yield* Cleanup.run(
      "idempotent_answers",
      Cleanup.ofTable(means, answersTable, retentionMillis)
    )

    return IdempotencyStore.of({
      // Kept answers may be large, so the answers of a client are read one after another.
      keep: (request, text) =>
        means.transact({ turn: JSON.stringify(["kept", request.clientId]) })(keep(request, text))
    })
  })
)
