/**
 * The protocol `graphql-transport-ws` on a socket, by the server of `graphql-ws`. It is given the frames of a socket one at a
 * time, in turns among all sockets: what it does at once, it has done before the next. A client that is not acknowledged gets
 * nothing but the check of its token, and a socket that sends too much is cut.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import * as JsonText from "@dockline/core/input/JsonText"
import { Cause, Effect, Predicate, Result, Semaphore } from "effect"
import { parse } from "graphql"
import { CloseCode, makeServer, MessageType } from "graphql-ws"
import type { ConnectionInitMessage } from "graphql-ws"
import type { RawData, WebSocket } from "ws"
import { GraphqlEngine } from "../engine/Engine.ts"
import type { LiveConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { endTexts, Sessions, tooManyText } from "../live/Sessions.ts"
import type { Connection } from "./Connection.ts"
import { makeFrameTurns } from "./FrameTurns.ts"
import * as SocketOperations from "./SocketOperations.ts"

/** The longest frame of a client that is not authenticated, in bytes: a token is shorter. */
const initLimit = 64 * 1024

/** The longest id of an operation: each of its frames repeats it. */
const idLimit = 256

/** The most tokens of sockets that are checked at once; the others wait. */
const loginsAtOnce = 64

/** The library wants an operation before it is run; ours are parsed once the rate limit allows it. */
const unread = parse("{ __typename }")

const serverTypes: ReadonlySet<unknown> = new Set([
  MessageType.ConnectionAck,
  MessageType.Next,
  MessageType.Error
])

/** Whether a text may be a message of a client. `graphql-ws` checks its members, and does not look for keys that are given twice. */
const isMessage = (text: string): boolean => {
  const parsed = JsonText.parse(text)
  return Result.isSuccess(parsed) && Predicate.isObject(parsed.success) &&
    !serverTypes.has(Reflect.get(parsed.success, "type"))
}

/**
 * Makes the running of the protocol on a socket until it closes; `isOwn` where `ws` tells of frames as soon as it reads
 * them.
 */
export const make = Effect.fnUntraced(function*({ initTimeoutMillis }: LiveConfig) {
  const authenticator = yield* Authenticator
  const sessions = yield* Sessions
  const { schema } = yield* GraphqlEngine
  const services = yield* Effect.context<never>()
  const addLine = makeFrameTurns()
  const logins = Semaphore.makeUnsafe(loginsAtOnce)

  const fail = (connection: Connection, cause: unknown): void => {
    const { correlationId } = connection
    const logged = Effect.annotateLogs(Effect.logError("Socket failed", Cause.die(cause)), { correlationId })
    Effect.runForkWith(services)(logged)
    connection.close(CloseCode.InternalServerError, "Internal server error")
  }

  /** Signs a client in; `false` unless it may connect. */
  const signIn = (connection: Connection, authorization: string | undefined): Effect.Effect<boolean> => {
    const refused = (code: number, reason: string) =>
      Effect.sync(() => {
        connection.close(code, reason)
        return false
      })
    return logins.withPermit(authenticator.authenticate(authorization)).pipe(
      Effect.flatMap((session) => {
        if (connection.isClosing) return Effect.succeed(false)
        const live = sessions.open(
          session,
          (reason) => connection.close(reason === "stopping" ? 1001 : CloseCode.Forbidden, endTexts[reason])
        )
        if (live === undefined) return refused(1013, tooManyText)
        connection.authenticated(live)
        return Effect.succeed(true)
      }),
      Effect.catch((error) =>
        error._tag === "Unauthenticated"
          ? refused(CloseCode.Forbidden, "Forbidden")
          : refused(1013, "Try again later")
      )
    )
  }

  const server = makeServer<ConnectionInitMessage["payload"], Connection>({
    connectionInitWaitTimeout: initTimeoutMillis,
    onConnect: ({ connectionParams = {}, extra: connection }) =>
      Effect.runPromiseWith(services)(
        signIn(connection, authorizationOf(connectionParams) ?? connection.authorization)
      ),
    onSubscribe: ({ extra: connection }, id) => {
      if (id.length > idLimit) {
        connection.close(CloseCode.BadRequest, `The id of an operation has at most ${idLimit} characters`)
      }
      return { schema, document: unread }
    },
    execute: () => ({}),
    ...(yield* SocketOperations.make(fail))
  })

  /** Counts a frame, and cuts a socket that sends too much; `true` when the frame is to be handled. */
  const takes = (connection: Connection, bytes: number): boolean => {
    // What was read before it was cut.
    if (connection.isCut) return false
    if (connection.arrived(bytes)) return !connection.isClosing
    if (!connection.isClosing) {
      GraphqlMetrics.floods.of(connection.live === undefined ? "no" : "yes").updateUnsafe(1, services)
    }
    connection.cut(1008, "Too many frames; send fewer a second")
    return false
  }

  return (socket: WebSocket, connection: Connection, isOwn: boolean): void => {
    let take: ((text: string) => Promise<void>) | undefined
    const closed = server.opened({
      protocol: socket.protocol,
      send: (text) => connection.outbox.send(text),
      close: (code = CloseCode.InternalServerError, reason = "") => connection.close(code, reason),
      onMessage: (handle) => {
        take = handle
      }
    }, connection)
    const wait = addLine()
    if (isOwn) connection.readInSlices(wait)

    const handle = (data: RawData, isBinary: boolean): void => {
      if (connection.isClosing) return
      const text = String(data)
      if (isBinary || (connection.live === undefined && sizeOf(data) > initLimit) || !isMessage(text)) {
        return connection.close(CloseCode.BadRequest, "Invalid message received")
      }
      connection.textLength = text.length
      take?.(text).catch((cause) => fail(connection, cause))
    }
    socket.on("message", (data: RawData, isBinary: boolean) => {
      if (!takes(connection, sizeOf(data))) return
      connection.waits()
      wait(() => {
        handle(data, isBinary)
        connection.handled()
      })
    })
    socket.on("ping", (data: Buffer) => void takes(connection, data.length))
    socket.on("pong", (data: Buffer) => void takes(connection, data.length))
    // A frame that is no WebSocket's: `ws` closes with the code that fits.
    socket.on("error", () => connection.cut(1002, "No frame of a WebSocket"))
    socket.once("close", () => {
      connection.closed()
      void closed()
    })
  }
})

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((size, part) => size + part.length, 0) : data.byteLength

/** The `Authorization` of the init message, under whatever case of its name. */
const authorizationOf = (params: Readonly<Record<string, unknown>>): string | undefined => {
  const value = Object.entries(params).find(([name]) => name.toLowerCase() === "authorization")?.[1]
  return typeof value === "string" ? value : undefined
}
