/**
 * Runs each batch in a pipelined transaction on its own connection (ADR 21): one statement loads the jobs of a business under locks, core
 * decides each, and one statement writes the plans.
 *
 * Guarantee: the jobs of a batch are answered after its COMMIT; if the outcome of the COMMIT is unknown, it is unknown for all jobs. A job
 * gets its own transaction if another transaction holds one of its locks, or if its batch failed before its COMMIT for a reason that need
 * not hold for the job. A job inside a transaction runs in that transaction.
 */
import { Array as Arr, Cause, Context, Effect, Exit, Option, References, Result, Scope, Tracer } from "effect"
import { SqlError } from "effect/sql"
import * as Batches from "./Batches.ts"
import { isElsewhere, keyOf, Nodes } from "./Nodes.ts"
import type { NodeAddress } from "./Nodes.ts"
import * as Pipeline from "./Pipeline.ts"
import { isConflict, noConnectionFree, refine } from "./StorageErrors.ts"
import { countWaiting } from "./StorageMetrics.ts"
import { Deadline, isPart, Lending, within } from "./StoreOperations.ts"
import type { Operations } from "./StoreOperations.ts"

/** The most batches that run at once on a node. Fewer and larger batches cost less: splitting a batch in two raises its cost by half. */
const concurrency = 4

/** The number of waiting jobs at which another batch begins. */
const enough = 16

export interface Job extends Batches.Job {
  /** The id of the business of the job. A batch has the jobs of businesses on one node. */
  readonly business: string
}

/** The outcome of a job in a batch; `held` if another transaction, or an earlier job of the batch, has one of its locks. */
export type Done<A> = Exit.Exit<A, unknown> | "held"

