/**
 * Which connection the work of a store has: one of a lane of the pool, or that of the transaction it is a part of.
 *
 * Guarantee: whatever may wait for a lock or takes long has a connection for itself, which it claims here before it has
 * any. Its claim waits for its turn, its holder's share and a connection as `ConnectionPool` says, and inside a
 * transaction it claims nothing. So documents that wait for each other leave connections to reads, tokens and probes,
 * of those that share a number one at most waits inside PostgreSQL, and no business has all connections.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { Context, Effect, identity, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"
import { LateTransaction } from "./LateTransaction.ts"

/** Runs an effect's statements and transactions on a connection of their own. */
export type Lend = (
  claim: Claim
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Lends the connections of the pool; `Database.layer` sets it. Without it a client lends as it likes. */
export const Lending: Context.Reference<Lend> = Context.Reference<Lend>(
  "@dockline/sql-storage/Lending",
  { defaultValue: () => () => identity }
)

/** {@link Lend}, or a part of the transaction that is there already. */
export type Lease = (
  claim: Claim
) => <A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError.SqlError | StorageUnavailable, R>

/** Leases of connections to the database of the `SqlClient`. */
export const leases: Effect.Effect<Lease, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const lend = yield* Lending
  return (claim) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      if (Option.isSome(yield* Effect.serviceOption(sql.transactionService))) return yield* effect
      const late = yield* LateTransaction
      return yield* late === undefined ? lend(claim)(effect) : late.join(claim)(effect)
    })
})

/** The turn of what names a shipment by its number: documents, and pallet events. */
export const turnOfNumber = (
  named: { readonly business: string; readonly facility: string; readonly shipmentNumber: string }
): string => JSON.stringify(["number", named.business, named.facility, named.shipmentNumber])
