/**
 * A client of PostgreSQL: the protocol, types and statements of the driver on the connections of `ConnectionPool.ts`.
 *
 * Statements outside transactions and loans share connections, and do not wait for the answers to each other. A transaction, a loan
 * (`StoreOperations.ts`), a stream and a reservation each have an exclusive connection; a listener opens one more. All connections are
 * watched for silence (`Silence.ts`).
 */
import * as Metrics from "@dockline/core/values/Metrics"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Context, Duration, Effect, Exit, Layer, Scope, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import * as ConnectionPool from "./ConnectionPool.ts"
import * as Nodes from "./Nodes.ts"
import type { NodeAddress } from "./Nodes.ts"
import { requireCommit } from "./Pipeline.ts"
import type { OpenSession } from "./PostgresSession.ts"
import * as PostgresSession from "./PostgresSession.ts"
import type { PostgresAddress } from "./PostgresUrl.ts"
import * as Silence from "./Silence.ts"
import { isReadOnly, noConnectionFree } from "./StorageErrors.ts"
import * as StorageMetrics from "./StorageMetrics.ts"
import { Deadline, Lending } from "./StoreOperations.ts"
import type { Lend } from "./StoreOperations.ts"

export interface PostgresClientConfig {
  readonly connection: PostgresSession.SessionConfig
  readonly address: PostgresAddress
  readonly lanes: ConnectionPool.PoolConfig<PooledConnection, SqlError.SqlError>["lanes"]
  /** The most shared connections. */
  readonly shared: number
  readonly silence: Silence.SilenceConfig
}

/** The most statements at once on a shared connection. Each statement waits for the earlier ones. */
const sharedBy = 32

/** How long an unused connection is kept, in milliseconds. */
const idleMillis = Duration.toMillis("1 minute")

interface PooledConnection extends ConnectionPool.Poolable {
  readonly session: PgConnection.PgConnection
  readonly connectionWatch: Silence.ConnectionWatch
  /** Keeps the connection from being lent again. */
  readonly spoil: () => void
  /** Called when a statement failed because the session may not write. */
  readonly onReadOnly: () => void
}

const openPooled = (
  openSession: OpenSession,
  { address, watch }: { readonly address: PostgresAddress; readonly watch: Silence.Watch }
): Effect.Effect<PooledConnection, SqlError.SqlError, Scope.Scope> =>
  Effect.map(openSession({ multiplex: true }, watch.openSocket), (session) => {
    let spoilt = false
    const connectionWatch = watch.add(session.socket, session.host, session.connection.processId)
    return {
      session: session.connection,
      connectionWatch,
      onReadOnly: () => {
        if (address.target === "read-write" || address.target === "primary") connectionWatch.leaveHost()
      },
      usable: () => !spoilt && !session.socket.destroyed,
      spoil: () => {
        spoilt = true
      }
    }
  })

type Guard = <A>(effect: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, SqlError.SqlError>

type Failure = Cause.Cause<SqlError.SqlError>

const isAmong = (cause: Failure, is: (error: SqlError.SqlError) => boolean): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && is(reason.error))

/** Spoils a connection when a statement ends in a way that `spoils` names. */
const guardOf =
  ({ connectionWatch, onReadOnly, spoil }: PooledConnection, spoils: (cause: Failure) => boolean): Guard =>
  (effect) =>
    connectionWatch.during(Effect.onError(effect, (cause) =>
      Effect.sync(() => {
        if (spoils(cause)) spoil()
        if (isAmong(cause, isReadOnly)) onReadOnly()
      })))

const isLost = (cause: Failure) => isAmong(cause, ({ reason }) => reason._tag === "ConnectionError")

/** Whether the connection is lost, or a cancellation may arrive too late and hit the next statement. */
const lostOrCancelled = (cause: Failure) => Cause.hasInterrupts(cause) || isLost(cause)

