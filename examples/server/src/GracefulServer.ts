/**
 * An HTTP server that stops within a time: no new connections at once, requests in flight are finished, and whatever
 * is still open after the grace is cut (D12.3).
 */
import { Server } from "node:http"
import type { Socket } from "node:net"

/** A `node:http` server whose `close` ends within the grace, in milliseconds. */
export class GracefulServer extends Server {
  readonly #graceMillis: number
  /** Connections that have not sent a request: Node takes them for busy, and would wait for them. */
  readonly #silent = new Set<Socket>()

  constructor(graceMillis: number) {
    super()
    this.#graceMillis = graceMillis
    this.on("connection", (socket) => {
      this.#silent.add(socket)
      socket.once("data", () => this.#silent.delete(socket))
      socket.once("close", () => this.#silent.delete(socket))
    })
  }

  override close(callback?: (error?: Error) => void): this {
    const cut = setTimeout(() => this.closeAllConnections(), this.#graceMillis)
    this.once("close", () => clearTimeout(cut))
    for (const socket of this.#silent) socket.destroy()
    return super.close(callback)
  }
}
