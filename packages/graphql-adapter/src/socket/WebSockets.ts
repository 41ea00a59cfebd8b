/**
 * GraphQL over WebSocket: the protocol `graphql-transport-ws` on sockets of `ws` (D8.3, D8.7).
 *
 * Guarantee: no socket outlives its token, its client's permission or this service; a consumer that does not keep up
 * is closed with 4429 and resumes with `afterId`; a refused operation is an `error` frame and the socket stays.
 *
 * Close codes, beside those that the protocol defines: 1001 the service stops; 1013 the storage or the token issuer
 * cannot be reached, or the client has too many connections: the common clients try again by themselves; 1008 the socket
 * sends more than it may: the common clients do not.
 *
 * ```ts
 * const sockets = yield* WebSockets
 * yield* sockets.attach(server)                                     // a server of ours
 * server.on("upgrade", (...args) => sockets.handleUpgrade(...args)) // one's own server
 * wss.on("connection", (socket, request) => sockets.handleConnection(socket, request)) // one's own `ws`
 * ```
 */
import { Authenticator } from "@dockline/core/Authenticator"
import { Capacity } from "@dockline/core/Capacity"
import { Stopping } from "@dockline/core/Errors"
import { overloaded } from "@dockline/core/internal/Categories"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import { refusalOf } from "@dockline/core/internal/Handshake"
import { pathOf } from "@dockline/core/internal/Path"
import * as Problem from "@dockline/core/internal/Problem"
import { countRefusal } from "@dockline/core/Refusals"
import { RequestLimits } from "@dockline/core/RequestLimits"
import { Context, Effect, Exit, Layer } from "effect"
import type { Scope } from "effect"
import { handleProtocols } from "graphql-ws"
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import type { WebSocket } from "ws"
import { GraphqlEngine } from "../engine/Engine.ts"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"
import { Sessions } from "../live/Sessions.ts"
import { Subscriptions } from "../live/Subscriptions.ts"
import { Connection } from "./Connection.ts"
import { makeProtocol } from "./SocketProtocol.ts"

/** Sockets that speak GraphQL. */
export class WebSockets extends Context.Service<WebSockets, {
  /** Takes an upgrade request, for an `upgrade` listener. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Takes a socket that a `ws` server has opened, whose `handleProtocols` chose `graphql-transport-ws`. */
  readonly handleConnection: (socket: WebSocket, request: IncomingMessage) => void
  /**
   * Takes the upgrades of the configured path on a server, and leaves all others to whoever listens for them. As the
   * server closes, or the scope, all sockets and event streams are closed; a server that closes takes no others.
   */
  readonly attach: (server: Server) => Effect.Effect<void, never, Scope.Scope>
  /** Closes all sockets with 1001, and cuts those that do not confirm in time; ends event streams too. */
  readonly closeAll: Effect.Effect<void>
}>()("@dockline/graphql-adapter/WebSockets") {
  /** Sockets of the engine's schema. All of them are closed with the layer, and none is taken afterwards. */
  static readonly layer = (
    config: GraphqlConfig = defaultGraphqlConfig
  ): Layer.Layer<
    WebSockets,
    never,
    GraphqlEngine | Subscriptions | Sessions | Authenticator | RequestLimits
  > => Layer.effect(WebSockets, make(config))
}

