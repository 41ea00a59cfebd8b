/**
 * An HTTP server that stops within a time: no new connections at once, requests in flight are finished, and whatever
 * is still open after the grace is cut (D12.3).
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** Makes a server's `close` end within the grace, in milliseconds. */
export const withGrace = (server: Server, graceMillis: number): Server => {
  // Connections that have not sent a request: Node takes them for busy, and would wait for them.
  const silent = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    silent.add(socket)
    socket.once("data", () => silent.delete(socket))
    socket.once("close", () => silent.delete(socket))
  })
  const close = server.close.bind(server)
  server.close = (callback) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMillis)
    server.once("close", () => clearTimeout(cut))
    for (const socket of silent) socket.destroy()
    return close(callback)
  }
  return server
}
