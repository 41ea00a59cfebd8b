/**
 * Opens sessions on the first suitable host, with the first encryption that it accepts.
 *
 * Guarantee: the hosts of the URL are tried in their order, but the last one that accepted a session comes first. A silent host delays the
 * next one by at most `patienceMillis`. A session that does not match `target_session_attrs`, as on a standby, is closed at once. If no
 * host is suitable, the error has the reason for each host. If a commit stops waiting for its standby, the session breaks, because the
 * outcome of the commit is unknown. A session through a pooler is refused: a pooler that assigns sessions for single transactions loses
 * start-up parameters, prepared statements and notifications.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Latch, Schema, Scope } from "effect"
import type { Duration } from "effect"
import { SqlError } from "effect/sql"
import type { NetConnectOpts, Socket } from "node:net"
import * as Planner from "./Planner.ts"
import * as PostgresStream from "./PostgresStream.ts"
import type { Encryption, PostgresAddress, PostgresHost, SessionTarget } from "./PostgresUrl.ts"
import { rowsOf } from "./Statements.ts"
import type { RowSchema } from "./Statements.ts"
import { isAuthorizationRefused, isParameterUnknown, isTlsRefused, NoHostWillDo } from "./StorageErrors.ts"

/** A session, with its socket and its host. */
export interface Session {
  readonly connection: PgConnection.PgConnection
  readonly socket: Socket
  readonly host: PostgresHost
}

/** Opens a session. The first socket that an attempt opens is for the session; each later socket is for a cancellation. */
export type OpenSession = (
  options: Pick<PgConnection.Config, "multiplex" | "connectTimeout">,
  openSocket: (to: NetConnectOpts) => Socket
) => Effect.Effect<Session, SqlError.SqlError, Scope.Scope>

/** How long the attempt at a host waits for a silent host before it. */
const patienceMillis = 1000

/** How long the check of a host may take. */
const checkMillis = 3000

const refusal = (reason: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(reason), message: reason, operation: "connect" })
  })

/** The refusal of a session through a pooler, with the pooler's error, if any. */
const behindPooler = (cause?: unknown) => {
  const details = cause instanceof Error ? ` (${cause.message})` : ""
  const message =
    `the address is that of a pooler${details}; let the URL lead to PostgreSQL itself, because Dockline has its own pool of few connections`
  return new SqlError.SqlError({
    reason: new SqlError.AuthorizationError({ cause: new Error(message), message, operation: "connect" })
  })
}

/** The settings that sessions share. */
export interface SessionConfig extends Omit<PgConnection.Config, "stream" | "multiplex" | "ssl"> {
  /** The longest time of an attempt to open a session. */
  readonly connectTimeout: Duration.Input
}

/** Opens sessions on one host. */
const makeOnHost = (
  connection: SessionConfig,
  host: PostgresHost
): OpenSession => {
  let order = host.encryption
  return (options, openSocket) => {
    const carry = Effect.fnUntraced(function*(socket: Socket, encryption: Encryption) {
      const carrier = yield* PostgresStream.ofSession(socket, encryption)
      let isCarried = false
      const session = yield* PgConnection.make({
        ...connection,
        ...options,
        host: host.host,
        port: host.port,
        ssl: false,
        stream: () => {
          if (isCarried) return PostgresStream.ofCancellation(openSocket(host.socket), encryption)
          isCarried = true
          return carrier
        }
      })
      order = [encryption, ...order.filter((each) => each !== encryption)]
      return { connection: session, socket, host } satisfies Session
    })
    const attempt = (encryption: Encryption) =>
      Effect.suspend(() => {
        const socket = openSocket(host.socket)
        return carry(socket, encryption).pipe(
          Effect.timeoutOrElse({
            duration: options.connectTimeout ?? connection.connectTimeout,
            orElse: () => Effect.fail(refusal("Connection timed out"))
          }),
          Effect.mapError((error) => isParameterUnknown(error) ? behindPooler(error.reason.cause) : error),
          Effect.onError(() => Effect.sync(() => socket.destroy()))
        )
      })
    return Effect.suspend(() => {
      const [first, second] = order
      const firstAttempt = attempt(first)
      return second === undefined ? firstAttempt : Effect.catchIf(
        firstAttempt,
        (error) => isTlsRefused(error) || isAuthorizationRefused(error),
        // If TLS is the reason for the second refusal too, the first error is more informative.
        (error) =>
          Effect.catch(attempt(second), (another) => Effect.fail(isTlsRefused(another) ? error : another))
      )
    })
  }
}

