/**
 * Statements on a connection of their own, without a transaction around them.
 *
 * Statements outside transactions share connections, and one that shares a connection waits for the slowest before it:
 * what may wait for a lock, or takes long, must not be in front of somebody's read.
 *
 * Guarantee: no more connections are taken at once than there are permits. Inside a transaction nothing is taken: its
 * connection is there already.
 */
import { Effect, Option, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { waiting } from "./StorageMetrics.ts"

/** Runs an effect's statements on a connection of their own. */
export type OwnConnection = <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Takes connections of the client as far as there are permits. */
export const make = (sql: SqlClient.SqlClient, permits: Semaphore.Semaphore): OwnConnection => (effect) =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (outer) =>
      Option.isSome(outer) ? effect : entering(sql, permits)(
        Effect.scoped(
          Effect.flatMap(
            sql.reserve,
            (connection) => Effect.provideService(effect, sql.transactionService, [connection, 0])
          )
        )
      )
  )

/** The dispatchers have connections of their own: theirs are none of those that requests wait for. */
const entering =
  (sql: SqlClient.SqlClient, permits: Semaphore.Semaphore) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    dispatching.get(sql) === permits
      ? permits.withPermit(effect)
      : waiting((entered) => permits.withPermit(entered), effect)

const dispatching = new WeakMap<SqlClient.SqlClient, Semaphore.Semaphore>()

/**
 * Connections for the dispatchers of webhooks, one to take with and one to settle with, shared by the stores of a
 * client: `Database.layer` has them besides those that are asked for.
 */
export const dispatchingConnections = 2

/** The permits for {@link dispatchingConnections}. */
export const dispatchPermits = (sql: SqlClient.SqlClient): Semaphore.Semaphore => {
  const shared = dispatching.get(sql) ?? Semaphore.makeUnsafe(dispatchingConnections)
  dispatching.set(sql, shared)
  return shared
}
