/**
 * Further listening sockets on the port of a server. In each turn of its event loop Node accepts one connection of a listening socket.
 * Under overload a turn is long, so new connections would wait in the system for seconds, where no guard sees them, and their clients
 * would get no answer (ADR 16). The system distributes connections over the sockets. On systems other than Linux there are none.
 *
 * Guarantee: the sockets of a process share its port with nobody. A port on which another process listens is refused as usual.
 */
import type { Server } from "node:http"
import { createServer } from "node:net"
import type { ListenOptions, Server as Listener, ServerOpts } from "node:net"
import type { Guard } from "./Guard.ts"

/** The number of listening sockets of a server, with its own. */
const count = 16

/** Whether options name a port that several sockets of this process can share. */
export const canShare = (options: unknown): options is ListenOptions =>
  process.platform === "linux" && typeof options === "object" && options !== null &&
  "port" in options && !("path" in options) && !("fd" in options)

/** Looks whether a port is free. */
export interface Probe {
  /** Prevents the call of `then`. */
  readonly close: () => void
}

/** Calls `then` when it has listened on the port of the options without sharing it, and given it back; with an error if it could not. */
export const whenFree = (options: ListenOptions, then: (error?: Error) => void): Probe => {
  const probe = createServer()
  let isClosed = false
  probe.once("error", then)
  probe.listen(options, () => probe.close(() => isClosed || then()))
  return {
    close: () => {
      isClosed = true
      probe.close()
    }
  }
}

/** The further listening sockets of a server, which has closed when their connections have ended as well. */
export class Listeners implements Guard {
  readonly #server: Server
  readonly #settings: ServerOpts
  /** The sockets that listen, or whose connections have not ended. */
  readonly #open = new Set<Listener>()
  #onClosed: (() => void) | undefined

  /** `settings` are those of the server's connections. */
  constructor(server: Server, settings: ServerOpts) {
    this.#server = server
    this.#settings = settings
  }

  /** Opens the sockets. The options are those with which the server listens, with its port. */
  open(options: ListenOptions): void {
    for (let number = 1; number < count; number++) {
      const listener = createServer(this.#settings, (socket) => this.#server.emit("connection", socket))
      this.#open.add(listener)
      // If one of the sockets cannot listen, the others do.
      for (const event of ["error", "close"]) listener.once(event, () => this.#closed(listener))
      listener.listen(options)
    }
  }

  /** Accepts no more connections. */
  closeAll(): void {
    for (const listener of this.#open) listener.close()
  }

  readonly close = (pass: () => void): void => {
    if (this.#open.size === 0) pass()
    else this.#onClosed = pass
  }

  #closed(listener: Listener): void {
    if (!this.#open.delete(listener) || this.#open.size > 0) return
    this.#onClosed?.()
    this.#onClosed = undefined
  }
}
