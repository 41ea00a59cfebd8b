/**
 * GraphQL over WebSocket: the protocol `graphql-transport-ws` on sockets of `ws` (D8.3, D8.7).
 *
 * Guarantee: no socket outlives this service; `Sessions` closes a socket soon after its token or its client's permission ends. A consumer that
 * does not keep up is closed with 4429, and may resume with `afterId`. A refused operation is an `error` frame, and the socket stays open.
 *
 * Close codes besides those of the protocol: 1001 when the service stops; 1013 when the storage or the token issuer is unreachable, the
 * client has too many connections, or too many sockets wait for their `connection_init` (common clients connect again by themselves); 1008
 * when the socket sends more than it may (common clients do not connect again).
 *
 * ```ts
 * const sockets = yield* WebSockets
 * server.upgrades.register(sockets)                // a `NodeServer` of `@dockline/server`
 * server.on("upgrade", sockets.handleUpgrade)      // any other server, and `closeAll` as it closes
 * wss.on("connection", sockets.handleConnection)   // a server of `ws`
 * ```
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { overloaded } from "@dockline/core/access/RequestLimits"
import type { RequestLimits } from "@dockline/core/access/RequestLimits"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { MalformedRequest } from "@dockline/core/values/Errors"
import { countRefusal } from "@dockline/core/values/Metrics"
import { ResourceNotFound, Stopping } from "@dockline/core/values/RequestErrors"
import { correlationHeader, correlationIdOf } from "@dockline/wire/AnswerHeaders"
import { refusalOf } from "@dockline/wire/Handshake"
import { pathOf } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { endWith } from "@dockline/wire/Refusal"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { handleProtocols } from "graphql-ws"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import type { WebSocket } from "ws"
import { GraphqlEngine } from "../engine/Engine.ts"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { endTexts, Sessions } from "../live/Sessions.ts"
import type { Subscriptions } from "../live/Subscriptions.ts"
import { Connection } from "./Connection.ts"
import * as SocketProtocol from "./SocketProtocol.ts"

/** Sockets that speak GraphQL. */
export class WebSockets extends Context.Service<WebSockets, {
  /** The path whose upgrades are accepted. */
  readonly path: string
  /** The paths of other schemas, whose upgrades are accepted too. */
  readonly otherPaths: ReadonlyArray<string>
  /** Handles upgrade requests: an `upgrade` listener. Requests for other paths are answered 404. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Handles a socket of a `ws` server whose `handleProtocols` chose `graphql-transport-ws`. */
  readonly handleConnection: (socket: WebSocket, request: IncomingMessage) => void
  /** Closes all sockets with 1001, and cuts those that do not confirm in time; ends event streams too. */
  readonly closeAll: () => Promise<void>
}>()("@dockline/graphql-adapter/socket/WebSockets") {
  /** Sockets of the engine's schema. All of them are closed with the layer, and none is accepted afterwards. */
  static readonly layer = (
    config: GraphqlConfig = defaultGraphqlConfig
  ): Layer.Layer<
    WebSockets,
    never,
    GraphqlEngine | Subscriptions | Sessions | Authenticator | RequestLimits
  > => Layer.effect(WebSockets, make(config))
}

