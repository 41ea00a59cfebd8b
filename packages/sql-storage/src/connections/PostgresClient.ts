/**
 * A client of PostgreSQL whose connections are lent by a pool of our own (`ConnectionPool.ts`); the protocol, its types
 * and the statements are the driver's.
 *
 * Statements outside transactions share connections, to which they are written without waiting for each other's
 * answers. A transaction has a connection for itself, and so has whoever claims one (`Lease.ts`) or reserves one.
 * Whoever listens opens another. All of them are watched for silence (`Silence.ts`).
 */
import * as Metrics from "@dockline/core/Metrics"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Context, Duration, Effect, Layer, Stream } from "effect"
import type { Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import type { Socket } from "node:net"
import * as ConnectionPool from "./ConnectionPool.ts"
import { Deadline } from "./Deadline.ts"
import { Lending } from "./Lease.ts"
import type { Lend } from "./Lease.ts"
import type { Encryption, PostgresAddress } from "./PostgresUrl.ts"
import * as Silence from "./Silence.ts"
import { isAuthorizationRefused, isTlsRefused, NoConnectionFree } from "./StorageErrors.ts"
import * as StorageMetrics from "./StorageMetrics.ts"

/** How a client connects, and how often. */
export interface PostgresClientConfig {
  /** How one connection is opened, but for its socket and its encryption. */
  readonly connection: Omit<PgConnection.Config, "stream" | "multiplex" | "ssl">
  /** Where the database is. */
  readonly address: PostgresAddress
  /** The connections that are lent to one at a time. */
  readonly lanes: ConnectionPool.PoolConfig<Pooled, SqlError.SqlError>["lanes"]
  /** How many connections the other statements have at most. */
  readonly shared: number
  /** When a silent connection is given up. */
  readonly silence: Silence.SilenceConfig
}

/** How many statements are under way on one shared connection; each waits for the slowest before it. */
const sharedBy = 32

/** How long a connection is kept that nobody uses. */
const idleMillis = Duration.toMillis("1 minute")

/** A connection of the pool. */
interface Pooled extends ConnectionPool.Poolable {
  readonly session: PgConnection.PgConnection
  readonly watched: Silence.Watched
  /** Has it lent to nobody any more. */
  readonly spoil: () => void
}

/** Opens a session on sockets of its own: the first carries it, others its cancellations. */
type OpenSession = (
  options: Pick<PgConnection.Config, "multiplex" | "connectTimeout">,
  openSocket: () => Socket
) => Effect.Effect<PgConnection.PgConnection, SqlError.SqlError, Scope.Scope>

/** Opens sessions in the first encryption that the database takes, beginning with the one it took last. */
const makeOpenSession = ({ address, connection }: PostgresClientConfig): OpenSession => {
  let order: ReadonlyArray<Encryption> = address.encryption
  return (options, openSocket) => {
    const attempt = (ssl: Encryption) =>
      Effect.tap(
        PgConnection.make({ ...connection, ...options, ssl, stream: openSocket }),
        () =>
          Effect.sync(() => {
            if (order[0] !== ssl) order = [ssl, ...order.filter((each) => each !== ssl)]
          })
      )
    return Effect.suspend(() => {
      const [first, second] = order
      const opened = attempt(first!)
      return second === undefined ? opened : Effect.catchIf(
        opened,
        (error) => isTlsRefused(error) || isAuthorizationRefused(error),
        // Where the second way is no way at all, what was said to the first tells more.
        (error) =>
          Effect.catch(attempt(second), (another) => Effect.fail(isTlsRefused(another) ? error : another))
      )
    })
  }
}

/** Opens a connection for the pool. */
const openPooled = (
  openSession: OpenSession,
  watch: Silence.Watch,
  multiplex: boolean
): Effect.Effect<Pooled, SqlError.SqlError, Scope.Scope> =>
  Effect.suspend(() => {
    let socket: Socket | undefined
    let opened = false
    let spoilt = false
    const openSocket = () => {
      const given = watch.openSocket()
      if (!opened) socket = given
      return given
    }
    return Effect.map(openSession({ multiplex }, openSocket), (session) => {
      opened = true
      return {
        session,
        watched: watch.add(socket!, session.processId),
        usable: () => !spoilt && !socket!.destroyed,
        spoil: () => {
          spoilt = true
        }
      }
    })
  })

type Guard = <A>(effect: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, SqlError.SqlError>

/** Has a connection spoilt by what ends statements so that it must not be lent again. */
const guardOf =
  ({ spoil, watched }: Pooled, spoils: (cause: Cause.Cause<SqlError.SqlError>) => boolean): Guard =>
  (effect) =>
    watched.during(Effect.onError(effect, (cause) =>
      Effect.sync(() => {
        if (spoils(cause)) spoil()
      })))

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

/** The connection that was claimed for the work that is at hand. */
const Claimed: Context.Reference<SqlConnection.Connection | undefined> = Context.Reference<
  SqlConnection.Connection | undefined
>("@dockline/sql-storage/Claimed", { defaultValue: () => undefined })

const busy = (waitMillis: number) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: new NoConnectionFree({ waitMillis }),
      message: "No connection was free",
      operation: "claim"
    })
  })