/** The outcome of a decision. If it throws, only its job fails. */
export const exitOf = <A>(decide: () => Result.Result<A, unknown>): Exit.Exit<A, unknown> => {
  try {
    return Result.match(decide(), { onSuccess: Exit.succeed, onFailure: Exit.fail })
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** The answer or the refusal of a job; `undefined` for a defect. */
export const resultOf = <A>(done: Exit.Exit<A, unknown>): Result.Result<A, unknown> | undefined => {
  if (Exit.isSuccess(done)) return Result.succeed(done.value)
  const refusal = Exit.findErrorOption(done)
  return Option.isSome(refusal) ? Result.fail(refusal.value) : undefined
}

/**
 * Does jobs between the first and the last statement of a transaction. `wait` says whether they wait for locks, which only a single job may
 * do.
 */
export type Work<J, A> = (
  jobs: ReadonlyArray<J>,
  wait: boolean,
  ends: Pipeline.Ends
) => Effect.Effect<ReadonlyArray<Done<A>>, SqlError.SqlError>

export interface TransactionsConfig<J extends Job, A> {
  readonly most: Batches.Most
  readonly work: Work<J, A>
  /** Makes work that also keeps its answers, in its transaction. */
  readonly keeping: (work: Work<J, A>) => Work<J, A>
  /** The turn of a job that runs in its own transaction. */
  readonly turnOf: (job: J) => string
  /** Runs after the commit of a successful job, even if its answer could not be kept. */
  readonly onDone?: (job: J, answer: A) => Effect.Effect<void>
}

/** A job with the context of its trace. */
type WithTrace<J> = J & { readonly trace: Context.Context<never> }

/**
 * Makes spans and log lines belong to the trace of a job. Merging the contexts would copy both; setting a tracer makes Effect read the
 * context again.
 */
const tracedBy =
  (trace: Context.Context<never>) => (context: Context.Context<never>): Context.Context<never> => {
    const tracer = Context.get(trace, Tracer.Tracer)
    const inTrace = Context.add(
      tracer === Context.get(context, Tracer.Tracer) ? context : Context.add(context, Tracer.Tracer, tracer),
      References.CurrentLogAnnotations,
      Context.get(trace, References.CurrentLogAnnotations)
    )
    const span = Context.getOrUndefined(trace, Tracer.ParentSpan)
    return span === undefined ? inTrace : Context.add(inTrace, Tracer.ParentSpan, span)
  }

/** Whether a lock was not granted in time. A job alone may wait longer for a lock than a batch. */
const isLockTimeout = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Whether the jobs of a failed batch may succeed in their own transactions. */
const mayRunAlone = (cause: Cause.Cause<unknown>, count: number): boolean => {
  const errors = cause.reasons.flatMap((reason) => Cause.isFailReason(reason) ? [reason.error] : [])
  return errors.some((error) => isConflict(error) || isElsewhere(error) || isLockTimeout(error)) ||
    (count > 1 &&
      errors.some((error) => SqlError.isSqlError(error) && error.reason._tag !== "ConnectionError"))
}

/** Makes the function that does a job, in a batch or alone. */
export const make = Effect.fnUntraced(function*<J extends Job, A>(
  { sql, transact }: Operations,
  { keeping, most, onDone = () => Effect.void, turnOf, work }: TransactionsConfig<J, A>
) {
  const lend = yield* Lending
  const deadline = yield* Deadline
  const nodes = yield* Nodes
  const scope = yield* Effect.scope
  const onWaiting = yield* countWaiting
  const endsOf = Pipeline.transactions(sql)

  /** Does jobs, and returns their outcomes with the effect that follows their commit. */
  const run = (...[jobs, wait, ends]: Parameters<Work<J, A>>) =>
    Effect.suspend(() => {
      const follows: Array<Effect.Effect<void>> = []
      const workWithFollows: Work<J, A> = (jobs, ...rest) =>
        Effect.tap(work(jobs, ...rest), (done) =>
          Effect.sync(() => {
            for (const [job, each] of Arr.zip(jobs, done)) {
              if (each !== "held" && Exit.isSuccess(each)) follows.push(onDone(job, each.value))
            }
          }))
      return Effect.map(
        keeping(workWithFollows)(jobs, wait, ends),
        (done) => ({ done, tell: Effect.all(follows, { discard: true }) })
      )
    })

  const alone = (job: J): Effect.Effect<A, unknown> =>
    Effect.tap(run([job], true, Pipeline.noEnds), ({ tell }) => tell).pipe(
      transact({ turn: turnOf(job), holder: job.holder, business: job.business }),
      // Fails after the commit, because a kept refusal must stay. A job that waits for locks is never `held`, and fails only with the
      // errors of its work.
      Effect.flatMap(({ done: [done] }) => done as Exit.Exit<A, unknown>)
    )

  const transactAt = (node: NodeAddress | undefined) =>
    Effect.fnUntraced(function*(take: () => ReadonlyArray<WithTrace<J>>) {
      let batch: ReadonlyArray<WithTrace<J>> | undefined
      const ends = endsOf()
      const attempt = Effect.suspend(() => {
        batch = take()
        const [first] = batch
        return first === undefined
          ? Effect.succeed({ done: [], tell: Effect.void })
          : Effect.updateContext(run(batch, false, ends), tracedBy(first.trace))
      })
      const exit = yield* Effect.exit(
        within(lend({ lane: "requests", isPipelined: true, node })(attempt), deadline.millis)
      )
      batch ??= take()
      if (Exit.isSuccess(exit)) {
        const { done, tell } = exit.value
        yield* tell
        return done.map((each): Batches.Outcome<A, unknown> => each === "held" ? "alone" : each)
      }
      const outcome = ends.isUndone() && mayRunAlone(exit.cause, batch.length)
        ? "alone"
        : refine(Effect.failCause(exit.cause))
      return batch.map(() => outcome)
    })

  const batchesAt = (node: NodeAddress | undefined) =>
    Scope.provide(
      Batches.make<WithTrace<J>, A, unknown>({
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
      }),
      scope
    )

  const batchesByNode = new Map([["", yield* batchesAt(undefined)]])
  const submit = Effect.fnUntraced(function*(job: WithTrace<J>) {
    const node = yield* refine(nodes.of(job.business))
    const batches = batchesByNode.get(keyOf(node)) ?? (yield* batchesAt(node))
    batchesByNode.set(keyOf(node), batches)
    return yield* batches(job)
  })

  return Effect.fnUntraced(function*(job: J) {
    return yield* (yield* isPart(sql))
      ? alone(job)
      : submit({ ...job, trace: yield* Effect.context<never>() })
  })
})

type Statement<A> = Effect.Effect<A, SqlError.SqlError>

/** The jobs of a business in a batch. */
export interface Part<J> {
  readonly business: string
  readonly jobs: ReadonlyArray<J>
  /** The index of each job in the batch. */
  readonly places: ReadonlyArray<number>
}

interface BusinessBatch<J, Snapshot, A> {
  readonly businessOf: (job: J) => string
  readonly load: (part: Part<J>, wait: boolean) => Statement<Snapshot>
  /** Decides the jobs of a part; returns the statement that writes their plans, unless there are none. */
  readonly decide: (
    part: Part<J>,
    snapshot: Snapshot,
    done: Array<Done<A>>
  ) => Effect.Effect<Statement<void> | undefined>
}

/** The parts of a batch, sorted by business, so that all batches lock the logs of businesses in the same order. */
const partsOf = <J>(batch: ReadonlyArray<J>, businessOf: (job: J) => string): ReadonlyArray<Part<J>> =>
  Array.from(
    Map.groupBy(batch.entries(), ([, job]) => businessOf(job)),
    ([business, entries]) => ({
      business,
      places: entries.map(([at]) => at),
      jobs: entries.map(([, job]) => job)
    })
  ).sort((left, right) => left.business < right.business ? -1 : 1)

/** Makes the work of a batch. Statements that do not need each other's answers are sent together. */
export const batchWork = <J, Snapshot, A>(
  { businessOf, decide, load }: BusinessBatch<J, Snapshot, A>
): Work<J, A> =>
  Effect.fnUntraced(function*(jobs, wait, { begin, end }) {
    const parts = partsOf(jobs, businessOf)
    const [, ...snapshots] = yield* Pipeline.together([begin, ...parts.map((part) => load(part, wait))])
    const done: Array<Done<A>> = []
    const statements: Array<Statement<void>> = []
    for (const [part, snapshot] of Arr.zip(parts, snapshots)) {
      const statement = yield* decide(part, snapshot, done)
      if (statement !== undefined) statements.push(statement)
    }
    yield* Pipeline.together([...statements, end(statements.length > 0)])
    return done
  })
