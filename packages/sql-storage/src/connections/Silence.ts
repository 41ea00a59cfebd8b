/**
 * Connections that are silent though a statement is under way.
 *
 * Guarantee: a statement does not wait for a server that no longer works on it. When a connection has been silent for
 * `suspectMillis`, a connection of its own, to where the address leads now, asks the database about the session. The silent
 * connection is broken unless the session is at work; if nothing answers, unless anything is heard meanwhile. So a server
 * that hangs or is replaced, and a network that swallows packets, cost some 10 s, and a slow statement costs nothing. After
 * `limitMillis` a silent connection is broken in any case.
 *
 * Silence is measured in bytes of the socket, beneath TLS.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Predicate } from "effect"
import type { Scope } from "effect"
import { SqlError } from "effect/sql"
import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"

export interface SilenceConfig {
  /** The silence after which the database is asked about the session, in milliseconds. */
  readonly suspectMillis: number
  /** The longest wait for its answer, in milliseconds. */
  readonly probeMillis: number
  /** The silence after which a connection is broken, in milliseconds. */
  readonly limitMillis: number
}

/** The answer about sessions: those at work, or just that the database answers; `silent` if it does not. */
export type Look = { readonly atWork: ReadonlySet<number> } | "answers" | "silent"

export interface Watched {
  /** Runs a statement. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export interface Watch {
  /** Opens a socket to the database. */
  readonly openSocket: () => Socket
  /** Watches the session on a socket. */
  readonly add: (socket: Socket, processId: number) => Watched
  /** Breaks all connections that were silent for the limit, idle ones too. */
  readonly breakSilent: () => void
  /** The number of open sockets. */
  readonly size: () => number
}

/** A watched connection. Times are of `performance.now()`. */
interface Line {
  readonly socket: Socket
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

const breakLine = ({ socket }: Line, millis: number): void =>
  void socket.destroy(new Error(`The database said nothing for ${Math.round(millis)} ms`))

/** Watches connections until the scope closes; `look` asks the database about sessions. */
export const watch = (
  to: NetConnectOpts,
  { limitMillis, suspectMillis }: SilenceConfig,
  look: (openSocket: () => Socket, processIds: ReadonlyArray<number>) => Effect.Effect<Look>
): Effect.Effect<Watch, never, Scope.Scope> =>
  Effect.gen(function*() {
    const tickMillis = suspectMillis / 4
    const lines = new Set<Line>()
    let open = 0

    const openSocket = () => {
      open++
      return connect(to).on("close", () => void open--)
    }

    const hear = (): number => {
      const now = performance.now()
      for (const line of lines) listen(line, now)
      return now
    }

    const isCondemned = (line: Line, answer: Look, anythingHeard: boolean, now: number): boolean => {
      if (now - silentSince(line) >= limitMillis) return true
      if (answer === "answers") return false
      return answer === "silent" ? !anythingHeard : !answer.atWork.has(line.processId)
    }

    /** Asks about silent connections, and breaks those that will not answer. */
    const lookAfter = Effect.fnUntraced(function*(suspects: ReadonlyArray<Line>, since: number) {
      const answer = yield* look(openSocket, suspects.map(({ processId }) => processId))
      // An answer that is on its way may still arrive.
      yield* Effect.sleep(tickMillis / 4)
      const now = hear()
      const anythingHeard = Array.from(lines).some(({ heardAt }) => heardAt > since)
      const silent = suspects.filter((line) => line.due > 0 && silentSince(line) <= since)
      const condemned = silent.filter((line) => isCondemned(line, answer, anythingHeard, now))
      for (const line of silent) line.excusedAt = now
      if (condemned.length === 0) return
      // Idle connections that were heard no later lead to the same server.
      const last = Math.max(...condemned.map(silentSince)) + tickMillis
      const idle = Array.from(lines).filter(({ due, heardAt }) => due === 0 && heardAt <= last)
      for (const line of [...condemned, ...idle]) breakLine(line, now - line.heardAt)
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
      add: (socket, processId) => {
        const now = performance.now()
        const line: Line = {
          socket,
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
            })
        }
      },
      breakSilent: () => {
        const now = hear()
        for (const line of lines) if (now - line.heardAt >= limitMillis) breakLine(line, now - line.heardAt)
      }
    }
  })

const hasSqlState = (error: SqlError.SqlError): boolean => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && /^[0-9A-Z]{5}$/.test(String(cause.code))
}

/**
 * Asks the database about sessions on a connection of its own. Through a pooler, whose sessions have other numbers than
 * PostgreSQL's, it learns only that the database answers.
 */
export const lookBy = (
  connection: (
    openSocket: () => Socket
  ) => Effect.Effect<PgConnection.PgConnection, SqlError.SqlError, Scope.Scope>,
  millis: number
) =>
(openSocket: () => Socket, processIds: ReadonlyArray<number>): Effect.Effect<Look> =>
  Effect.suspend(() => {
    const sockets: Array<Socket> = []
    const opening = () => {
      const socket = openSocket()
      sockets.push(socket)
      return socket
    }
    // An interruption would wait for the answer to a cancellation.
    const timer = setTimeout(
      () => sockets.forEach((socket) => socket.destroy(new Error(`No answer within ${millis} ms`))),
      millis
    )
    return Effect.gen(function*() {
      const session = yield* connection(opening)
      const { rows } = yield* session.query(
        `select pg_backend_pid() as self, array(select pid from pg_stat_activity
          where pid = any ($1::text::int[]) and datname = current_database()
            and coalesce(state, 'disabled') in ('active', 'fastpath function call', 'disabled')) as at_work`,
        [`{${processIds.join(",")}}`]
      )
      const row = rows[0] as { readonly self: number; readonly at_work: ReadonlyArray<number> }
      return row.self === session.processId ? { atWork: new Set(row.at_work) } : "answers" as const
    }).pipe(
      Effect.scoped,
      Effect.exit,
      Effect.map((exit): Look => {
        if (Exit.isSuccess(exit)) return exit.value
        const errors = exit.cause.reasons.flatMap((reason) => reason._tag === "Fail" ? [reason.error] : [])
        return errors.some(hasSqlState) ? "answers" : "silent"
      }),
      Effect.ensuring(Effect.sync(() => clearTimeout(timer)))
    )
  })