/** What spans of statements tell of the database. */
const attributes: ReadonlyArray<readonly [string, unknown]> = [["db.system.name", "postgresql"]]

const make = Effect.fnUntraced(function*(config: PostgresClientConfig) {
  const openSession = makeOpenSession(config)
  const { probeMillis } = config.silence
  const watch = yield* Silence.watch(
    config.address.socket,
    config.silence,
    Silence.lookBy((openSocket) => openSession({ connectTimeout: probeMillis }, openSocket), probeMillis)
  )
  const pool = yield* ConnectionPool.make<Pooled, SqlError.SqlError>({
    openExclusive: openPooled(openSession, watch, false),
    openShared: openPooled(openSession, watch, true),
    lanes: config.lanes,
    busy,
    shared: config.shared,
    sharedBy,
    idleMillis
  })

  const exclusive = Effect.fnUntraced(function*(claim: ConnectionPool.Claim) {
    const pooled = yield* pool.exclusive(claim)
    // What still runs on it when the scope closes breaks it.
    return connectionOf(yield* pooled.session.pin, guardOf(pooled, lostOrCancelled))
  })

  /** The connection that was claimed, or one for this alone. */
  const claimed = Effect.flatMap(
    Claimed,
    (connection) => connection === undefined ? exclusive({ lane: "requests" }) : Effect.succeed(connection)
  )

  const shared: SqlConnection.Borrower = (use) =>
    Effect.flatMap(Claimed, (connection) =>
      connection === undefined
        ? pool.shared((pooled) => use(connectionOf(pooled.session, guardOf(pooled, lost))))
        : use(connection))

  const lend: Lend = (claim) => (effect) => {
    const enter = <A, E, R>(entered: Effect.Effect<A, E, R>) =>
      Effect.scoped(
        Effect.flatMap(exclusive(claim), (connection) => Effect.provideService(entered, Claimed, connection))
      )
    return claim.lane === "requests" ? StorageMetrics.waiting(enter, effect) : enter(effect)
  }

  const client = yield* SqlClient.make({
    driver: "pg",
    // For streams, which keep a connection while they are read.
    acquirer: claimed,
    borrower: shared,
    transactionAcquirer: claimed,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    spanAttributes: attributes
  })

  const listening = Effect.map(openPooled(openSession, watch, false), ({ session }) => session)
  const pgClient: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: config.connection,
    // Whoever reserves a connection keeps it.
    reserve: exclusive({ lane: "reserved" }),
    json: (value: unknown) => Statement.fragment([pgJson(value)]),
    listen: (channel: string) => Effect.flatMap(listening, (session) => session.listen(channel)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(
        shared((connection) => connection.executeRaw("SELECT pg_notify($1, $2)", [channel, payload]))
      )
  })
  return { client: pgClient, lend, watch }
})

/** The client of a database, opened as it is needed, with what lends its connections and ends its silence. */
export const layer = (config: PostgresClientConfig): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const { client, lend, watch } = yield* make(config)
      yield* Metrics.observe(StorageMetrics.connections.of(), watch.size)
      return Context.make(PgClient.PgClient, client).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(Lending, lend),
        Context.add(Deadline, { millis: config.silence.limitMillis, breakSilent: watch.breakSilent })
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
