/**
 * Sends statements together, and sends the first and the last statement of a transaction with others, which saves a round trip each. If a
 * connection is not pipelined (`ConnectionPool.Claim`), statements are sent one after another.
 */
import { Effect, Fiber } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"

type Statement<A> = Effect.Effect<A, SqlError.SqlError>

type Answers<Statements> = { -readonly [At in keyof Statements]: Effect.Success<Statements[At]> }

/** Sends statements together, and waits for all answers; fails with the error of the first statement that fails. */
export const together = <const Statements extends ReadonlyArray<Statement<unknown>>>(
  statements: Statements
): Statement<Answers<Statements>> =>
  Effect.gen(function*() {
    const answers: Array<unknown> = []
    for (const exit of yield* sending(statements)) answers.push(yield* exit)
    // There is one answer to each statement, in their order.
    return answers as Answers<Statements>
  })

/**
 * Each statement except the last has its own fiber, which sends it at once. The current fiber sends the last statement, whose answer comes
 * after the others.
 */
const sending = Effect.fnUntraced(function*(statements: ReadonlyArray<Statement<unknown>>) {
  const last = statements.at(-1)
  if (last === undefined) return []
  const before: Array<Fiber.Fiber<unknown, SqlError.SqlError>> = []
  for (const statement of statements.slice(0, -1)) {
    before.push(yield* Effect.forkChild(statement, { startImmediately: true }))
  }
  return yield* Effect.onInterrupt(
    Effect.flatMap(
      Effect.exit(last),
      (exit) => Effect.map(Fiber.awaitAll(before), (exits) => [...exits, exit])
    ),
    () => Fiber.interruptAll(before)
  )
})

/** The first and last statement of a transaction. */
export interface Ends {
  readonly begin: Statement<void>
  /** Ends the transaction, which has nothing to commit unless it `writes`. */
  readonly end: (writes: boolean) => Statement<void>
}

/** The ends of work that is part of a transaction. */
export const noEnds: Ends = { begin: Effect.void, end: () => Effect.void }

/** A new transaction. */
export interface Transaction extends Ends {
  /** Whether it is certain that nothing was committed: no COMMIT was sent yet, or PostgreSQL refused it. */
  readonly isUndone: () => boolean
}

/** Fails unless a COMMIT committed: PostgreSQL answers `ROLLBACK` to the COMMIT of a failed transaction. */
export const requireCommit = (
  commit: Statement<unknown>,
  onRollback: () => void = () => {}
): Statement<void> =>
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

/** Makes the first and the last statement of new transactions. All transactions share the statements. */
export const transactions = (sql: SqlClient.SqlClient): () => Transaction => {
  const begin = Effect.asVoid(sql.unsafe("BEGIN"))
  const commit = sql.unsafe("COMMIT").raw
  const rollback = Effect.asVoid(sql.unsafe("ROLLBACK"))
  return () => {
    let isUndone = true
    const committing = Effect.suspend(() => {
      isUndone = false
      return requireCommit(commit, () => {
        isUndone = true
      })
    })
    return { begin, end: (writes) => writes ? committing : rollback, isUndone: () => isUndone }
  }
}
