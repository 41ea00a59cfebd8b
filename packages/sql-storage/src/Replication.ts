/** Finds settings of replication under which a failover or a crash of the database loses acknowledged data. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { callsOf, oneRow } from "./connections/Statements.ts"

/** How commits wait for standbys. */
export const Replication = Schema.Struct({
  synchronousCommit: Schema.String,
  synchronousStandbyNames: Schema.String,
  /** The number of standbys and other clients that receive the log of the database. */
  receivers: Schema.Int
})

/** How commits wait for standbys. */
export type Replication = typeof Replication.Type

/** The columns of a query for these settings. */
export const columns = `current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('synchronous_standby_names') as "synchronousStandbyNames",
  (select count(*) from pg_stat_replication)::int as receivers`

/** The warnings for a database with these settings, each with its remedy. Having no standby is not a warning. */
export const warningsOf = (
  { receivers, synchronousCommit, synchronousStandbyNames }: Replication
): ReadonlyArray<string> => {
  if (synchronousCommit === "off") {
    return ["acknowledged data may be lost when the database crashes; set synchronous_commit to on"]
  }
  if (receivers === 0 || (synchronousStandbyNames !== "" && synchronousCommit !== "local")) return []
  return [
    "replication is asynchronous, so acknowledged data may be lost when a standby is promoted; "
    + "name the standby in synchronous_standby_names, and set synchronous_commit to on"
  ]
}

/** The warnings for the database of the `SqlClient`. */
export const warnings: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError, SqlClient.SqlClient> = Effect
  .flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.map(oneRow(callsOf(sql).query(Replication)`select ${sql.literal(columns)}`), warningsOf)
  )
