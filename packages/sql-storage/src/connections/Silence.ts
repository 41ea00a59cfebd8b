/**
 * Connections that are silent though a statement is under way.
 *
 * Guarantee: a statement does not wait for a server that no longer works on it. When a connection has been silent for
 * `suspectMillis`, a connection of its own, to where the address leads now, asks the database about the session. The silent
 * connection is broken unless the session is at work there; if its host does not answer, unless anything is heard of that
 * host meanwhile. So a server that hangs or is replaced, and a network that swallows packets, cost some 10 s, and a slow
 * statement costs nothing. After `limitMillis` a silent connection is broken in any case.
 *
 * Silence is measured in bytes of the socket, below TLS.
 */
import { Effect, Exit } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"
import type { OpenSession } from "./PostgresSession.ts"
import type { PostgresAddress, PostgresHost } from "./PostgresUrl.ts"
import { NoHostWillDo, sqlState } from "./StorageErrors.ts"

export interface SilenceConfig {
  /** The silence after which the database is asked about the session, in milliseconds. */
  readonly suspectMillis: number
  /** The longest wait for its answer, in milliseconds. */
  readonly probeMillis: number
  /** The silence after which a connection is broken, in milliseconds. */
  readonly limitMillis: number
}

/** The answer about sessions. */
export interface Look {
  /** The hosts that answer. */
  readonly answering: ReadonlySet<PostgresHost>
  /** The sessions at work on the host that let us in, where it tells. */
  readonly atWork?: ReadonlySet<number>
}

export interface Watched {
  /** Runs a statement. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Breaks all connections to its host. */
  readonly leaveHost: () => void
}

export interface Watch {
  /** Opens a socket. */
  readonly openSocket: (to: NetConnectOpts) => Socket
  /** Watches the session on a socket. */
  readonly add: (socket: Socket, host: PostgresHost, processId: number) => Watched
  /** The number of open sockets. */
  readonly size: () => number
}

/** A watched connection. Times are of `performance.now()`. */
interface Line {
  readonly socket: Socket
  readonly host: PostgresHost
  readonly processId: number
  bytes: number
  heardAt: number
  /** The number of statements under way, and since when there are any. */
  due: number
  dueAt: number
  /** When the last answer found nothing wrong with it. */
  excusedAt: number
}

/** Since when an answer is due and nothing has come. */
const silentSince = ({ dueAt, heardAt }: Line): number => Math.max(dueAt, heardAt)

const listen = (line: Line, now: number): void => {
  if (line.socket.bytesRead === line.bytes) return
  line.bytes = line.socket.bytesRead
  line.heardAt = now
}

const breakLine = ({ socket }: Line, reason: string): void => void socket.destroy(new Error(reason))

