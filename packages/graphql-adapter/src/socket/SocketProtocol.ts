/**
 * The protocol `graphql-transport-ws` on a socket. A client that is not acknowledged gets nothing but the check of
 * its token, and a socket that sends too much is cut.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import * as JsonText from "@dockline/core/internal/input/JsonText"
import { Cause, Effect, Result, Semaphore } from "effect"
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, validateMessage } from "graphql-ws"
import type { Message } from "graphql-ws"
import type { IncomingMessage } from "node:http"
import type { RawData, WebSocket } from "ws"
import type { LiveConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { endTexts, Sessions, tooManyText } from "../live/Sessions.ts"
import type { Connection } from "./Connection.ts"
import { makeFrameTurns } from "./FrameTurns.ts"
import * as SocketOperations from "./SocketOperations.ts"

/** The longest frame of a client that is not authenticated, in bytes: a token is shorter. */
const initLimit = 64 * 1024

/** The most tokens of sockets that are checked at once; the others wait. */
const loginsAtOnce = 64

/** Reads the text of a frame once; `undefined` unless it is a message of the protocol. */
const messageOf = (text: string): Message | undefined => {
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed)) return undefined
  try {
    return validateMessage(parsed.success)
  } catch {
    return undefined
  }
}

/**
 * Makes the running of the protocol on a socket until it closes; `isOwn` where `ws` tells of frames as soon as it reads
 * them.
 */
export const make = Effect.fnUntraced(function*({ initTimeoutMillis }: LiveConfig) {
  const authenticator = yield* Authenticator
  const sessions = yield* Sessions
  const services = yield* Effect.context<never>()
  const addLine = makeFrameTurns()
  const logins = Semaphore.makeUnsafe(loginsAtOnce)
  const run = Effect.runForkWith(services)

  const fail = (connection: Connection, cause: unknown): void => {
    const { correlationId } = connection
    run(Effect.annotateLogs(Effect.logError("Socket failed", Cause.die(cause)), { correlationId }))
    connection.close(CloseCode.InternalServerError, "Internal server error")
  }
  const subscribe = yield* SocketOperations.make(fail)

  /** Signs a client in. Closes the socket unless it may connect. */
  const signIn = (connection: Connection, authorization: string | undefined) =>
    logins.withPermit(authenticator.authenticate(authorization)).pipe(
      Effect.flatMap((session) => {
        if (connection.isClosing) return Effect.void
        const live = sessions.open(
          session,
          (reason) => connection.close(reason === "stopping" ? 1001 : CloseCode.Forbidden, endTexts[reason])
        )
        if (live === undefined) {
          return Effect.sync(() => connection.close(1013, tooManyText))
        }
        connection.authenticated(live)
        return connection.send(JSON.stringify({ type: MessageType.ConnectionAck }))
      }),
      Effect.catch((error) =>
        Effect.sync(() => {
          if (error._tag === "Unauthenticated") connection.close(CloseCode.Forbidden, "Forbidden")
          else connection.close(1013, "Try again later")
        })
      )
    )

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

  const receive = (connection: Connection, text: string, authorization?: string): Effect.Effect<void> => {
    const close = (code: CloseCode, reason: string) => Effect.sync(() => connection.close(code, reason))
    const message = messageOf(text)
    switch (message?.type) {
      case MessageType.ConnectionInit:
        if (connection.isInitialized) {
          return close(CloseCode.TooManyInitialisationRequests, "Too many initialisation requests")
        }
        connection.isInitialized = true
        return signIn(connection, authorizationOf(message.payload ?? {}) ?? authorization)
      case MessageType.Ping:
        return connection.send(
          JSON.stringify({ type: MessageType.Pong, payload: message.payload || undefined })
        )
      case MessageType.Pong:
        return Effect.void
      case MessageType.Subscribe:
        return subscribe(connection, message.id, message.payload, text.length)
      case MessageType.Complete:
        return Effect.sync(() => connection.complete(message.id))
      default:
        return close(CloseCode.BadRequest, "Invalid message received")
    }
  }

  return (
    socket: WebSocket,
    connection: Connection,
    { headers }: IncomingMessage,
    isOwn: boolean
  ): void => {
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      connection.close(CloseCode.SubprotocolNotAcceptable, "Subprotocol not acceptable")
    }
    const timer = setTimeout(() => {
      if (connection.isInitialized) return
      connection.close(CloseCode.ConnectionInitialisationTimeout, "Connection initialisation timeout")
    }, initTimeoutMillis)
    const wait = addLine()
    if (isOwn) connection.readInSlices(wait)

    const handle = (data: RawData, isBinary: boolean): void => {
      if (connection.isClosing) return
      if (isBinary || (connection.live === undefined && sizeOf(data) > initLimit)) {
        return connection.close(CloseCode.BadRequest, "Invalid message received")
      }
      run(
        Effect.suspend(() => receive(connection, String(data), headers.authorization)).pipe(
          Effect.catchDefect((cause) => Effect.sync(() => fail(connection, cause)))
        )
      )
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
      clearTimeout(timer)
      connection.closed()
    })
  }
})

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((size, part) => size + part.length, 0) : data.byteLength

/** The `Authorization` of the init message, under whatever case of its name. */
const authorizationOf = (params: Record<string, unknown>): string | undefined => {
  const value = Object.entries(params).find(([name]) => name.toLowerCase() === "authorization")?.[1]
  return typeof value === "string" ? value : undefined
}
