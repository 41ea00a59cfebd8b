/**
 * The connection that work uses (an exclusive connection of a lane, or the connection of its transaction), and the deadline of the work.
 *
 * Guarantee: documents that wait for each other leave connections to reads, tokens and probes; of the documents with one number, at most
 * one waits inside PostgreSQL; and no business has all connections. Reads of clients claim connections of their own lane, by the businesses
 * of the client. Short look-ups, on which tokens, sign-in and probes depend, claim nothing and use shared connections, which no read of a
 * client takes. A storage operation ends within its deadline, although the driver cannot be interrupted while it waits for the answer to
 * `BEGIN`, `COMMIT` or a cancellation: the operation is left to its own fiber, which ends when its silent connection is broken
 * (`Silence.ts`).
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Context, Effect, Fiber, identity, Option } from "effect"
import type { Exit } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"
import { countUnavailable } from "./StorageMetrics.ts"

/** Runs an effect's statements and transactions on an exclusive connection. */
export type Lend = (
  claim: Claim
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/**
 * Lends the connections of the pool; `Database.layer` sets this. By default nothing is lent: statements run on the connection of the
 * client, and batches fail.
 */
export const Lending: Context.Reference<Lend> = Context.Reference<Lend>(
  "@dockline/sql-storage/Lending",
  { defaultValue: () => () => identity }
)

/** Whether the current work is part of a transaction. */
export const isPart = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

/** The turn of documents and pallet events that name a shipment by number. */
export const turnOfNumber = (
  shipment: { readonly business: string; readonly facility: string; readonly shipmentNumber: string }
): string => JSON.stringify(["number", shipment.business, shipment.facility, shipment.shipmentNumber])

/** The longest time of a storage operation. */
export interface DeadlineConfig {
  readonly millis: number
  /** The longest wait before the operation begins. */
  readonly waitMillis: number
}

/** The deadline of storage operations; `Database.layer` sets it from its statement timeout. */
export const Deadline: Context.Reference<DeadlineConfig> = Context.Reference<DeadlineConfig>(
  "@dockline/sql-storage/Deadline",
  { defaultValue: () => ({ millis: 35_000, waitMillis: 10_000 }) }
)

/** The exit of a fiber; `undefined` if it has not ended in time. `Effect.race` with a sleep would need two more fibers. */
const exitWithin = <A, E>(
  fiber: Fiber.Fiber<A, E>,
  millis: number
): Effect.Effect<Exit.Exit<A, E> | undefined> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.undefined), millis)
    const leave = fiber.addObserver((exit) => {
      clearTimeout(timer)
      resume(Effect.succeed(exit))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      leave()
    })
  })

/** Fails with `StorageUnavailable` at the deadline, and leaves work that cannot be interrupted to its fiber. */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
      Effect.flatMap(
        Effect.onInterrupt(restore(exitWithin(fiber, millis)), () => Fiber.interrupt(fiber)),
        (exit): Effect.Effect<A, E | StorageUnavailable> => {
          if (exit !== undefined) return exit
          fiber.interruptUnsafe()
          return Effect.andThen(
            countUnavailable("silent"),
            Effect.fail(new StorageUnavailable({ cause: new Error(`No answer within ${millis} ms`) }))
          )
        }
      ))
  )
