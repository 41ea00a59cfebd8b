/**
 * A server that stops within a time (D12.3).
 *
 * Guarantee: once told to close, its readiness is 503 at once, and every answer that has not begun tells its client that
 * the connection ends; after a delay, in which balancers notice, no connection is taken any more; requests in flight are
 * finished, and whatever is still open after the grace is cut.
 */
import { Stopping } from "@dockline/core/Errors"
import { pathOf } from "@dockline/core/internal/Path"
import * as Problem from "@dockline/core/internal/Problem"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { endWith, whenOver } from "../answer/ResponseEnd.ts"
import { intercept } from "./Interception.ts"
import * as QuickRefusal from "./QuickRefusal.ts"

/** How a server stops. */
export interface GraceConfig {
  /** How long requests in flight may take once no connection is taken any more, in milliseconds. */
  readonly graceMillis: number
  /** How long connections are still taken after it is told to close, in milliseconds; 0 unless given. */
  readonly delayMillis?: number
}

/**
 * Makes a server's `close` end within delay and grace; closing it again ends the delay. To be called in the turn in which
 * the server is made.
 */
export const withGrace = (server: Server, { graceMillis, delayMillis = 0 }: GraceConfig): Server => {
  const sockets = new Set<Socket>()
  const open = new Set<ServerResponse>()
  let isStopping = false

  const watch = (socket: Socket): void => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  }
  intercept(server, (event, args) => {
    if (event === "connection") watch(args[0] as Socket)
    if (isStopping && event === "upgrade") return refuseUpgrade(args[0] as IncomingMessage, args[1] as Duplex)
    if (event !== "request" && event !== "checkContinue") return false
    const [request, response] = args as [IncomingMessage, ServerResponse]
    if (!isStopping) {
      open.add(response)
      whenOver(request, response, () => open.delete(response))
      return false
    }
    response.shouldKeepAlive = false
    return refuseProbe(request, response)
  })

  const close = server.close.bind(server)
  server.close = (callback) => {
    if (isStopping) return close(callback)
    isStopping = true
    for (const response of open) response.shouldKeepAlive = false
    const stop = (): void => {
      const cut = setTimeout(() => server.closeAllConnections(), graceMillis)
      server.once("close", () => clearTimeout(cut))
      // Connections that have not sent a byte: Node takes them for busy, and would wait for them.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      close(callback)
    }
    if (delayMillis > 0) setTimeout(stop, delayMillis)
    else stop()
    return server
  }
  return server
}

/** A service that stops is not ready; whatever else is asked of it meanwhile it does. */
const refuseProbe = (request: IncomingMessage, response: ServerResponse): boolean => {
  const isProbe = pathOf(request.url ?? "").endsWith("/readyz")
  if (isProbe) QuickRefusal.refuse(request, response, new Stopping(), "problem")
  return isProbe
}

const refuseUpgrade = (request: IncomingMessage, socket: Duplex): true => {
  const error = new Stopping()
  const correlationId = QuickRefusal.correlationHeaderOf(request)
  endWith(socket, Problem.answerOf(Problem.problemOf(error), correlationId, Problem.headersOf(error)))
  return true
}
