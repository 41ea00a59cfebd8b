/**
 * The connection that the work of a store uses: an exclusive one of a lane, or that of the transaction it is a part of.
 *
 * Guarantee: work that may wait for a lock or takes long claims an exclusive connection before it holds any; inside a
 * transaction it claims nothing. So documents that wait for each other leave connections to reads, tokens and probes, at
 * most one document of a number waits inside PostgreSQL, and no business has all connections.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { Context, Effect, identity, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"
import { LateTransaction } from "./LateTransaction.ts"

/** Runs an effect's statements and transactions on an exclusive connection. */
export type Lend = (
  claim: Claim
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Lends the connections of the pool; `Database.layer` sets it. By default the client chooses. */
export const Lending: Context.Reference<Lend> = Context.Reference<Lend>(
  "@dockline/sql-storage/Lending",
  { defaultValue: () => () => identity }
)

/** {@link Lend}, or nothing to do inside a transaction. */
export type Loan = (
  claim: Claim
) => <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError.SqlError | StorageUnavailable, R>

/** Loans of connections to the database of the `SqlClient`. */
export const loans: Effect.Effect<Loan, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const lend = yield* Lending
  return (claim) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      if (Option.isSome(yield* Effect.serviceOption(sql.transactionService))) return yield* effect
      const late = yield* LateTransaction
      return yield* late === undefined ? lend(claim)(effect) : late.join(claim)(effect)
    })
})

/** The turn of documents and pallet events that name a shipment by its number. */
export const turnOfNumber = (
  named: { readonly business: string; readonly facility: string; readonly shipmentNumber: string }
): string => JSON.stringify(["number", named.business, named.facility, named.shipmentNumber])
