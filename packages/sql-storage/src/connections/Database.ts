/** Connects to PostgreSQL by a URL. The embedded database has a URL too, so there is one driver and one SQL dialect. */
import * as Metrics from "@dockline/core/values/Metrics"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { Lane, LaneConfig } from "./ConnectionPool.ts"
import * as Planner from "./Planner.ts"
import * as PostgresClient from "./PostgresClient.ts"
import * as PostgresUrl from "./PostgresUrl.ts"
import * as StorageMetrics from "./StorageMetrics.ts"

/** How the database is reached. */
export interface DatabaseConfig {
  /** `postgres://user:password@host:port/database`, with options and several hosts as in libpq (`PostgresUrl.ts`). */
  readonly url: Redacted.Redacted
  /**
   * The connections of this process for transactions, reads of clients and short look-ups, from {@link leastConnections}: with fewer,
   * transactions have a single connection, which one business can hold alone. A number below 5 is exceeded, because reads have at least two
   * connections and the others at least one. One more connection listens, and two more serve webhooks. The transaction of a document holds
   * one.
   */
  readonly maxConnections: number
  /** Further connections for users that never return them, such as the placement of webhooks. */
  readonly reservedConnections: number
  /** The longest time of a statement, in milliseconds; then the request answers 503. */
  readonly statementTimeoutMillis: number
  /** The longest wait of a statement for a lock, in milliseconds; then the request answers 503. */
  readonly lockTimeoutMillis: number
  /** The longest wait for an exclusive connection, in milliseconds; then the request answers 503. */
  readonly waitMillis: number
  /**
   * The silence of a connection during a statement, in milliseconds, after which the database is asked about its session. The answer may
   * take twice as long.
   */
  readonly silenceMillis: number
}

/** The fewest connections with which no business gets all connections of a lane. */
export const leastConnections = 6

/** The default settings. */
export const defaultDatabaseConfig: Omit<DatabaseConfig, "url"> = {
  maxConnections: 10,
  reservedConnections: 0,
  statementTimeoutMillis: 30_000,
  lockTimeoutMillis: 10_000,
  waitMillis: 10_000,
  silenceMillis: 2000
}

/** The largest answer of one statement, in bytes: a shipment is read at once with all its items. */
const maxMessageSize = 256 * 1024 * 1024

/** The time that an answer may take beyond the statement timeout, in milliseconds. */
const graceMillis = 5000

/** The connection that listens for notifications of new messages. */
const listeningConnections = 1

/** The connections of the dispatchers of webhooks: one takes deliveries, one settles them. */
const dispatchingConnections = 2

const sizesOf = ({ maxConnections, reservedConnections }: Omit<DatabaseConfig, "url">) => {
  // Shared connections serve short look-ups, on which tokens, sign-in and probes depend.
  const shared = maxConnections > 2 ? 2 : 1
  const reads = Math.max(2, Math.ceil(maxConnections / 4))
  return {
    shared,
    reads,
    requests: Math.max(1, maxConnections - shared - reads),
    // At least one, for a user that reserves a connection although the setting is 0.
    reserved: Math.max(1, reservedConnections)
  }
}

/** The most connections that are opened. */
export const connectionsOf = (config: Omit<DatabaseConfig, "url">): number => {
  const { reads, requests, reserved, shared } = sizesOf(config)
  return requests + reads + reserved + dispatchingConnections + shared + listeningConnections
}

/** The lanes of exclusive connections. From {@link leastConnections} on, no business gets all of those for writes or for reads. */
export const lanesOf = (config: Omit<DatabaseConfig, "url">): Readonly<Record<Lane, LaneConfig>> => {
  const { reads, requests, reserved } = sizesOf(config)
  const { waitMillis } = config
  const laneOfSize = (size: number) => ({ size, share: size, waitMillis: Infinity })
  return {
    requests: { size: requests, share: Math.max(1, requests - Math.ceil(requests / 8)), waitMillis },
    reads: { size: reads, share: Math.ceil(reads / 2), waitMillis },
    dispatch: laneOfSize(dispatchingConnections),
    reserved: laneOfSize(reserved)
  }
}

/**
 * Opens connections to the database when they are needed. Statements outside transactions and loans share some connections. Fails if the
 * URL is invalid.
 */
export const layer = (
  config: DatabaseConfig
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, PostgresUrl.InvalidPostgresUrl> =>
  Layer.unwrap(
    Effect.map(
      Effect.suspend(() => Effect.fromResult(PostgresUrl.parse(Redacted.value(config.url)))),
      (address) => connect(config, address)
    )
  )

const connect = (config: DatabaseConfig, address: PostgresUrl.PostgresAddress) => {
  const { reads, requests, shared } = sizesOf(config)
  return Layer.merge(
    Layer.effectDiscard(Effect.all([
      Metrics.observe(StorageMetrics.connectionLimit.of(), () => connectionsOf(config)),
      Metrics.observe(StorageMetrics.transactionLimit.of(), () => requests),
      Metrics.observe(StorageMetrics.readLimit.of(), () => reads)
    ])),
    PostgresClient.layer({
      address,
      lanes: lanesOf(config),
      shared,
      silence: {
        suspectMillis: config.silenceMillis,
        probeMillis: 2 * config.silenceMillis,
        limitMillis: config.statementTimeoutMillis + graceMillis
      },
      connection: {
        url: address.url,
        applicationName: address.applicationName ?? "dockline",
        connectTimeout: `${address.connectSeconds ?? (address.hosts.length > 1 ? 3 : 5)} seconds`,
        maxMessageSize,
        startupParameters: {
          // The locks of documents need this level: each statement sees everything that was committed before it.
          default_transaction_isolation: "read committed",
          statement_timeout: String(config.statementTimeoutMillis),
          lock_timeout: String(config.lockTimeoutMillis),
          // The server releases the locks of a lost connection before this process gives up the connection.
          idle_in_transaction_session_timeout: String(config.statementTimeoutMillis),
          ...Planner.settings
        }
      }
    })
  )
}
