/**
 * The connection that work uses: an exclusive one of a lane, or that of the transaction it is a part of.
 *
 * Guarantee: documents that wait for each other leave connections to reads, tokens and probes, at most one document of a number
 * waits inside PostgreSQL, and no business has all connections. Reads of clients claim connections of a lane of their own, by
 * the businesses of who asks; short look-ups, on which tokens, sign-in and probes depend, claim nothing and share connections
 * that no read of a client takes.
 */
import { Context, Effect, identity, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"

/** Runs an effect's statements and transactions on an exclusive connection. */
export type Lend = (
  claim: Claim
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Lends the connections of the pool; `Database.layer` sets it. By default the client chooses. */
export const Lending: Context.Reference<Lend> = Context.Reference<Lend>(
  "@dockline/sql-storage/Lending",
  { defaultValue: () => () => identity }
)

/** Whether the present work is a part of a transaction. */
export const isPart = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

/** The turn of documents and pallet events that name a shipment by its number. */
export const turnOfNumber = (
  named: { readonly business: string; readonly facility: string; readonly shipmentNumber: string }
): string => JSON.stringify(["number", named.business, named.facility, named.shipmentNumber])