const make = Effect.fnUntraced(function*({ path, live: config }: GraphqlConfig) {
  const connections = new Set<Connection>()
  const services = yield* Effect.context<never>()
  const sessions = yield* Sessions
  const authenticator = yield* Authenticator
  const protocol = makeProtocol({
    engine: yield* GraphqlEngine,
    subscriptions: yield* Subscriptions,
    sessions,
    authenticator,
    limits: yield* RequestLimits,
    takeOn: yield* Capacity,
    services,
    config
  })
  // A peer that is told to go has 30 s, `ws`' own time, to read it: what waits for it is bounded.
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: config.frameLimit,
    maxFragments: config.fragments,
    // Sockets are read in slices, each of which is parsed at once.
    allowSynchronousEvents: true,
    // Pongs that their peer does not read; a peer that sends more pings at once is cut before.
    maxPendingAutoPongs: config.frameRate.frames + 1,
    handleProtocols
  }
  const wss = new WebSocketServer(options)
  wss.on("headers", (headers, request) => {
    headers.push(`${correlationHeader}: ${idOf(request)}`)
    // `ws` would write the head in UTF-8, where headers are Latin-1.
    request.socket.setDefaultEncoding("latin1")
  })
  // What is left for `ws` to refuse, such as a subprotocol that is offered twice.
  wss.on(
    "wsClientError",
    ({ message }, socket, request) =>
      refuse(request, socket, Problem.problem(400, "MALFORMED_REQUEST", message))
  )

  const opened = GraphqlMetrics.connections.of("websocket")
  let isStopped = false
  let closings = 0

  const open = (socket: WebSocket, request: IncomingMessage, isOwn: boolean): void => {
    request.socket.setDefaultEncoding("utf8")
    if (isStopped) return socket.close(1001, "The service stops")
    const connection = new Connection(socket, request.socket, idOf(request), config)
    connections.add(connection)
    opened.modifyUnsafe(1, services)
    protocol.open(socket, connection, request, isOwn)
    socket.once("close", () => {
      connections.delete(connection)
      opened.modifyUnsafe(-1, services)
    })
  }

  const handleUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (isStopped) return refuseFor(request, socket, new Stopping())
    const refusal = refusalOf(request)
    if (refusal !== undefined) return refuse(request, socket, refusal.problem, refusal.headers)
    const { authorization } = request.headers
    if (authorization === undefined) return take(request, socket, head)
    const closed = closings
    // The connection may be lost meanwhile, which is an error of a socket that nobody listens to.
    socket.on("error", () => undefined)
    Effect.runForkWith(services)(Effect.match(authenticator.authenticate(authorization), {
      onSuccess: () => undefined,
      onFailure: (error) => error
    })).addObserver((exit) => {
      const error = Exit.isSuccess(exit) ? exit.value : undefined
      if (closed !== closings) return refuseFor(request, socket, new Stopping())
      // The token may come in `connection_init` yet, but one that was sent and is not good is refused.
      if (error?._tag === "Unauthenticated" && error.reason !== undefined) {
        return refuseFor(request, socket, error)
      }
      take(request, socket, head)
    })
  }

  const take = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (connections.size < config.sockets) {
      return wss.handleUpgrade(request, socket, head, (socket) => open(socket, request, true))
    }
    const error = overloaded()
    Effect.runSyncWith(services)(countRefusal("graphql", error.code))
    refuseFor(request, socket, error)
  }

  const closeAll = Effect.suspend(() => {
    closings++
    const closing = Array.from(connections)
    closing.forEach((connection) => connection.close(1001, "The service stops"))
    const allClosed = Effect.callback<void>((resume) => {
      const timer = setInterval(() => {
        if (connections.size > 0) return
        clearInterval(timer)
        resume(Effect.void)
      }, 10)
      return Effect.sync(() => clearInterval(timer))
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
    handleUpgrade,
    handleConnection: (socket, request) => open(socket, request, false),
    attach: (server) => attach(server, path, handleUpgrade, closeAll),
    closeAll
  })
})

/**
 * Every listener for upgrades gets every upgrade, and a server of Effect has one that answers them all; so those of
 * our path are taken before any listener learns of them. That there is a listener makes Node tell of upgrades at all.
 *
 * A server that closes waits for its sockets, so they are closed as it is told to, and none is taken from then on, though
 * the server may take connections for a while yet.
 */
const attach = (
  server: Server,
  path: string,
  handleUpgrade: WebSockets["Service"]["handleUpgrade"],
  closeAll: Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const { emit, close } = server
      let isClosing = false
      const isOurs = (request: IncomingMessage) => pathOf(request.url ?? "") === path
      const others = (request: IncomingMessage, socket: Duplex) => {
        if (server.listenerCount("upgrade") === 1) {
          refuse(request, socket, Problem.notFound(pathOf(request.url ?? "")))
        }
      }
      const emitOthers = (event: string | symbol, ...args: ReadonlyArray<unknown>): boolean => {
        if (event === "upgrade" && isOurs(args[0] as IncomingMessage)) {
          const [request, socket, head] = args as [IncomingMessage, Duplex, Buffer]
          if (isClosing) refuseFor(request, socket, new Stopping())
          else handleUpgrade(request, socket, head)
          return true
        }
        return Reflect.apply(emit, server, [event, ...args])
      }
      const closeWithSockets = (callback?: (error?: Error) => void): Server => {
        isClosing = true
        Effect.runFork(closeAll)
        return Reflect.apply(close, server, [callback])
      }
      server.emit = emitOthers
      server.close = closeWithSockets
      const opened = () => {
        isClosing = false
      }
      server.on("upgrade", others)
      server.on("listening", opened)
      return () => {
        if (server.emit === emitOthers) server.emit = emit
        if (server.close === closeWithSockets) server.close = close
        server.off("upgrade", others)
        server.off("listening", opened)
      }
    }),
    (detach) => Effect.andThen(closeAll, Effect.sync(detach))
  ))

const ids = new WeakMap<IncomingMessage, string>()

/** The correlation id of an upgrade: that of its answer is that of its socket. */
const idOf = (request: IncomingMessage): string => {
  const id = ids.get(request) ?? correlationIdOf(request.headers[correlationHeader]?.toString())
  ids.set(request, id)
  return id
}

/** Answers an upgrade, and ends the connection, which Node does not watch over any more. */
const refuse = (
  request: IncomingMessage,
  socket: Duplex,
  problem: Problem.Problem,
  headers: Readonly<Record<string, string>> = {}
): void => {
  socket.on("error", () => undefined)
  // A peer that does not close on its side would keep it open for as long as it likes.
  socket.once("finish", () => socket.destroy())
  socket.end(Problem.answerOf(problem, idOf(request), headers), "latin1")
}

const refuseFor = (request: IncomingMessage, socket: Duplex, error: CatalogueError): void =>
  refuse(request, socket, Problem.problemOf(error), Problem.headersOf(error))
