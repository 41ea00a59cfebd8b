/**
 * The protocol `graphql-transport-ws` on a socket. A client that is not acknowledged gets nothing but the check of
 * its token, and a socket that sends too much is cut.
 */
import { Effect, Semaphore } from "effect"
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType } from "graphql-ws"
import type { IncomingMessage } from "node:http"
import type { RawData, WebSocket } from "ws"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import type { EndReason } from "../live/Sessions.ts"
import type { Connection } from "./Connection.ts"
import { FrameTurns } from "./FrameTurns.ts"
import * as SocketMessages from "./SocketMessages.ts"
import { fail, subscribe } from "./SocketOperations.ts"
import type { ProtocolServices } from "./SocketOperations.ts"

/**
 * Runs the protocol on a socket until it closes; `isOwn` where `ws` tells of frames as soon as it reads them.
 */
type Protocol = (socket: WebSocket, connection: Connection, request: IncomingMessage, isOwn: boolean) => void

/** The longest frame of a client that is not authenticated, in bytes: a token is shorter. */
const initLimit = 64 * 1024

/** The most tokens of sockets that are checked at once; the others wait. */
const loginsAtOnce = 64

const endings: Readonly<Record<EndReason, readonly [code: number, reason: string]>> = {
  expired: [CloseCode.Forbidden, "The token has expired"],
  disabled: [CloseCode.Forbidden, "The client is disabled"],
  withdrawn: [CloseCode.Forbidden, "The permission was withdrawn"],
  stopping: [1001, "The service stops"]
}

export const makeProtocol = (parts: ProtocolServices): Protocol => {
  const turns = new FrameTurns()
  const logins = Semaphore.makeUnsafe(loginsAtOnce)
  const signIn = (connection: Connection, authorization: string | undefined) =>
    Effect.runPromiseWith(parts.services)(
      logins.withPermit(authenticate(parts, connection, authorization))
    )

  return (socket, connection, { headers }, isOwn) => {
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      connection.close(CloseCode.SubprotocolNotAcceptable, "Subprotocol not acceptable")
    }
    let isInitialized = false
    const timer = setTimeout(() => {
      connection.close(CloseCode.ConnectionInitialisationTimeout, "Connection initialisation timeout")
    }, parts.config.initTimeoutMillis)

    const initialize = async (params: Record<string, unknown> | undefined): Promise<void> => {
      if (isInitialized) {
        return connection.close(CloseCode.TooManyInitialisationRequests, "Too many initialisation requests")
      }
      isInitialized = true
      clearTimeout(timer)
      const isAccepted = await signIn(connection, authorizationOf(params) ?? headers.authorization)
      if (isAccepted) await connection.send(SocketMessages.acknowledged)
      else connection.close(CloseCode.Forbidden, "Forbidden")
    }

    const receive = async (text: string): Promise<void> => {
      const message = SocketMessages.read(text)
      switch (message?.type) {
        case MessageType.ConnectionInit:
          return initialize(message.payload ?? undefined)
        case MessageType.Ping:
          return connection.send(SocketMessages.pong(message.payload))
        case MessageType.Pong:
          return
        case MessageType.Subscribe:
          return subscribe(parts, connection, message.id, message.payload, text.length)
        case MessageType.Complete:
          return connection.complete(message.id)
        case undefined:
          return connection.close(CloseCode.BadRequest, "Invalid message received")
      }
    }

    const wait = turns.line()
    if (isOwn) connection.readInSlices(wait)
    socket.on("message", (data: RawData, isBinary: boolean) => {
      if (!takes(parts, connection, sizeOf(data))) return
      connection.waits()
      wait(() => {
        if (!connection.isClosing) {
          if (isBinary || (connection.live === undefined && sizeOf(data) > initLimit)) {
            connection.close(CloseCode.BadRequest, "Invalid message received")
          } else receive(String(data)).catch((cause) => fail(parts, connection, cause))
        }
        connection.handled()
      })
    })
    socket.on("ping", (data: Buffer) => void takes(parts, connection, data.length))
    socket.on("pong", (data: Buffer) => void takes(parts, connection, data.length))
    // A frame that is no WebSocket's: `ws` closes with the code that fits.
    socket.on("error", () => connection.cut(1002, "No frame of a WebSocket"))
    socket.once("close", () => {
      clearTimeout(timer)
      connection.closed()
    })
  }
}

/** Counts a frame, and cuts a socket that sends too much; `true` when the frame is to be handled. */
const takes = ({ services }: ProtocolServices, connection: Connection, bytes: number): boolean => {
  // What was read before it was cut.
  if (connection.isCut) return false
  if (connection.arrived(bytes)) return !connection.isClosing
  if (!connection.isClosing) {
    GraphqlMetrics.floods.of(connection.live === undefined ? "no" : "yes").updateUnsafe(1, services)
  }
  connection.cut(1008, "Too many frames; send fewer a second")
  return false
}

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((size, part) => size + part.length, 0) : data.byteLength

/** Whether the client may connect. Closes the socket when that cannot be checked, or the client has too many. */
const authenticate = (
  { authenticator, sessions }: ProtocolServices,
  connection: Connection,
  authorization: string | undefined
): Effect.Effect<boolean> =>
  authenticator.authenticate(authorization).pipe(
    Effect.map((session) => {
      if (connection.isClosing) return false
      const live = sessions.open(session, (reason) => connection.close(...endings[reason]))
      if (live === undefined) connection.close(1013, "The client has too many connections; close some")
      else connection.authenticated(live)
      return live !== undefined
    }),
    Effect.catchTags({
      Unauthenticated: () => Effect.succeed(false),
      StorageUnavailable: () =>
        Effect.as(Effect.sync(() => connection.close(1013, "Try again later")), false),
      IssuerUnavailable: () => Effect.as(Effect.sync(() => connection.close(1013, "Try again later")), false)
    })
  )

/** The `Authorization` of the init message, under whatever case of its name. */
const authorizationOf = (params: Record<string, unknown> | undefined): string | undefined => {
  const [, value] = Object.entries(params ?? {}).find(([name]) => name.toLowerCase() === "authorization") ??
    []
  return typeof value === "string" ? value : undefined
}
