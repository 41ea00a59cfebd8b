/**
 * The transactions of batches: each is pipelined, on a connection of its own (ADR 21).
 *
 * Guarantee: every answer of a batch follows its COMMIT; if the outcome of that is unknown, it is unknown to all. A job
 * that finds a lock taken, or was in a batch that failed, has a transaction of its own.
 */
import { Cause, Context, Effect, Exit, Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { commits } from "./AfterCommit.ts"
import * as Batches from "./Batches.ts"
import { Deadline, within } from "./Deadline.ts"
import { Lending } from "./Loan.ts"
import { isElsewhere, Nodes } from "./Nodes.ts"
import type { NodeAddress } from "./Nodes.ts"
import * as Pipeline from "./Pipeline.ts"
import { isConflict, noConnectionFree, refine } from "./StorageErrors.ts"
import { countWaiting } from "./StorageMetrics.ts"

/** How many batches run at once. Fewer and larger batches cost less: the load of one batch costs half as much again in two. */
const concurrency = 4

/** How many jobs have to wait before one more batch begins. */
const enough = 16

export interface Job extends Batches.Job {
  /** The id of its business: jobs share batches on the node of their businesses. */
  readonly business: string
  /** Where the spans of its statements belong. */
  readonly trace: Context.Context<never>
}

/** What became of a job in a batch; `held` if somebody else has one of its locks. */
export type Done<A> = Exit.Exit<A, unknown> | "held"

/** How jobs are done. */
export interface TransactionsConfig<J extends Job, A> {
  readonly most: Batches.Most
  /** Does the jobs of a batch between the ends of a transaction. */
  readonly batch: (
    jobs: ReadonlyArray<J>,
    ends: Pipeline.Ends
  ) => Effect.Effect<ReadonlyArray<Done<A>>, SqlError.SqlError>
  /** Does a job in a transaction of its own. */
  readonly alone: (job: J) => Effect.Effect<A, unknown>
}

/** Whether a lock was not granted in time: a batch may wait for a shorter time than a job alone. */
const isLockTimeout = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Whether each job of a failed batch is worth a transaction of its own. */
const mayRunAlone = (cause: Cause.Cause<unknown>, count: number): boolean => {
  const errors = cause.reasons.flatMap((reason) => Cause.isFailReason(reason) ? [reason.error] : [])
  return errors.some((error) => isConflict(error) || isElsewhere(error) || isLockTimeout(error)) ||
    (count > 1 &&
      errors.some((error) => SqlError.isSqlError(error) && error.reason._tag !== "ConnectionError"))
}

/** Makes the function that does a job, in a batch or alone. */
export const make = <J extends Job, A>(
  { alone, batch: work, most }: TransactionsConfig<J, A>
): Effect.Effect<(job: J) => Effect.Effect<A, unknown>, never, SqlClient.SqlClient | Scope.Scope> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const lend = yield* Lending
    const deadline = yield* Deadline
    const nodes = yield* Nodes

    const transactAt = (node: NodeAddress | undefined) =>
      Effect.fnUntraced(function*(take: () => ReadonlyArray<J>) {
        let batch: ReadonlyArray<J> | undefined
        const ends = Pipeline.transaction(sql)
        const attempt = commits(Effect.flatMap(Effect.context<never>(), (context) => {
          batch = take()
          if (batch.length === 0) return Effect.succeed([])
          return Effect.provideContext(work(batch, ends), Context.merge(batch[0]!.trace, context))
        }))
        const exit = yield* Effect.exit(
          within(lend({ lane: "requests", pipelined: true, node })(attempt), deadline.millis)
        )
        if (Exit.isSuccess(exit)) {
          return exit.value.map((done): Batches.Outcome<A, unknown> => done === "held" ? "alone" : done)
        }
        batch ??= take()
        const outcome = ends.isUndone() && mayRunAlone(exit.cause, batch.length)
          ? "alone"
          : refine(Effect.failCause(exit.cause))
        return batch.map(() => outcome)
      })

    const onWaiting = yield* countWaiting
    const batchesAt = (node: NodeAddress | undefined) =>
      Batches.make<J, A, unknown>({
        concurrency,
        enough,
        most,
        waitMillis: deadline.waitMillis,
        onWaiting,
        tooLate: refine(Effect.fail(noConnectionFree(deadline.waitMillis))),
        transact: transactAt(node),
        alone: (job) =>
          Effect.updateContext(
            alone(job),
            (context: Context.Context<never>) => Context.merge(job.trace, context)
          )
      })

    const scope = yield* Effect.scope
    const submit = yield* batchesAt(undefined)
    const elsewhere = new Map<string, typeof submit>()
    return (job) =>
      Effect.flatMap(refine(nodes.of(job.business)), (node) => {
        if (node === undefined) return submit(job)
        const key = `${node.host}:${node.port}`
        const known = elsewhere.get(key)
        if (known !== undefined) return known(job)
        return Effect.flatMap(Scope.provide(batchesAt(node), scope), (made) => {
          elsewhere.set(key, made)
          return made(job)
        })
      })
  })
