/**
 * Statements on a connection of their own, without a transaction around them.
 *
 * Statements outside transactions share connections, and one that shares a connection waits for the slowest before it:
 * what may wait for a lock, or takes long, must not be in front of somebody's read.
 *
 * Guarantee: no more connections are taken at once than there are permits. Inside a transaction nothing is taken: its
 * connection is there already. No request waits for long before it has one (`Waiting.ts`); a dispatcher of webhooks waits
 * for as long as an operation may take.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { Effect, Option, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { permits } from "./Transactions.ts"
import type { Limit } from "./Transactions.ts"
import { letIn } from "./Waiting.ts"

/** Runs an effect's statements on a connection of their own. */
export type OwnConnection = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError.SqlError | StorageUnavailable, R>

/** How one is let in before it takes a connection. */
type Enter = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>

const makeWith = (sql: SqlClient.SqlClient, enter: Enter): OwnConnection => (effect) =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (outer) =>
      Option.isSome(outer) ? effect : enter(
        Effect.scoped(
          Effect.flatMap(
            sql.reserve,
            (connection) => Effect.provideService(effect, sql.transactionService, [connection, 0])
          )
        )
      )
  )

/** Takes connections of the client as far as there are permits, which are those of its transactions. */
export const make = (sql: SqlClient.SqlClient, limit: Limit): OwnConnection => {
  const shared = permits(sql, limit)
  return makeWith(sql, (effect) => letIn((entered) => shared.withPermit(entered), effect, limit.waitMillis))
}

/**
 * Connections for the dispatchers of webhooks, one to take with and one to settle with, shared by the stores of a
 * client: `Database.layer` has them besides those that are asked for.
 */
export const dispatchingConnections = 2

const dispatching = new WeakMap<SqlClient.SqlClient, Semaphore.Semaphore>()

/** {@link make} for the dispatchers of webhooks: their connections are none of those that requests wait for. */
export const makeDispatching = (sql: SqlClient.SqlClient): OwnConnection => {
  const shared = dispatching.get(sql) ?? Semaphore.makeUnsafe(dispatchingConnections)
  dispatching.set(sql, shared)
  return makeWith(sql, (effect) => shared.withPermit(effect))
}
