/**
 * The end of waiting for a database that has fallen silent: the connection is open, and nothing comes back.
 *
 * Guarantee: a storage operation ends within its deadline, even where the driver cannot be interrupted (it waits for
 * the answer to `BEGIN`, `COMMIT` or a cancellation): the operation is left to a fiber of its own, and connections
 * on which nothing came back are broken, which ends that fiber and makes the pool replace them.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Context, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"
import { refine } from "./StorageErrors.ts"
import { countUnavailable } from "./StorageMetrics.ts"

/** The sockets of a pool of connections. */
export interface Wires {
  /** Opens a socket that breaks when something was written and nothing came back within the limit; not under TLS. */
  readonly open: () => Socket
  /** Breaks all sockets on which nothing came back within the limit, idle ones too. */
  readonly breakSilent: () => void
  /** How many are open. */
  readonly size: () => number
}

/** Sockets to `to`, that may be silent for `limitMillis` while an answer is due. */
export const makeWires = (to: NetConnectOpts, limitMillis: number): Wires => {
  // In the time of a clock that nobody sets: one that is set forward is no silence.
  const lastHeard = new Map<Socket, number>()
  let open = 0
  const silence = (socket: Socket) =>
    socket.destroy(new Error(`The database said nothing for ${limitMillis} ms`))
  return {
    size: () => open,
    open: () => {
      const socket = connect(to)
      let timer: NodeJS.Timeout | undefined
      const write = socket.write.bind(socket)
      Object.assign(socket, {
        write: (...args: Parameters<Socket["write"]>) => {
          timer ??= setTimeout(silence, limitMillis, socket).unref()
          return write(...args)
        }
      })
      const hear = (chunk: Uint8Array) => {
        clearTimeout(timer)
        timer = undefined
        // "S": TLS takes over, and what it reads and writes is not seen here.
        if (chunk.length === 1 && chunk[0] === 0x53) lastHeard.delete(socket)
        else if (lastHeard.has(socket)) lastHeard.set(socket, performance.now())
      }
      lastHeard.set(socket, performance.now())
      open++
      socket.on("data", hear)
      socket.on("close", () => {
        open--
        clearTimeout(timer)
        lastHeard.delete(socket)
      })
      return socket
    },
    breakSilent: () => {
      const now = performance.now()
      for (const [socket, heard] of lastHeard) if (now - heard >= limitMillis) silence(socket)
    }
  }
}

/** How long storage operations of a database may take, and what to do about its connections when one took longer. */
export interface DeadlineConfig {
  readonly millis: number
  readonly breakSilent: () => void
}

/** The deadline of storage operations; `Database.layer` sets it from its statement timeout. */
export const Deadline: Context.Reference<DeadlineConfig> = Context.Reference<DeadlineConfig>(
  "@dockline/sql-storage/Deadline",
  { defaultValue: () => ({ millis: 35_000, breakSilent: () => {} }) }
)

/** Ends with `StorageUnavailable` at the deadline, leaving behind what cannot be interrupted. */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { millis, breakSilent }: DeadlineConfig
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
      const exit = yield* restore(Effect.timeoutOption(Fiber.await(fiber), millis)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber))
      )
      if (Option.isSome(exit)) return yield* exit.value
      fiber.interruptUnsafe()
      breakSilent()
      yield* countUnavailable("silent")
      return yield* new StorageUnavailable({ cause: new Error(`No answer within ${millis} ms`) })
    })
  )

/** Turns an effect on the database into a storage operation: `refine`, within the deadline. */
export type Operation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
) => Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R>

/** Operations on the database of the `SqlClient`. One inside a transaction is part of it and of its deadline. */
export const operations: Effect.Effect<Operation, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const deadline = yield* Deadline
  return <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.flatMap(
      Effect.serviceOption(sql.transactionService),
      (transaction) => Option.isSome(transaction) ? refine(effect) : within(refine(effect), deadline)
    )
})
