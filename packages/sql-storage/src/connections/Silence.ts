/**
 * Breaks connections that are silent while a statement runs.
 *
 * Guarantee: a statement does not wait for a server that no longer works on it. When a connection has been silent for `suspectMillis`, a
 * new connection to the current address asks the database about the session. The silent connection is broken unless the session is at work
 * there. If no server answers for its host, the silent connection is broken unless data arrives from that host meanwhile. The idle
 * connections to the host are broken too. So a server that hangs or is replaced, or a network that drops packets, costs some 10 s, and a
 * slow statement costs nothing. After `limitMillis` a silent connection is broken in any case.
 *
 * Silence is measured by the bytes of the socket, below TLS.
 */
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"
import { ask } from "./PostgresSession.ts"
import type { OpenSession } from "./PostgresSession.ts"
import type { PostgresAddress, PostgresHost } from "./PostgresUrl.ts"
import { NoHostWillDo, sqlState } from "./StorageErrors.ts"

export interface SilenceConfig {
  /** The duration of silence after which the database is asked about the session, in milliseconds. */
  readonly suspectMillis: number
  /** The longest time to open the connection that asks, and the longest wait for its answer, in milliseconds. */
  readonly probeMillis: number
  /** The duration of silence after which a connection is broken, in milliseconds. */
  readonly limitMillis: number
}

/** The answer of the database about sessions. */
export interface Look {
  readonly answering: ReadonlySet<PostgresHost>
  /** The sessions at work on the host that accepted the connection, if one did. */
  readonly atWork?: ReadonlySet<number>
}

export interface ConnectionWatch {
  /** Runs a statement and watches its connection meanwhile. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Breaks all connections to the host of the connection. */
  readonly leaveHost: () => void
}

export interface Watch {
  readonly openSocket: (to: NetConnectOpts) => Socket
  /** Watches the session on a socket. */
  readonly add: (socket: Socket, host: PostgresHost, processId: number) => ConnectionWatch
  /** The number of open sockets. */
  readonly size: () => number
}

/** A watched connection. Times are of `performance.now()`. */
interface Line {
  readonly socket: Socket
  readonly host: PostgresHost
  readonly processId: number
  bytes: number
  /** The number of running statements. */
  due: number
  /** The time since which statements have run without any data arriving. */
  silentSince: number
  /** The time when the database was last asked about the session. */
  askedAt: number
}

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

    const breakAll = (which: (line: Line) => boolean, reason: string): void =>
      Array.from(lines).filter(which).forEach(({ socket }) => socket.destroy(new Error(reason)))

    /** Records on which connections data has arrived, and returns their hosts. */
    const listen = (now: number): ReadonlySet<PostgresHost> => {
      const heard = new Set<PostgresHost>()
      for (const line of lines) {
        const hasCome = line.socket.bytesRead !== line.bytes
        line.bytes = line.socket.bytesRead
        if (hasCome) heard.add(line.host)
        if (hasCome || line.due === 0) line.silentSince = now
      }
      return heard
    }

    /** Asks the database about the sessions of silent connections, and breaks the connections that will not answer. */
    const lookAfter = Effect.fnUntraced(function*(suspects: ReadonlyArray<Line>, since: number) {
      const { answering, atWork } = yield* look(openSocket, suspects.map(({ processId }) => processId))
      // An answer that was already sent may still arrive.
      yield* Effect.sleep(tickMillis / 4)
      const now = performance.now()
      const heard = listen(now)
      const silent = suspects.filter(({ silentSince }) => silentSince <= since)
      const victims = new Set(silent.filter(({ host, processId, silentSince }) => {
        if (now - silentSince >= limitMillis) return true
        if (atWork !== undefined) return !answering.has(host) || !atWork.has(processId)
        return !answering.has(host) && !heard.has(host)
      }))
      for (const line of silent) line.askedAt = now
      if (victims.size === 0) return
      const hosts = new Set(Array.from(victims, ({ host }) => host))
      breakAll(
        (line) => victims.has(line) || (line.due === 0 && hosts.has(line.host)),
        `The database has said nothing for ${suspectMillis} ms or longer`
      )
      yield* Effect.logWarning(
        `The database no longer answers on ${victims.size} connections with running statements; new ones are opened`
      )
    })

    yield* Effect.suspend(() => {
      const now = performance.now()
      listen(now)
      const suspects = Array.from(lines).filter(({ askedAt, due, silentSince }) =>
        due > 0 &&
        (now - Math.max(silentSince, askedAt) >= suspectMillis || now - silentSince >= limitMillis)
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
          due: 0,
          silentSince: now,
          askedAt: now
        }
        if (!socket.destroyed) lines.add(line)
        socket.once("close", () => lines.delete(line))
        const end = Effect.sync(() => line.due--)
        return {
          during: (effect) =>
            Effect.suspend(() => {
              if (line.due++ === 0) line.silentSince = performance.now()
              return Effect.ensuring(effect, end)
            }),
          leaveHost: () => breakAll((other) => other.host === host, "The database has become read-only")
        }
      }
    }
  })

/** Asks the database about sessions over a new connection. */
export const lookBy =
  (open: OpenSession, hosts: PostgresAddress["hosts"], millis: number) =>
  (openSocket: Watch["openSocket"], processIds: ReadonlyArray<number>): Effect.Effect<Look> =>
    Effect.gen(function*() {
      const session = yield* open({ connectTimeout: millis }, openSocket)
      const rows = yield* ask(
        Schema.Struct({ pid: Schema.Number }),
        session,
        `select pid from pg_stat_activity where pid = any ('{${processIds.join(",")}}')
          and datname = current_database()
          and coalesce(state, 'disabled') in ('active', 'fastpath function call', 'disabled')`,
        millis
      )
      return { answering: new Set([session.host]), atWork: new Set(rows.map(({ pid }) => pid)) }
    }).pipe(
      Effect.scoped,
      Effect.catch((error) => Effect.succeed({ answering: answeringIn(error, hosts) }))
    )

/** The hosts that answered by refusing the connection with a code of PostgreSQL. */
const answeringIn = (
  error: SqlError.SqlError,
  hosts: PostgresAddress["hosts"]
): ReadonlySet<PostgresHost> => {
  const { cause } = error.reason
  const refusals = cause instanceof NoHostWillDo ? cause.refusals : [{ host: hosts[0], error }]
  return new Set(
    refusals.filter(({ error }) => /^[0-9A-Z]{5}$/.test(sqlState(error))).map(({ host }) => host)
  )
}
