/**
 * Subscriptions of clients: over `graphql-ws`' own client, and frame by frame over a raw socket.
 */
import { Effect } from "effect"
import { createClient } from "graphql-ws"
import type { Client, ClientOptions } from "graphql-ws"
import { WebSocket } from "ws"
import { GraphqlServer } from "../support/GraphqlServer.ts"
import type { Operation, Result, ShownError } from "../support/GraphqlServer.ts"
import { TestServer } from "../support/TestServer.ts"
import type { DemoClient } from "../support/TestServer.ts"
import type { FollowData, Shown } from "./Sample.ts"

const patience = "60 seconds"

/** A growing value that can be awaited. */
export class Watched {
  readonly #waiting = new Set<() => void>()

  /** Called when the value may have changed. */
  readonly changed = (): void => this.#waiting.forEach((look) => look())

  /** Waits until there is a value. */
  readonly until = <A>(what: string, poll: () => A | undefined): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const look = () => {
        const found = poll()
        if (found === undefined) return
        this.#waiting.delete(look)
        resume(Effect.succeed(found))
      }
      this.#waiting.add(look)
      look()
      return Effect.sync(() => this.#waiting.delete(look))
    }).pipe(Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.die(new Error(`Waited ${patience} for ${what}`))
    }))
}

/** The end of a socket. */
interface Closed {
  readonly code: number
  readonly reason: string
}

/** A `graphql-ws` client, disposed with the scope; by default it does not reconnect. */
export const socketClient = Effect.fnUntraced(function*(
  client: DemoClient = "acme-client",
  options: Partial<ClientOptions> = {}
) {
  const { socketUrl } = yield* GraphqlServer
  const token = yield* (yield* TestServer).token(client)
  return yield* Effect.acquireRelease(
    Effect.sync(() =>
      createClient({
        url: socketUrl,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        connectionParams: { Authorization: `Bearer ${token}` },
        ...options
      })
    ),
    (client) => Effect.promise(async () => client.dispose())
  )
})

/** A subscription, with the messages that it has received. */
export interface Following {
  readonly received: ReadonlyArray<Shown>
  /** Waits until it has received the message. */
  readonly reach: (id: number) => Effect.Effect<ReadonlyArray<Shown>>
  /** Waits until it is over, and returns how: its errors, how its socket closed, or nothing if it was completed. */
  readonly over: Effect.Effect<
    { readonly errors: ReadonlyArray<ShownError> } | { readonly closed: Closed } | "completed"
  >
  readonly stop: () => void
}

/** Follows over a client; ids can be seen as they arrive. */
export const following = (client: Client, operation: Operation): Following => {
  const received: Array<Shown> = []
  const watched = new Watched()
  let over: Effect.Success<Following["over"]> | undefined
  const end = (how: typeof over) => {
    over ??= how
    watched.changed()
  }
  const stop = client.subscribe<FollowData>({ ...operation }, {
    next: ({ data, errors }) => {
      if (errors !== undefined) end({ errors: errors as ReadonlyArray<ShownError> })
      else received.push(data!.pushMessage)
      watched.changed()
    },
    error: (error) => {
      if (Array.isArray(error)) end({ errors: error as ReadonlyArray<ShownError> })
      else {
        const { code, reason } = error as Closed
        end({ closed: { code, reason } })
      }
    },
    complete: () => end("completed")
  })
  return {
    received,
    reach: (id) =>
      watched.until(
        `message ${id}; there are ${received.length}, the last ${received.at(-1)?.id}`,
        () => (received.at(-1)?.id ?? 0) >= id || over !== undefined ? received : undefined
      ),
    over: watched.until("the end of a subscription", () => over),
    stop
  }
}

/** A frame of `graphql-transport-ws`. */
interface Frame {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

/** A raw socket. */
interface RawSocket {
  readonly socket: WebSocket
  readonly frames: ReadonlyArray<Frame>
  readonly send: (frame: Frame | string) => void
  /** Waits for the first frame that matches. */
  readonly frame: (what: string, fits: (frame: Frame) => boolean) => Effect.Effect<Frame>
  /** Waits until there are this many `next` frames, or the socket is closed. */
  readonly nexts: (count: number) => Effect.Effect<void>
  readonly closed: Effect.Effect<Closed>
}

/** Opens a raw socket, cut with the scope. */
export const rawSocket = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>> = {}) {
  const { socketUrl } = yield* GraphqlServer
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(socketUrl, "graphql-transport-ws", { headers })
      socket.once("error", (error) => resume(Effect.die(error)))
      socket.once("open", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )
  const frames: Array<Frame> = []
  const watched = new Watched()
  let closed: Closed | undefined
  let nexts = 0
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString("utf8")) as Frame
    frames.push(frame)
    if (frame.type === "next") nexts++
    watched.changed()
  })
  socket.on("close", (code, reason) => {
    closed = { code, reason: reason.toString("utf8") }
    watched.changed()
  })
  return {
    socket,
    frames,
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    frame: (what, fits) => watched.until(what, () => frames.find(fits)),
    nexts: (count) =>
      watched.until(`${count} messages`, () => nexts >= count || closed !== undefined ? true : undefined)
        .pipe(Effect.asVoid),
    closed: watched.until("the close of a socket", () => closed)
  } satisfies RawSocket
})

/** Opens a raw socket as a client, and waits until it is acknowledged. */
export const connected = Effect.fnUntraced(function*(client: DemoClient = "acme-client") {
  const raw = yield* rawSocket()
  const token = yield* (yield* TestServer).token(client)
  raw.send({ type: "connection_init", payload: { Authorization: `Bearer ${token}` } })
  yield* raw.frame("connection_ack", ({ type }) => type === "connection_ack")
  return raw
})

/** The messages of the `next` frames of an operation. */
export const messagesOf = (frames: ReadonlyArray<Frame>, id: string): ReadonlyArray<Shown> =>
  frames.flatMap((frame) =>
    frame.type === "next" && frame.id === id ? [(frame.payload as Result<FollowData>).data!.pushMessage] : []
  )

/** The errors of the `error` frame of an operation. */
export const errorsOf = (frame: Frame): ReadonlyArray<ShownError> =>
  frame.payload as ReadonlyArray<ShownError>