const make = Effect.fnUntraced(function*({ path, live: config }: GraphqlConfig) {
  const otherPaths = (yield* GraphqlEngine).parts.map((part) => part.path)
  const connections = new Set<Connection>()
  /** The sockets that were opened without a valid token, the oldest first. They may have sent a token since. */
  const anonymous = new Set<Connection>()
  const services = yield* Effect.context<never>()
  const sessions = yield* Sessions
  const authenticator = yield* Authenticator
  const protocol = yield* SocketProtocol.make(config)
  // After a close, `ws` gives a peer 30 s to read the waiting frames, which are bounded.
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: config.frameLimit,
    maxFragments: config.fragments,
    // All frames of a slice are parsed in the same turn.
    allowSynchronousEvents: true,
    // Never reached: a peer that sends so many pings is cut before.
    maxPendingAutoPongs: config.frameRate.frames + 1,
    handleProtocols
  }
  const wss = new WebSocketServer(options)
  wss.on("headers", (headers, request) => {
    headers.push(`${correlationHeader}: ${idOf(request)}`)
    // Headers are Latin-1, but `ws` would write them in UTF-8.
    request.socket.setDefaultEncoding("latin1")
  })
  // For other faults of an upgrade that `ws` finds, such as a subprotocol that is offered twice.
  wss.on(
    "wsClientError",
    ({ message }, socket, request) => refuse(request, socket, Problem.problemAs(MalformedRequest, message))
  )

  const openSockets = GraphqlMetrics.connections.of("websocket")
  let isStopped = false
  let closings = 0

  const limitAnonymous = (): void => {
    for (const first of anonymous) {
      if (anonymous.size <= config.socketsBeforeInit) return
      anonymous.delete(first)
      if (first.live === undefined) first.close(1013, "Too many sockets wait to be initialised; try again")
    }
  }

  const open = (socket: WebSocket, request: IncomingMessage, hasToken: boolean, isOwn: boolean): void => {
    request.socket.setDefaultEncoding("utf8")
    if (isStopped) return socket.close(1001, endTexts.stopping)
    const connection = new Connection(socket, request.socket, {
      correlationId: idOf(request),
      path: pathOf(request.url ?? ""),
      authorization: request.headers.authorization
    }, config)
    connections.add(connection)
    if (!hasToken) {
      anonymous.add(connection)
      limitAnonymous()
    }
    openSockets.modifyUnsafe(1, services)
    protocol(socket, connection, isOwn)
    socket.once("close", () => {
      connections.delete(connection)
      anonymous.delete(connection)
      openSockets.modifyUnsafe(-1, services)
    })
  }

  const handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const requestPath = pathOf(request.url ?? "")
    if (![path, ...otherPaths].some((each) => each === requestPath)) {
      return refuseFor(request, socket, new ResourceNotFound({ path: requestPath }))
    }
    if (isStopped) return refuseFor(request, socket, new Stopping())
    const refusal = refusalOf(request)
    if (refusal !== undefined) return refuse(request, socket, refusal.problem, refusal.headers)
    const { authorization } = request.headers
    if (authorization === undefined) return take(request, socket, head, false)
    const closingsBefore = closings
    // The connection may be lost meanwhile, and nothing else listens for the error.
    socket.on("error", () => undefined)
    Effect.runForkWith(services)(authenticator.authenticate(authorization)).addObserver((exit) => {
      const error = Option.getOrUndefined(Exit.findErrorOption(exit))
      if (closingsBefore !== closings) return refuseFor(request, socket, new Stopping())
      // A token may come later, in `connection_init`; a bad token is refused.
      if (error?._tag === "Unauthenticated" && error.reason !== undefined) {
        return refuseFor(request, socket, error)
      }
      take(request, socket, head, error === undefined)
    })
  }

  const take = (request: IncomingMessage, socket: Duplex, head: Buffer, hasToken: boolean): void => {
    if (connections.size < config.sockets) {
      return wss.handleUpgrade(request, socket, head, (socket) => open(socket, request, hasToken, true))
    }
    const error = overloaded()
    Effect.runSyncWith(services)(countRefusal("graphql", error.code))
    refuseFor(request, socket, error)
  }

  const closeAll = Effect.suspend(() => {
    closings++
    const closing = Array.from(connections)
    closing.forEach((connection) => connection.close(1001, endTexts.stopping))
    const allClosed = Effect.whileLoop({
      while: () => connections.size > 0,
      body: () => Effect.sleep(10),
      step: () => undefined
    })
    return sessions.endAll.pipe(
      Effect.andThen(allClosed),
      Effect.timeoutOption(config.closeMillis),
      Effect.andThen(Effect.sync(() => connections.forEach((connection) => connection.terminate())))
    )
  })

  yield* Effect.addFinalizer(() => {
    isStopped = true
    return closeAll
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(
    Effect.sleep(config.keepAliveMillis),
    Effect.sync(() => connections.forEach((connection) => connection.checkAlive()))
  )))

  return WebSockets.of({
    path,
    otherPaths,
    handleUpgrade,
    handleConnection: (socket, request) => open(socket, request, false, false),
    closeAll: () => Effect.runPromise(closeAll)
  })
})

const ids = new WeakMap<IncomingMessage, string>()

/** The correlation id of an upgrade, for its answer and for its socket. */
const idOf = (request: IncomingMessage): string => {
  const id = ids.get(request) ?? correlationIdOf(request.headers[correlationHeader]?.toString())
  ids.set(request, id)
  return id
}

const refuse = (
  request: IncomingMessage,
  socket: Duplex,
  problem: Problem.Problem,
  headers?: Readonly<Record<string, string>>
): void => endWith(socket, problem, idOf(request), headers)

const refuseFor = (request: IncomingMessage, socket: Duplex, error: CatalogueError): void =>
  refuse(request, socket, Problem.problemOf(error), Problem.headersOf(error))
