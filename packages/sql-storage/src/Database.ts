/**
 * The connection to PostgreSQL, by URL.
 *
 * The embedded database offers a URL too, so there is one driver and one SQL dialect, and `DATABASE_URL` changes
 * nothing but where the data is.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import * as Metrics from "@dockline/core/Metrics"
import type { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { NetConnectOpts } from "node:net"
import { Deadline, makeWires, within } from "./Deadline.ts"
import { current, newest, SchemaNewer } from "./Migrations.ts"
import { dispatchingConnections } from "./OwnConnection.ts"
import * as PostgresClient from "./PostgresClient.ts"
import * as StorageMetrics from "./StorageMetrics.ts"
import type { Limit } from "./Transactions.ts"

/** How to reach the database. */
export interface DatabaseConfig {
  /** `postgres://user:password@host:port/database`, with the options of libpq. */
  readonly url: Redacted.Redacted
  /**
   * Connections of this process, and a few more: one that listens, and two for webhooks. A
   * document holds one while its transaction runs.
   */
  readonly maxConnections: number
  /** Connections that others of this process take for good, such as the placement of webhooks: they are added. */
  readonly reservedConnections: number
  /** How long one statement may take, in milliseconds, before the request answers 503. */
  readonly statementTimeoutMillis: number
  /** How long a statement may wait for one lock, in milliseconds, before the request answers 503. */
  readonly lockTimeoutMillis: number
  /** How long an operation may wait for a connection of its own, in milliseconds, before the request answers 503. */
  readonly waitMillis: number
}

/** 10 connections, 30 seconds a statement, 10 of them for a lock; 10 seconds for a connection. */
export const defaultDatabaseConfig: Omit<DatabaseConfig, "url"> = {
  maxConnections: 10,
  reservedConnections: 0,
  statementTimeoutMillis: 30_000,
  lockTimeoutMillis: 10_000,
  waitMillis: 10_000
}

/** The largest answer of one statement: a shipment is read whole, with all its items. */
const maxMessageSize = 256 * 1024 * 1024

/** What an answer may take on top of the statement timeout before the database counts as silent. */
const graceMillis = 5000

/** How long a readiness probe waits. */
const pingMillis = 2000

/** Listens for notifications of new messages, beside the connections that are asked for. */
const listeningConnections = 1

/** Connections that statements outside transactions share; of very few, one. */
const sharedConnections = (maxConnections: number) => maxConnections > 2 ? 2 : 1

/**
 * How many transactions of documents run at once in this process, and how long others wait for them. `layer` sets it
 * below the number of its connections; without `layer` it fits the default of 10.
 */
export const TransactionLimit: Context.Reference<Limit> = Context.Reference<Limit>(
  "@dockline/sql-storage/TransactionLimit",
  {
    defaultValue: () => ({
      running: defaultDatabaseConfig.maxConnections - sharedConnections(defaultDatabaseConfig.maxConnections),
      waitMillis: defaultDatabaseConfig.waitMillis
    })
  }
)

/** Where a URL leads, as the driver reads it; it reports a URL that is none. */
const addressOf = (text: string): NetConnectOpts => {
  const url = URL.parse(text)
  const given = url?.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url?.hostname
  const host = url?.searchParams.getAll("host").at(-1) ?? (decodeURIComponent(given ?? "") || "localhost")
  const port = Number(url?.searchParams.getAll("port").at(-1) ?? (url?.port || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port, noDelay: true }
}

/** Connections to the database, opened as they are needed; statements outside transactions share some. */
export const layer = (
  config: DatabaseConfig
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.suspend(() => {
    const millis = config.statementTimeoutMillis + graceMillis
    const wires = makeWires(addressOf(Redacted.value(config.url)), millis)
    const shared = sharedConnections(config.maxConnections)
    const transactionLimit = Math.max(1, config.maxConnections - shared)
    const exclusive = transactionLimit + config.reservedConnections + dispatchingConnections
    const connectionLimit = exclusive + shared + listeningConnections
    return Layer.mergeAll(
      Layer.effectDiscard(Effect.all([
        Metrics.observe(StorageMetrics.connections.of(), wires.size),
        Metrics.observe(StorageMetrics.connectionLimit.of(), () => connectionLimit),
        Metrics.observe(StorageMetrics.transactionLimit.of(), () => transactionLimit)
      ])),
      Layer.succeed(Deadline, { millis, breakSilent: wires.breakSilent }),
      Layer.succeed(TransactionLimit, { running: transactionLimit, waitMillis: config.waitMillis }),
      PostgresClient.layer({
        exclusive,
        shared,
        openSocket: wires.open,
        connection: {
          url: config.url,
          applicationName: "dockline",
          connectTimeout: "5 seconds",
          maxMessageSize,
          startupParameters: {
            // What a document's locks rely on: each statement sees what was committed before it.
            default_transaction_isolation: "read committed",
            statement_timeout: String(config.statementTimeoutMillis),
            lock_timeout: String(config.lockTimeoutMillis),
            // Before this side gives up a silent connection, so that its locks are gone when traffic returns.
            idle_in_transaction_session_timeout: String(config.statementTimeoutMillis)
          }
        }
      })
    )
  })

/** The schema is older than this code. */
export class SchemaOutdated extends Data.TaggedError("SchemaOutdated")<{}> {
  override readonly message = "The newest migration has not run"
}

/**
 * Succeeds when the database answers and its schema is the one this code knows; for readiness probes. An instance
 * beneath which a newer version changes the schema is no longer ready: nothing new is sent to it.
 */
export const ping: Effect.Effect<void, StorageUnavailable, SqlClient.SqlClient> = Effect.gen(function*() {
  const found = yield* current
  if (found < newest) return yield* new StorageUnavailable({ cause: new SchemaOutdated() })
  if (found > newest) {
    return yield* new StorageUnavailable({ cause: new SchemaNewer({ found, known: newest }) })
  }
}).pipe(
  Effect.catchTag("SqlError", (cause) => Effect.fail(new StorageUnavailable({ cause }))),
  (effect) => within(effect, { millis: pingMillis, breakSilent: () => {} })
)