/** Watches connections until the scope closes; `look` asks the database about sessions. */
export const watch = (
  { limitMillis, suspectMillis }: SilenceConfig,
  look: (openSocket: Watch["openSocket"], processIds: ReadonlyArray<number>) => Effect.Effect<Look>
): Effect.Effect<Watch, never, Scope.Scope> =>
  Effect.gen(function*() {
    const tickMillis = suspectMillis / 4
    const lines = new Set<Line>()
    let open = 0

    const openSocket = (to: NetConnectOpts) => {
      open++
      return connect(to).on("close", () => void open--)
    }

    const hear = (): number => {
      const now = performance.now()
      for (const line of lines) listen(line, now)
      return now
    }

    const isCondemned = (line: Line, { answering, atWork }: Look, since: number, now: number): boolean => {
      if (now - silentSince(line) >= limitMillis) return true
      if (atWork !== undefined) return !answering.has(line.host) || !atWork.has(line.processId)
      if (answering.has(line.host)) return false
      return !Array.from(lines).some(({ heardAt, host }) => host === line.host && heardAt > since)
    }

    /** Asks about silent connections, and breaks those that will not answer. */
    const lookAfter = Effect.fnUntraced(function*(suspects: ReadonlyArray<Line>, since: number) {
      const answer = yield* look(openSocket, suspects.map(({ processId }) => processId))
      // An answer that is on its way may still arrive.
      yield* Effect.sleep(tickMillis / 4)
      const now = hear()
      const silent = suspects.filter((line) => line.due > 0 && silentSince(line) <= since)
      const condemned = silent.filter((line) => isCondemned(line, answer, since, now))
      for (const line of silent) line.excusedAt = now
      if (condemned.length === 0) return
      // Idle connections that were heard no later lead to the same server.
      const last = Math.max(...condemned.map(silentSince)) + tickMillis
      const hosts = new Set(condemned.map(({ host }) => host))
      const idle = Array.from(lines).filter(({ due, heardAt, host }) =>
        due === 0 && heardAt <= last && hosts.has(host)
      )
      for (const line of [...condemned, ...idle]) {
        breakLine(line, `The database said nothing for ${Math.round(now - line.heardAt)} ms`)
      }
      yield* Effect.logWarning(
        `The database answers no more on connections on which it should (${condemned.length}); new ones are opened`
      )
    })

    yield* Effect.suspend(() => {
      const now = hear()
      const suspects = Array.from(lines).filter((line) =>
        line.due > 0
        && (now - Math.max(silentSince(line), line.excusedAt) >= suspectMillis
          || now - silentSince(line) >= limitMillis)
      )
      return suspects.length === 0 ? Effect.void : lookAfter(suspects, now)
    }).pipe(Effect.delay(tickMillis), Effect.forever, Effect.forkScoped)

    return {
      openSocket,
      size: () => open,
      add: (socket, host, processId) => {
        const now = performance.now()
        const line: Line = {
          socket,
          host,
          processId,
          bytes: socket.bytesRead,
          heardAt: now,
          due: 0,
          dueAt: now,
          excusedAt: now
        }
        if (!socket.destroyed) lines.add(line)
        socket.once("close", () => lines.delete(line))
        const end = Effect.sync(() => line.due--)
        return {
          during: (effect) =>
            Effect.suspend(() => {
              if (line.due++ === 0) line.dueAt = performance.now()
              return Effect.ensuring(effect, end)
            }),
          leaveHost: () => {
            for (const other of lines) {
              if (other.host === host) breakLine(other, "The database has become read-only")
            }
          }
        }
      }
    }
  })

const hasSqlState = (error: SqlError.SqlError): boolean => /^[0-9A-Z]{5}$/.test(sqlState(error))

/**
 * Asks the database about sessions on a connection of its own. Through a pooler, whose sessions have other numbers than
 * PostgreSQL's, it learns only that the database answers.
 */
export const lookBy =
  (open: OpenSession, hosts: PostgresAddress["hosts"], millis: number) =>
  (openSocket: Watch["openSocket"], processIds: ReadonlyArray<number>): Effect.Effect<Look> =>
    Effect.suspend(() => {
      const sockets: Array<Socket> = []
      const opening = (to: NetConnectOpts) => {
        const socket = openSocket(to)
        sockets.push(socket)
        return socket
      }
      // An interruption would wait for the answer to a cancellation.
      const timer = setTimeout(
        () => sockets.forEach((socket) => socket.destroy(new Error(`No answer within ${millis} ms`))),
        millis
      )
      return Effect.gen(function*() {
        const { connection, host } = yield* open({ connectTimeout: millis }, opening)
        const { rows } = yield* connection.query(
          `select pg_backend_pid() as self, array(select pid from pg_stat_activity
          where pid = any ($1::text::int[]) and datname = current_database()
            and coalesce(state, 'disabled') in ('active', 'fastpath function call', 'disabled')) as at_work`,
          [`{${processIds.join(",")}}`]
        )
        const row = rows[0] as { readonly self: number; readonly at_work: ReadonlyArray<number> }
        const answering = new Set([host])
        return row.self === connection.processId ? { answering, atWork: new Set(row.at_work) } : { answering }
      }).pipe(
        Effect.scoped,
        Effect.exit,
        Effect.map((exit): Look => {
          if (Exit.isSuccess(exit)) return exit.value
          const errors = exit.cause.reasons.flatMap((reason) => reason._tag === "Fail" ? [reason.error] : [])
          const refusals = errors.flatMap((error): NoHostWillDo["refusals"] => {
            const { cause } = error.reason
            return cause instanceof NoHostWillDo ? cause.refusals : [{ host: hosts[0], error }]
          })
          return {
            answering: new Set(refusals.filter(({ error }) => hasSqlState(error)).map(({ host }) => host))
          }
        }),
        Effect.ensuring(Effect.sync(() => clearTimeout(timer)))
      )
    })
