/**
 * The connection to PostgreSQL, by URL.
 *
 * The embedded database offers a URL too, so there is one driver and one SQL dialect, and `DATABASE_URL` changes
 * nothing but where the data is.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { refine } from "./StorageErrors.ts"

/** How to reach the database. */
export interface DatabaseConfig {
  /** `postgres://user:password@host:port/database`, with the options of libpq. */
  readonly url: Redacted.Redacted
  /** Connections of this process; a document holds one while its transaction runs. */
  readonly maxConnections: number
  /** How long one statement may take, in milliseconds, before the request answers 503. */
  readonly statementTimeoutMillis: number
}

/** 10 connections, 30 seconds a statement. */
export const defaultDatabaseConfig: Omit<DatabaseConfig, "url"> = {
  maxConnections: 10,
  statementTimeoutMillis: 30_000
}

/** The largest answer of one statement: a shipment is read whole, with all its items. */
const maxMessageSize = 256 * 1024 * 1024

/** A pool of connections; statements outside transactions share connections. */
export const layer = (
  config: DatabaseConfig
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layer({
    url: config.url,
    maxConnections: config.maxConnections,
    applicationName: "dockline",
    connectTimeout: "5 seconds",
    multiplex: true,
    maxMessageSize,
    startupParameters: {
      statement_timeout: String(config.statementTimeoutMillis),
      idle_in_transaction_session_timeout: "60000"
    }
  })

/** Succeeds when the database answers; for readiness probes. */
export const ping = Effect.flatMap(SqlClient.SqlClient, (sql) => refine(Effect.asVoid(sql`select 1`)))
