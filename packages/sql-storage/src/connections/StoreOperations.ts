/**
 * The operations of stores on the database of the `SqlClient`.
 *
 * Guarantee: an operation ends within its deadline. An operation that may wait for a lock or take long claims an exclusive connection
 * before it holds any (`Loan.ts`), and is repeated after a conflict. An operation inside a transaction is part of the transaction: it uses
 * the connection and the deadline of the transaction.
 */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"
import { Deadline, isPart, Lending, within } from "./Loan.ts"
import { followShards, Nodes } from "./Nodes.ts"
import { callsOf, RowChecks } from "./Statements.ts"
import type { Calls } from "./Statements.ts"
import { refine, repeatConflicts } from "./StorageErrors.ts"

/**
 * A claim of a connection. If it names a business by its id, the connection leads to the node of the business. A read counts in the share
 * of the business, unless the claim names another holder.
 */
export interface StoreClaim extends Omit<Claim, "node"> {
  readonly business?: string | undefined
}

type Needs = Partial<StoreClaim>

/** Makes an operation from an effect on the database: SQL failures become `StorageUnavailable` or defects. */
export type Operation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R>

/** Wraps statements; their failures stay. */
type Around = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Operations of stores: calls of functions, and the connections on which they run. */
export interface Operations extends Calls {
  readonly sql: SqlClient.SqlClient
  readonly operation: Operation
  /** Runs statements on a claimed connection; inside a transaction, on the connection of the transaction. */
  readonly loan: (claim: StoreClaim) => Around
  /** An operation that reads on an exclusive connection. */
  readonly read: (needs?: Needs) => Operation
  /**
   * An operation on a connection of the lane "requests", repeated after conflicts; inside a transaction, from a savepoint. Internal reads
   * use it too.
   */
  readonly write: (needs?: Needs) => Operation
  /** Runs statements in a new transaction on a connection of the lane "requests", and repeats it after conflicts. */
  readonly transaction: (needs?: Needs) => Around
  /** {@link transaction} as an operation. */
  readonly transact: (needs?: Needs) => Operation
  /** Repeats statements after conflicts; inside a transaction from a savepoint, because a failed statement aborts the transaction. */
  readonly repeatable: Around
}

/** Makes the operations of stores on the database of the `SqlClient`. */
export const operations: Effect.Effect<Operations, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const deadline = yield* Deadline
  const lend = yield* Lending
  const nodes = yield* Nodes
  const checks = yield* RowChecks
  const follow = followShards(nodes.forget)

  const operation: Operation = (effect) =>
    Effect.flatMap(isPart(sql), (isPart) => isPart ? refine(effect) : within(refine(effect), deadline.millis))

  const loan: Operations["loan"] = (
    { business, lane, holder = lane === "reads" ? business : undefined, ...claim }
  ) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      isPart(sql),
      (isPart): Effect.Effect<A, E | SqlError.SqlError, R> =>
        isPart
          ? effect
          : follow(Effect.flatMap(
            business === undefined ? Effect.undefined : nodes.of(business),
            (node) => lend({ ...claim, lane, holder, node })(effect)
          ))
    )

  const repeatable: Around = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    repeatConflicts(
      Effect.flatMap(
        isPart(sql),
        (isPart): Effect.Effect<A, E | SqlError.SqlError, R> => isPart ? sql.withTransaction(effect) : effect
      )
    )

  const transaction: Operations["transaction"] = (needs) => (effect) =>
    loan({ lane: "requests", ...needs })(repeatConflicts(sql.withTransaction(effect)))

  return {
    ...callsOf(sql, checks),
    sql,
    operation,
    loan,
    repeatable,
    read: (needs) => (effect) => operation(loan({ lane: "reads", ...needs })(effect)),
    write: (needs) => (effect) => operation(loan({ lane: "requests", ...needs })(repeatable(effect))),
    transaction,
    transact: (needs) => (effect) => operation(transaction(needs)(effect))
  }
})
