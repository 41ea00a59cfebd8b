/**
 * Statements that are sent together, and transactions whose first and last statement are sent with others, which saves a
 * round trip each. On a connection that is not pipelined (`ConnectionPool.Claim`) they are sent one after another.
 */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"

type Statement<A> = Effect.Effect<A, SqlError.SqlError>

type Answers<Statements> = { -readonly [At in keyof Statements]: Effect.Success<Statements[At]> }

/** Sends statements together, and waits for all of them; fails as the first that fails. */
export const together = <const Statements extends ReadonlyArray<Statement<unknown>>>(
  statements: Statements
): Statement<Answers<Statements>> =>
  Effect.gen(function*() {
    const exits = yield* Effect.all(statements.map(Effect.exit), { concurrency: "unbounded" })
    const answers: Array<unknown> = []
    for (const exit of exits) answers.push(yield* exit)
    // One answer to each statement, in their order.
    return answers as Answers<Statements>
  })

/** The first and last statement of a transaction. */
export interface Ends {
  readonly begin: Statement<void>
  /** Ends the transaction, which has nothing to commit unless it `writes`. */
  readonly end: (writes: boolean) => Statement<void>
}

/** The ends of a part of a transaction. */
export const noEnds: Ends = { begin: Effect.void, end: () => Effect.void }

/** A transaction of its own. */
export interface Transaction extends Ends {
  /** Whether it has not been committed for certain: nothing was to be committed yet, or PostgreSQL said so. */
  readonly isUndone: () => boolean
}

/** Fails unless a COMMIT committed: PostgreSQL answers `ROLLBACK` to the COMMIT of a failed transaction. */
export const committed = (commit: Statement<unknown>, onRollback: () => void = () => {}): Statement<void> =>
  Effect.flatMap(commit, (result) => {
    if ((result as { readonly command: string }).command === "COMMIT") return Effect.void
    onRollback()
    return new SqlError.SqlError({
      reason: new SqlError.UnknownError({
        cause: new Error("The transaction had failed before"),
        message: "The transaction was rolled back by its COMMIT",
        operation: "commit"
      })
    })
  })

/** The ends of a new transaction. */
export const transaction = (sql: SqlClient.SqlClient): Transaction => {
  let isUndone = true
  const commit = Effect.suspend(() => {
    isUndone = false
    return committed(sql.unsafe("COMMIT").raw, () => {
      isUndone = true
    })
  })
  return {
    begin: Effect.asVoid(sql.unsafe("BEGIN")),
    end: (writes) => writes ? commit : Effect.asVoid(sql.unsafe("ROLLBACK")),
    isUndone: () => isUndone
  }
}
