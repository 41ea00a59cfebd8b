/**
 * More listening sockets on the port of a server. Node takes one connection of each in a turn of its event loop, so when turns
 * are long, new connections would wait for seconds, unread, where no guard sees them: probes, and all clients that come back
 * after a restart. The system spreads connections over the sockets. Linux only; elsewhere the server has its own socket.
 *
 * Guarantee: a port that another process listens on is refused as ever, although the sockets of this process share it.
 */
import type { Server } from "node:http"
import { createServer } from "node:net"
import type { ListenOptions, Server as Listener, ServerOpts } from "node:net"

/** The listening sockets of a server, its own among them. */
const count = 16

/** Whether the options name a port that sockets of this process may share. */
export const canShare = ({ fd, path, port }: ListenOptions & { readonly fd?: number }): boolean =>
  process.platform === "linux" && port !== undefined && path === undefined && fd === undefined

/** Calls back without an error if nobody listens on the port of the options. */
export const whenFree = (options: ListenOptions, then: (error?: Error) => void): void => {
  // The system gives a free port for 0.
  if (options.port === 0) return then()
  const probe = createServer()
  probe.once("error", then)
  probe.listen({ ...options, reusePort: false }, () => probe.close(() => then()))
}

/** The further listening sockets of a server. */
export class Listeners {
  readonly #server: Server
  readonly #sockets: ServerOpts
  /** Those that are open, or have connections still. */
  readonly #open = new Set<Listener>()
  #onClosed: (() => void) | undefined

  /** `sockets` are the settings of connections that the server has for its own. */
  constructor(server: Server, sockets: ServerOpts) {
    this.#server = server
    this.#sockets = sockets
  }

  /** Opens them, when the server listens itself; `options` as it was given them, with the port that it got. */
  open(options: ListenOptions): void {
    for (let opened = 1; opened < count; opened++) {
      const listener = createServer(this.#sockets, (socket) => this.#server.emit("connection", socket))
      this.#open.add(listener)
      // Without one of them the others serve.
      listener.once("error", () => this.#closed(listener))
      listener.once("close", () => this.#closed(listener))
      listener.listen(options)
    }
  }

  /** Accepts no more connections. */
  close(): void {
    for (const listener of this.#open) listener.close()
  }

  /** Calls back once all of their connections have ended: maybe at once. */
  whenClosed(then: () => void): void {
    if (this.#open.size === 0) then()
    else this.#onClosed = then
  }

  #closed(listener: Listener): void {
    this.#open.delete(listener)
    if (this.#open.size === 0) this.#onClosed?.()
  }
}
