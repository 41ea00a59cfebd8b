/**
 * The connection that the work of a store uses: an exclusive one of a lane, or that of the transaction it is a part of.
 *
 * Guarantee: work that may wait for a lock or takes long claims an exclusive connection before it holds any; inside a
 * transaction it claims nothing. So documents that wait for each other leave connections to reads, tokens and probes, at
 * most one document of a number waits inside PostgreSQL, and no business has all connections. Reads of clients claim
 * connections of a lane of their own, by the businesses of who asks; short look-ups, on which tokens, sign-in and probes
 * depend, claim nothing and share connections that no read of a client takes.
 */
import { Context, Effect, identity, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { transaction } from "./AfterCommit.ts"
import type { Claim } from "./ConnectionPool.ts"
import { followShards, Nodes } from "./Nodes.ts"
import { repeatConflicts } from "./StorageErrors.ts"

/** A claim of the work of a store: its connection leads to the node of a business, if one is named by its id. */
export interface StoreClaim extends Omit<Claim, "node"> {
  readonly business?: string | undefined
}

/** {@link Lend} for the work of a store. */
export type LendToStore = (
  claim: StoreClaim
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

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

/**
 * Repeats work after a conflict, as `repeatConflicts` does; inside a transaction up to a savepoint, without which a statement that
 * failed leaves nothing to be repeated.
 */
export const repeatable = (sql: SqlClient.SqlClient) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  repeatConflicts(
    Effect.flatMap(
      isPart(sql),
      (part): Effect.Effect<A, E | SqlError.SqlError, R> => part ? transaction(sql)(work) : work
    )
  )

/** {@link LendToStore} for the database of the `SqlClient`; inside a transaction there is nothing to lend. */
export const loans: Effect.Effect<LendToStore, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const lend = yield* Lending
  const nodes = yield* Nodes
  const follow = followShards(nodes.forget)
  return ({ business, ...claim }) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      isPart(sql),
      (isPart): Effect.Effect<A, E | SqlError.SqlError, R> =>
        isPart
          ? effect
          : follow(Effect.flatMap(
            business === undefined ? Effect.undefined : nodes.of(business),
            (node) => lend({ ...claim, node })(effect)
          ))
    )
})

/** The turn of documents and pallet events that name a shipment by its number. */
export const turnOfNumber = (
  named: { readonly business: string; readonly facility: string; readonly shipmentNumber: string }
): string => JSON.stringify(["number", named.business, named.facility, named.shipmentNumber])