/** Makes a connection of the client from a session of the driver. */
const connectionOf = (session: PgConnection.PgConnection, guard: Guard): SqlConnection.Connection => {
  const execute = (prepare: boolean): SqlConnection.Connection["execute"] => (sql, params, transform) =>
    Effect.map(
      guard(session.query(sql, params, prepare)),
      ({ rows }) => transform === undefined ? rows : transform(rows)
    )
  return {
    execute: execute(true),
    executeUnprepared: execute(false),
    executeRaw: (sql, params) => guard(session.query(sql, params)),
    executeValues: (sql, params) => guard(session.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => guard(session.queryValues(sql, params, false)),
    executeStream: (sql, params, transform) => {
      const stream = Stream.onError(
        session.stream(sql, params),
        (cause) => Effect.ignore(guard(Effect.failCause(cause)))
      )
      return transform === undefined ? stream : Stream.map(stream, (row) => transform([row])[0])
    }
  }
}

/**
 * Passes a statement that is a single text unchanged. The compiler of the driver stores its results in weak maps, so that each minor
 * garbage collection would copy the arguments of all statements since the previous one.
 */
const plainly = (compiler: Statement.Compiler): Statement.Compiler => ({
  dialect: compiler.dialect,
  compile: (statement, withoutTransform) => {
    const [first, second] = statement.segments
    return first?._tag === "Literal" && second === undefined
      ? [first.value, first.params ?? []]
      : compiler.compile(statement, withoutTransform)
  },
  get withoutTransform() {
    return this
  }
})

interface PgJson extends Statement.Custom<"PgJson", unknown> {}

/** Marks a parameter as JSON for the driver's compiler. */
const pgJson = Statement.custom<PgJson>("PgJson")

/** The connection that the current work has claimed. */
const ClaimedConnection: Context.Reference<SqlConnection.Connection | undefined> = Context.Reference<
  SqlConnection.Connection | undefined
>("@dockline/sql-storage/Claimed", { defaultValue: () => undefined })

const make = Effect.fnUntraced(function*(config: PostgresClientConfig) {
  const scope = yield* Effect.scope
  const watches: Array<Silence.Watch> = []

  /** Makes the function that opens and watches connections at an address. */
  const openerOf = Effect.fnUntraced(function*(address: PostgresAddress) {
    const openSession = PostgresSession.make(config.connection, address)
    const look = Silence.lookBy(openSession, address.hosts, config.silence.probeMillis)
    const watch = yield* Silence.watch(config.silence, look)
    watches.push(watch)
    return openPooled(openSession, { address, watch })
  })

  const open = yield* openerOf(config.address)
  const openers = new Map<string, Effect.Success<ReturnType<typeof openerOf>>>()

  /** Opens a connection to a node of the cluster, with the options of the URL and the address of the node. */
  const openAt = Effect.fnUntraced(function*({ host, port }: NodeAddress) {
    const key = Nodes.keyOf({ host, port })
    const [first] = config.address.hosts
    const opener = openers.get(key) ??
      (yield* Scope.provide(
        openerOf({
          ...config.address,
          hosts: [{ ...first, host, port, socket: { ...first.socket, host, port } }]
        }),
        scope
      ))
    openers.set(key, opener)
    return yield* opener
  })

  const pool = yield* ConnectionPool.make<PooledConnection, SqlError.SqlError>({
    openExclusive: (node) => node === undefined ? open : Effect.tapError(openAt(node), () => nodes.forget),
    openShared: open,
    lanes: config.lanes,
    busy: noConnectionFree,
    shared: config.shared,
    sharedBy,
    idleMillis
  })

  const exclusive = Effect.fnUntraced(function*(claim: ConnectionPool.Claim) {
    const slot = yield* pool.exclusive(claim)
    if (claim.isPipelined === true) {
      // `Effect.addFinalizer` would copy all services.
      yield* Scope.addFinalizerExit(
        yield* Effect.scope,
        (exit) => Effect.sync(() => Exit.isSuccess(exit) || slot.spoil())
      )
      return connectionOf(slot.session, guardOf(slot, lostOrCancelled))
    }
    // A statement that still runs when the scope closes breaks the connection.
    return connectionOf(yield* slot.session.pin, guardOf(slot, lostOrCancelled))
  })

  /** The claimed connection, or an exclusive one. */
  const claimedConnection = Effect.flatMap(
    ClaimedConnection,
    (connection) => connection === undefined ? exclusive({ lane: "requests" }) : Effect.succeed(connection)
  )

  // The coordinator knows where shards are, so a statement that fails because a shard moved is simply repeated.
  const follow = Nodes.followShards(Effect.void)

  const shared: SqlConnection.Borrower = (use) =>
    Effect.flatMap(ClaimedConnection, (connection) =>
      connection === undefined
        ? follow(pool.shared((slot) => use(connectionOf(slot.session, guardOf(slot, isLost)))))
        : use(connection))

  const lend: Lend = (claim) => (effect) => {
    const enter = <A, E, R>(entry: Effect.Effect<A, E, R>) =>
      Effect.scoped(
        Effect.flatMap(exclusive(claim), (connection) =>
          Effect.provideService(entry, ClaimedConnection, connection))
      )
    if (claim.lane === "requests") return StorageMetrics.waiting(enter, effect)
    return claim.lane === "reads" ? StorageMetrics.reading(enter, effect) : enter(effect)
  }

  const client = yield* SqlClient.make({
    driver: "pg",
    // Used for streams.
    acquirer: claimedConnection,
    borrower: shared,
    transactionAcquirer: claimedConnection,
    prepareTransactionControls: true,
    commit: (connection) => requireCommit(connection.executeRaw("COMMIT", [])),
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: plainly(PgClient.makeCompiler()),
    spanAttributes: [["db.system.name", "postgresql"]]
  })

  const nodes = Nodes.make(client)
  const listening = Effect.map(open, ({ session }) => session)
  const pgClient: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: config.connection,
    // A reserved connection is never returned.
    reserve: exclusive({ lane: "reserved" }),
    json: (value: unknown) => Statement.fragment([pgJson(value)]),
    listen: (channel: string) => Effect.flatMap(listening, (session) => session.listen(channel)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(
        shared((connection) => connection.executeRaw("SELECT pg_notify($1, $2)", [channel, payload]))
      )
  })
  return { client: pgClient, lend, nodes, watches }
})

/** The client of a database, with the references to its connections, its nodes and its deadline. */
export const layer = (config: PostgresClientConfig): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const { client, lend, nodes, watches } = yield* make(config)
      yield* Metrics.observe(
        StorageMetrics.connections.of(),
        () => watches.reduce((sum, watch) => sum + watch.size(), 0)
      )
      return Context.make(PgClient.PgClient, client).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(Lending, lend),
        Context.add(Nodes.Nodes, nodes),
        Context.add(Deadline, {
          millis: config.silence.limitMillis,
          waitMillis: config.lanes.requests.waitMillis
        })
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
