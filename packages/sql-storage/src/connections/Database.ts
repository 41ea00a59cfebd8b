/**
 * The connection to PostgreSQL, by URL.
 *
 * The embedded database offers a URL too, so there is one driver and one SQL dialect, and `DATABASE_URL` changes
 * nothing but where the data is.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import * as Metrics from "@dockline/core/Metrics"
import type { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { current, newest, SchemaNewer } from "../Migrations.ts"
import { within } from "./Deadline.ts"
import * as PostgresClient from "./PostgresClient.ts"
import * as PostgresUrl from "./PostgresUrl.ts"
import * as StorageMetrics from "./StorageMetrics.ts"

/** How to reach the database. */
export interface DatabaseConfig {
  /** `postgres://user:password@host:port/database`, with options of libpq (`PostgresUrl.ts`). */
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
  /**
   * How long a statement may be under way with nothing heard on its connection, in milliseconds, before the database is
   * asked whether it is at work on it. The answer may take as long again.
   */
  readonly silenceMillis: number
}

/** 10 connections, 30 seconds a statement, 10 of them for a lock; 10 seconds for a connection, 4 of silence. */
export const defaultDatabaseConfig: Omit<DatabaseConfig, "url"> = {
  maxConnections: 10,
  reservedConnections: 0,
  statementTimeoutMillis: 30_000,
  lockTimeoutMillis: 10_000,
  waitMillis: 10_000,
  silenceMillis: 4000
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

/** Connections for the dispatchers of webhooks, one to take with and one to settle with. */
const dispatchingConnections = 2

/** How many of so many connections for requests one business has at once: the others have the rest. */
const shareOf = (size: number) => Math.max(1, size - Math.ceil(size / 8))

/**
 * Connections to the database, opened as they are needed; statements outside transactions share some. Fails where the
 * URL cannot be used.
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
  const shared = sharedConnections(config.maxConnections)
  const requests = Math.max(1, config.maxConnections - shared)
  // Whoever reserves one without having said so keeps it all the same.
  const reserved = Math.max(1, config.reservedConnections)
  const all = requests + reserved + dispatchingConnections + shared + listeningConnections
  const unbounded = (size: number) => ({ size, share: size, waitMillis: Infinity })
  return Layer.merge(
    Layer.effectDiscard(Effect.all([
      Metrics.observe(StorageMetrics.connectionLimit.of(), () => all),
      Metrics.observe(StorageMetrics.transactionLimit.of(), () => requests)
    ])),
    PostgresClient.layer({
      address,
      lanes: {
        requests: { size: requests, share: shareOf(requests), waitMillis: config.waitMillis },
        dispatch: unbounded(dispatchingConnections),
        reserved: unbounded(reserved)
      },
      shared,
      silence: {
        suspectMillis: config.silenceMillis,
        probeMillis: config.silenceMillis,
        limitMillis: config.statementTimeoutMillis + graceMillis
      },
      connection: {
        url: config.url,
        applicationName: address.applicationName ?? "dockline",
        connectTimeout: `${address.connectSeconds ?? 5} seconds`,
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
}

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
  if (found < newest) {
    const detail = "The schema of the database is older than this instance; migrate it"
    return yield* new StorageUnavailable({ cause: new SchemaOutdated(), detail })
  }
  if (found > newest) {
    const detail =
      "The schema of the database is newer than this instance; replace the instance by the newer version"
    return yield* new StorageUnavailable({ cause: new SchemaNewer({ found, known: newest }), detail })
  }
}).pipe(
  Effect.catchTag("SqlError", (cause) => Effect.fail(new StorageUnavailable({ cause }))),
  (effect) => within(effect, { millis: pingMillis, breakSilent: () => {} })
)
