/**
 * The answers that are kept by idempotency key, in the transactions of what they answer: of a batch, or of a job alone.
 *
 * Guarantee: a transaction claims the keys of its jobs first, and keeps their answers last. If the process dies, the claims end
 * and nothing is kept. Of two instances with the same request, one runs it and the other finds its answer. In a cluster the locks
 * of keys are on the node of the business; where a client uses a key for two businesses at once, the second that keeps its answer
 * is undone, and finds the first.
 */
import { retentionMillis } from "@dockline/core/IdempotencyStore"
import { KeptAnswer } from "@dockline/core/Keep"
import type { IdempotentRequest, Keep, TakenKey } from "@dockline/core/Keep"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "@dockline/core/RequestErrors"
import * as Timestamp from "@dockline/core/Timestamp"
import { Array as Arr, Clock, Effect, Exit, Option, Result } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"
import type { Done } from "../connections/BatchTransactions.ts"
import { oneRow } from "../connections/OneRow.ts"
import { noEnds, together } from "../connections/Pipeline.ts"
import type { Ends } from "../connections/Pipeline.ts"

interface KeptRow {
  /** Which of the requests, from 1. */
  readonly at: number
  readonly fingerprint: string
  readonly answer: string
}

interface Answered {
  readonly request: IdempotentRequest
  readonly text: string
}

/** The work of a transaction for a request that may have a key. */
export interface Keyed<in A> {
  readonly keep: Keep<A, unknown> | undefined
}

/** Does jobs between the ends of a transaction. `wait` says whether they wait for locks. */
type Work<J, A> = (
  jobs: ReadonlyArray<J>,
  wait: boolean,
  ends: Ends
) => Effect.Effect<ReadonlyArray<Done<A>>, SqlError.SqlError>

/** The time before which answers have expired. */
export const expiry = Effect.map(
  Clock.currentTimeMillis,
  (now) => Timestamp.fromMillis(now - retentionMillis)
)

const idOf = ({ clientId, key }: IdempotentRequest): string => JSON.stringify([clientId, key])

const columnsOf = (requests: ReadonlyArray<IdempotentRequest>) => ({
  clientIds: requests.map(({ clientId }) => clientId),
  keys: requests.map(({ key }) => key)
})

/** The text to keep of what became of a job. What breaks here is the fault of its request alone. */
const textOf = <A>(
  keep: Keep<A, unknown>,
  done: Exit.Exit<A, unknown>
): Exit.Exit<string | undefined, unknown> => {
  const failure = Exit.isFailure(done) ? Exit.findErrorOption(done) : Option.none()
  if (Exit.isFailure(done) && Option.isNone(failure)) return Exit.succeed(undefined)
  try {
    return Exit.succeed(
      keep.textOf(Exit.isSuccess(done) ? Result.succeed(done.value) : Result.fail(Option.getOrThrow(failure)))
    )
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** Work that is done alone in its transaction. It is refused before it writes. */
export const single = <A, E>(work: Effect.Effect<A, E | SqlError.SqlError>): Work<unknown, A> => () =>
  work.pipe(
    Effect.map((answer): ReadonlyArray<Done<A>> => [Exit.succeed(answer)]),
    Effect.catch((error) =>
      SqlError.isSqlError(error) ? Effect.fail(error) : Effect.succeed([Exit.fail(error)])
    )
  )

/** Makes the functions of kept answers. */
export const make = (sql: SqlClient.SqlClient) => {
  const find = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>) {
    const { clientIds, keys } = columnsOf(requests)
    const rows = yield* sql<KeptRow>`select place as at, fingerprint, answer from dockline.answers_kept(
      ${clientIds}::text[], ${keys}::text[], ${yield* expiry}::timestamptz)`
    const found = requests.map((): TakenKey | undefined => undefined)
    for (const { answer, at, fingerprint } of rows) {
      found[at - 1] = requests[at - 1]!.fingerprint === fingerprint
        ? new KeptAnswer({ text: answer })
        : new IdempotencyKeyReused()
    }
    return found
  })

  const lock = (requests: ReadonlyArray<IdempotentRequest>) =>
    Effect.map(
      oneRow(sql<{ readonly locked: ReadonlyArray<boolean> }>`select array_agg(pg_try_advisory_xact_lock(
        hashtextextended('dockline.idempotency:' || id, 0)) order by at) as locked
        from unnest(${requests.map(idOf)}::text[]) with ordinality as request (id, at)`),
      ({ locked }) => locked
    )

  /** Begins a transaction that has the keys to its end; says of each whether it is taken. */
  const claim = Effect.fnUntraced(function*(requests: ReadonlyArray<IdempotentRequest>, ends: Ends) {
    // Two statements: the second must see the answer of the transaction that held the lock before.
    const [, locked, found] = yield* together([ends.begin, lock(requests), find(requests)])
    const claimed = new Set<string>()
    return requests.map((request, at): TakenKey | undefined => {
      const id = idOf(request)
      // A transaction gets the same lock again, so it has to know its own keys.
      const isFree = locked[at] === true && !claimed.has(id)
      claimed.add(id)
      return isFree ? found[at] : new IdempotencyKeyInUse()
    })
  })

  const put = Effect.fnUntraced(function*(answers: ReadonlyArray<Answered>) {
    if (answers.length === 0) return
    const requests = answers.map(({ request }) => request)
    const { clientIds, keys } = columnsOf(requests)
    yield* sql`select dockline.answers_keep(${clientIds}::text[], ${keys}::text[],
      ${requests.map(({ fingerprint }) => fingerprint)}::text[], ${answers.map(({ text }) => text)}::text[],
      ${yield* Timestamp.now}::timestamptz, ${yield* expiry}::timestamptz)`
  })

  /** Does jobs, and keeps the answers of those with a key, unless their keys are taken. */
  const keeping = <J, A>(work: Work<J, A>): Work<J & Keyed<A>, A> =>
    Effect.fnUntraced(function*(jobs, wait, ends) {
      const keyed = jobs.flatMap(({ keep }, at) => keep === undefined ? [] : [{ at, keep }])
      if (keyed.length === 0) return yield* work(jobs, wait, ends)
      const done: Array<Done<A>> = []
      const claims = yield* claim(keyed.map(({ keep }) => keep.request), ends)
      for (const [index, { at, keep }] of keyed.entries()) {
        const taken = claims[index]
        if (taken !== undefined) done[at] = Exit.fail(keep.notRun(taken))
      }
      const left = Array.from(jobs.entries()).filter(([at]) => done[at] === undefined)
      const worked = left.length === 0 ? [] : yield* work(left.map(([, job]) => job), wait, noEnds)
      for (const [[at], result] of Arr.zip(left, worked)) done[at] = result
      const isLeft = new Set(left.map(([at]) => at))
      const answers = keyed.flatMap(({ at, keep }): ReadonlyArray<Answered> => {
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

  return { claim, put, keeping }
}