/** What a session lacks, by the rules of libpq; `undefined` if it is suitable. */
export const lacks = (
  target: SessionTarget,
  { isReadOnly, isStandby }: { readonly isStandby: boolean; readonly isReadOnly: boolean }
): string | undefined => {
  if (target === "any") return undefined
  if (isStandby) return "it is a standby"
  return target === "read-write" && isReadOnly ? "it is read-only" : undefined
}

/** The properties that a session reports. */
const Report = Schema.Struct({
  isStandby: Schema.Boolean,
  isReadOnly: Schema.Boolean,
  /** A number other than the one at start-up means that the session is behind a pooler. */
  processId: Schema.Number
})

type Report = typeof Report.Type

/** Runs a statement on a session and returns its rows by their schema; closes the session if the answer takes too long. */
export const ask = <Row>(
  row: RowSchema<Row>,
  { connection, socket }: Session,
  sql: string,
  millis = checkMillis
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.acquireUseRelease(
    // `Effect.timeout` would interrupt the query, which sends a cancellation and waits for its answer.
    Effect.sync(() => setTimeout(() => socket.destroy(new Error("Connection timed out")), millis)),
    () => Effect.map(connection.query(sql, [], false), ({ rows }) => rowsOf(row, sql)(rows)),
    (timer) => Effect.sync(() => clearTimeout(timer))
  )

/** Fails unless the session is suitable. From then on the session plans each statement once, except with Citus. */
const check = Effect.fnUntraced(function*(session: Session, target: SessionTarget) {
  const [report] = yield* ask(
    Report,
    session,
    `select pg_is_in_recovery() as "isStandby", pg_backend_pid() as "processId",
      current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
      ${Planner.planningOnce}`
  )
  if (report === undefined) return yield* refusal("it did not answer the check of its properties")
  const lack = lacks(target, report)
  if (lack !== undefined) return yield* refusal(`${lack}, and target_session_attrs is ${target}`)
  if (report.processId === session.connection.processId) return session
  return yield* behindPooler()
})

/** Opens sessions at an address. */
export const make = (
  connection: SessionConfig,
  { hosts, target }: PostgresAddress
): OpenSession => {
  let order = hosts.map((host) => ({ host, open: makeOnHost(connection, host) }))

  return Effect.fnUntraced(function*(options, openSocket) {
    const scope = yield* Effect.scope
    const candidates = order.map(({ host, open }) => ({
      host,
      open,
      ended: Latch.makeUnsafe(false),
      error: undefined as SqlError.SqlError | undefined
    }))
    const attempts = candidates.map((each, at) => {
      const own = Scope.forkUnsafe(scope)
      const opening = Effect.flatMap(
        each.open(options, openSocket),
        (session) => check(session, target)
      )
      const turn = at === 0
        ? Effect.void
        : Effect.timeoutOption(candidates[at - 1]!.ended.await, at * patienceMillis)
      return Effect.andThen(turn, Scope.provide(opening, own)).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            each.error = error
            each.ended.openUnsafe()
          })
        ),
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
      )
    })
    const session = yield* Effect.catch(Effect.raceAll(attempts), (error) =>
      Effect.fail(
        hosts.length === 1 && target === "any" ? error : new SqlError.SqlError({
          reason: new SqlError.ConnectionError({
            cause: new NoHostWillDo({
              refusals: candidates.flatMap(({ error, host }) => error === undefined ? [] : [{ host, error }])
            }),
            message: "No host will do",
            operation: "connect"
          })
        })
      ))
    if (order[0]!.host !== session.host) {
      order = order.toSorted((a, b) => Number(b.host === session.host) - Number(a.host === session.host))
    }
    return session
  })
}
