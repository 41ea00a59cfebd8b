/**
 * Who may hold a connection for a transaction: a limited number of documents, and one for each hot number.
 *
 * Guarantee: documents that wait for each other's locks leave connections to reads, tokens and readiness probes, and
 * none of them waits for long before it is let in (`Waiting.ts`).
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { Effect, Option, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { letIn } from "./Waiting.ts"

const semaphores = new WeakMap<SqlClient.SqlClient, Semaphore.Semaphore>()

/** What limits transactions. */
export interface Limit {
  /** How many run at once. */
  readonly running: number
  /** How long one waits before it is given up, in milliseconds. */
  readonly waitMillis: number
}

/** The permits for transactions on the connections of a client, shared by its stores; the first one sets the limit. */
export const permits = (sql: SqlClient.SqlClient, { running }: Limit): Semaphore.Semaphore => {
  const shared = semaphores.get(sql) ?? Semaphore.makeUnsafe(running)
  semaphores.set(sql, shared)
  return shared
}

/** Runs effects of one key one after another; keeps nothing of a key that is not in use. */
export type Turns = (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** {@link Turns} that are given up where they do not come soon enough. */
export type InTurn = (
  key: string
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>

/** Turns of their own. */
export const makeTurns = (): { readonly take: Turns; readonly size: () => number } => {
  const queues = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()
  return {
    size: () => queues.size,
    take: (key) => (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const queue = queues.get(key) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
          queue.users++
          queues.set(key, queue)
          return queue
        }),
        ({ turn }) => turn.withPermit(effect),
        (queue) =>
          Effect.sync(() => {
            if (--queue.users === 0) queues.delete(key)
          })
      )
  }
}

/**
 * Runs transactions of one key one after another, and no more at once than the limit; a connection is taken only
 * after the wait. Inside another transaction nothing waits: the connection is there already, and counted for.
 */
export const makeInTurn = (sql: SqlClient.SqlClient, limit: Limit): InTurn => {
  const transactions = permits(sql, limit)
  const turns = makeTurns()
  return (key) => (effect) =>
    Effect.flatMap(
      Effect.serviceOption(sql.transactionService),
      (outer) =>
        Option.isSome(outer)
          ? effect
          : letIn((entered) => turns.take(key)(transactions.withPermit(entered)), effect, limit.waitMillis)
    )
}
