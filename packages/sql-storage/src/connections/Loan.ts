/**
 * The connection that work uses, which is an exclusive one of a lane or that of its transaction, and its deadline.
 *
 * Guarantee: documents that wait for each other leave connections to reads, tokens and probes, at most one document of a number waits
 * inside PostgreSQL, and no business has all connections. Reads of clients claim connections of a lane of their own, by the businesses of
 * the client; short look-ups, on which tokens, sign-in and probes depend, claim nothing and share connections that no read of a client
 * takes. A storage operation ends within its deadline, although the driver cannot be interrupted while it waits for the answer to `BEGIN`,
 * `COMMIT` or a cancellation: the operation is left to its own fiber, which ends when its silent connection is broken (`Silence.ts`).
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
 * Lends the connections of the pool; `Database.layer` sets it. By default it lends none: statements run on the client's own, and batches
 * fail.
 */
export const Lending: Context.Reference<Lend> = Context.Reference<Lend>(
  "@dockline/sql-storage/Lending",
  { defaultValue: () => () => identity }
)

/** Whether the present work is a part of a transaction. */
export const isPart = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

/** The turn of documents and pallet events that name a shipment by its number. */
export const turnOfNumber = (
  shipment: { readonly business: string; readonly facility: string; readonly shipmentNumber: string }
): string => JSON.stringify(["number", shipment.business, shipment.facility, shipment.shipmentNumber])

/** The longest time of a storage operation. */
export interface DeadlineConfig {
  readonly millis: number
  /** The longest wait until the operation begins. */
  readonly waitMillis: number
}

/** The deadline of storage operations; `Database.layer` sets it from its statement timeout. */
export const Deadline: Context.Reference<DeadlineConfig> = Context.Reference<DeadlineConfig>(
  "@dockline/sql-storage/Deadline",
  { defaultValue: () => ({ millis: 35_000, waitMillis: 10_000 }) }
)

/** The exit of a fiber; `undefined` if it has not ended in time. A race with a sleep would need two more fibers. */
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
