/**
 * A client of PostgreSQL whose connections are lent by a pool of our own (`ConnectionPool.ts`); the protocol, its types
 * and the statements are the driver's.
 *
 * Statements outside transactions share connections, to which they are written without waiting for each other's
 * answers. A transaction has a connection for itself, and so has whoever reserves one. Whoever listens opens another.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Duration, Effect, Layer, Stream } from "effect"
import type { Scope } from "effect"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import type { Socket } from "node:net"
import * as ConnectionPool from "./ConnectionPool.ts"

/** How a client connects, and how often. */
export interface PostgresClientConfig {
  /** How one connection is opened, but for its socket. */
  readonly connection: Omit<PgConnection.Config, "stream" | "multiplex">
  /** Opens a socket to the database. */
  readonly openSocket: () => Socket
  /** How many connections transactions have at most, together with whoever reserves one. */
  readonly exclusive: number
  /** How many connections the other statements have at most. */
  readonly shared: number
}

/** How many statements are under way on one shared connection; each waits for the slowest before it. */
const sharedBy = 32

/** How long a connection is kept that nobody uses. */
const idleMillis = Duration.toMillis("1 minute")

/** A connection of the pool. */
interface Pooled extends ConnectionPool.Poolable {
  readonly session: PgConnection.PgConnection
  /** Has it lent to nobody any more. */
  readonly spoil: () => void
}

/** Opens a connection on a socket of its own; those that carry its cancellations are opened by the driver as well. */
const open = (
  { connection, openSocket }: PostgresClientConfig,
  multiplex: boolean
): Effect.Effect<Pooled, SqlError.SqlError, Scope.Scope> =>
  Effect.suspend(() => {
    let socket: Socket | undefined
    let spoilt = false
    const stream = () => {
      const opened = openSocket()
      socket ??= opened
      return opened
    }
    return Effect.map(PgConnection.make({ ...connection, multiplex, stream }), (session) => ({
      session,
      usable: () => !spoilt && socket?.destroyed === false,
      spoil: () => {
        spoilt = true
      }
    }))
  })

type Guard = <A>(effect: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, SqlError.SqlError>

/** Has a connection spoilt by what ends statements so that it must not be lent again. */
const guardOf =
  (spoil: () => void, spoils: (cause: Cause.Cause<SqlError.SqlError>) => boolean): Guard => (effect) =>
    Effect.onError(effect, (cause) =>
      Effect.sync(() => {
        if (spoils(cause)) spoil()
      }))

const lost = (cause: Cause.Cause<SqlError.SqlError>) =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error.reason._tag === "ConnectionError")

/** A cancellation that came too late for its statement would meet the next one's. */
const lostOrCancelled = (cause: Cause.Cause<SqlError.SqlError>) => Cause.hasInterrupts(cause) || lost(cause)

/** A session of the driver as the connection of a client. */
const connectionOf = (session: PgConnection.PgConnection, guard: Guard): SqlConnection.Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    Effect.map(guard(session.query(sql, params, prepare)), (result) => result.rows)
  return {
    execute: (sql, params, transform) => {
      const found = rows(sql, params, true)
      return transform === undefined ? found : Effect.map(found, transform)
    },
    executeUnprepared: (sql, params, transform) => {
      const found = rows(sql, params, false)
      return transform === undefined ? found : Effect.map(found, transform)
    },
    executeRaw: (sql, params) => guard(session.query(sql, params)),
    executeValues: (sql, params) => guard(session.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => guard(session.queryValues(sql, params, false)),
    executeStream: (sql, params, transform) => {
      const found = Stream.onError(
        session.stream(sql, params),
        (cause) => Effect.ignore(guard(Effect.failCause(cause)))
      )
      return transform === undefined ? found : Stream.map(found, (row) => transform([row])[0])
    }
  }
}

/** The driver's: PostgreSQL answers `ROLLBACK` to the `COMMIT` of a transaction that had failed. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(
    connection.executeRaw("COMMIT", []),
    (result) =>
      (result as PgConnection.Result).command === "COMMIT"
        ? Effect.void
        : new SqlError.SqlError({
          reason: new SqlError.UnknownError({
            cause: new Error("The transaction had failed before"),
            message: "The transaction was rolled back by its COMMIT",
            operation: "commit"
          })
        })
  )

interface PgJson extends Statement.Custom<"PgJson", unknown> {}

/** Marks a parameter as JSON for the driver's compiler. */
const pgJson = Statement.custom<PgJson>("PgJson")

/** What spans of statements tell of the database. */
const attributes: ReadonlyArray<readonly [string, unknown]> = [["db.system.name", "postgresql"]]

const make = Effect.fnUntraced(function*(config: PostgresClientConfig) {
  const pool = yield* ConnectionPool.make({
    openExclusive: open(config, false),
    openShared: open(config, true),
    exclusive: config.exclusive,
    shared: config.shared,
    sharedBy,
    idleMillis
  })

  const exclusive = Effect.gen(function*() {
    const { session, spoil } = yield* pool.exclusive
    // What still runs on it when the scope closes breaks it.
    return connectionOf(yield* session.pin, guardOf(spoil, lostOrCancelled))
  })

  const shared: SqlConnection.Borrower = (use) =>
    pool.shared(({ session, spoil }) => use(connectionOf(session, guardOf(spoil, lost))))

  const client = yield* SqlClient.make({
    driver: "pg",
    // For streams, which keep a connection while they are read.
    acquirer: exclusive,
    borrower: shared,
    transactionAcquirer: exclusive,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    spanAttributes: attributes
  })

  const listening = Effect.suspend(() =>
    PgConnection.make({ ...config.connection, stream: config.openSocket })
  )
  return Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: config.connection,
    json: (value: unknown) => Statement.fragment([pgJson(value)]),
    listen: (channel: string) => Effect.flatMap(listening, (session) => session.listen(channel)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(
        shared((connection) => connection.executeRaw("SELECT pg_notify($1, $2)", [channel, payload]))
      )
  })
})

/** The client of a database, opened as it is needed. */
export const layer = (config: PostgresClientConfig): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layerFrom(make(config))
