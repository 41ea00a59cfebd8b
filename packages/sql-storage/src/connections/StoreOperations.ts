/**
 * The operations of stores on the database of the `SqlClient`, with the connections that they borrow and the deadline of their work.
 *
 * Guarantee: an operation ends within its deadline, although the driver cannot be interrupted while it waits for the answer to `BEGIN`,
 * `COMMIT` or a cancellation: the operation is left to its own fiber, which ends when its silent connection is broken (`Silence.ts`). An
 * operation that may wait for a lock or take long claims an exclusive connection before it holds any, and is repeated after a conflict. An
 * operation inside a transaction is part of the transaction: it uses the connection and the deadline of the transaction.
 *
 * Documents that wait for each other leave connections to reads, tokens and probes; of the documents of this process with one number, at
 * most one waits inside PostgreSQL; and no business has all connections. Reads of clients claim connections of their own lane, by the
 * businesses of the client. Short look-ups, on which tokens, sign-in and probes depend, claim nothing and use shared connections, which no
 * read of a client takes.
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Context, Effect, Fiber, identity, Option } from "effect"
import type { Exit } from "effect"
import type { SqlError } from "effect/sql"
import { SqlClient } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"
import { followShards, Nodes } from "./Nodes.ts"
import { callsOf, RowChecks } from "./Statements.ts"
import type { Calls } from "./Statements.ts"
import { refine, repeatConflicts } from "./StorageErrors.ts"
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
