/**
 * A batch in one transaction: one statement loads the jobs of a business under locks, core decides each, and one statement writes
 * the plans. Statements that do not need each other's answers are sent together.
 */
import { Array as Arr, Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Done, Work } from "./BatchTransactions.ts"
import { together } from "./Pipeline.ts"

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

export const make = <J, Snapshot, A>(
  { businessOf, decide, load }: BusinessBatch<J, Snapshot, A>
): Work<J, A> =>
  Effect.fnUntraced(function*(jobs, wait, { begin, end }) {
    const parts = partsOf(jobs, businessOf)
    const [, ...snapshots] = yield* together([begin, ...parts.map((part) => load(part, wait))])
    const done: Array<Done<A>> = []
    const statements: Array<Statement<void>> = []
    for (const [part, snapshot] of Arr.zip(parts, snapshots)) {
      const statement = yield* decide(part, snapshot, done)
      if (statement !== undefined) statements.push(statement)
    }
    yield* together([...statements, end(statements.length > 0)])
    return done
  })
