/**
 * Stops a server within a time (D12.3).
 *
 * Guarantee: from the call on, readiness is 503, upgrades are refused, and every answer that has not begun announces the end of the
 * connection. After a delay, in which balancers notice, no connection is accepted any more. Requests in flight are finished, and
 * connections that are open after the grace are cut.
 */
import { ResourceNotFound, Stopping } from "@dockline/core/values/RequestErrors"
import { pathOf } from "@dockline/wire/Path"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as CompleteResponse from "../limits/CompleteResponse.ts"
import { refuseUpgrade, whenOver } from "../limits/CompleteResponse.ts"
import type { Guard } from "../limits/Guard.ts"

/** A protocol, such as `WebSockets` of `@dockline/graphql-adapter`. */
export interface UpgradeProtocol {
  /** The path whose upgrades it accepts. */
  readonly path: string
  /** Further paths whose upgrades it accepts. */
  readonly otherPaths?: ReadonlyArray<string>
  /** Takes over the connection of an upgrade request, or refuses it. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Closes the connections that it has taken over. */
  readonly closeAll: () => Promise<void>
}

/**
 * The protocols that connections may change to, each at its path.
 *
 * Guarantee: only its protocol gets the upgrades of a registered path; without another listener, other paths are answered
 * 404.
 */
export class Upgrades implements Guard {
  readonly #protocols = new Map<string, UpgradeProtocol>()
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  register(protocol: UpgradeProtocol): void {
    // Node refuses upgrades itself while there is no listener.
    if (this.#protocols.size === 0) this.#server.on("upgrade", this.#refuseUnclaimed)
    for (const path of [protocol.path, ...protocol.otherPaths ?? []]) this.#protocols.set(path, protocol)
  }

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, pass: () => void): void => {
    const protocol = this.#protocols.get(pathOf(request.url ?? ""))
    if (protocol === undefined) pass()
    else protocol.handleUpgrade(request, socket, head)
  }

  closeAll(): void {
    for (const protocol of new Set(this.#protocols.values())) void protocol.closeAll()
  }

  readonly #refuseUnclaimed = (request: IncomingMessage, socket: Duplex): void => {
    if (this.#server.listenerCount("upgrade") > 1) return
    refuseUpgrade(request, socket, new ResourceNotFound({ path: pathOf(request.url ?? "") }))
  }
}

export interface StopConfig {
  /** The time for requests in flight after the delay, in milliseconds; no limit by default. */
  readonly graceMillis?: number
  /** The delay in which connections are still accepted, in milliseconds; 0 by default. */
  readonly delayMillis?: number
}

export class GracefulStop implements Guard {
  readonly #server: Server
  readonly #config: StopConfig
  readonly #sockets = new Set<Socket>()
  readonly #open = new Set<ServerResponse>()
  #isStopping = false
  /** Ends the delay, while it lasts. */
  #endDelay: (() => void) | undefined

  constructor(server: Server, config: StopConfig) {
    this.#server = server
    this.#config = config
    server.on("listening", () => {
      this.#isStopping = false
    })
  }

  readonly connection = (socket: Socket, pass: () => void): void => {
    this.#sockets.add(socket)
    socket.once("close", () => this.#sockets.delete(socket))
    pass()
  }

  readonly request = (request: IncomingMessage, response: ServerResponse, pass: () => void): void => {
    if (!this.#isStopping) {
      this.#open.add(response)
      whenOver(request, response, () => this.#open.delete(response))
      return pass()
    }
    response.shouldKeepAlive = false
    // A service that stops is not ready; it still serves other requests.
    const isProbe = pathOf(request.url ?? "").endsWith("/readyz")
    if (isProbe) CompleteResponse.refuse(request, response, new Stopping(), "problem")
    else pass()
  }

  readonly upgrade = (request: IncomingMessage, socket: Duplex, _head: Buffer, pass: () => void): void => {
    if (this.#isStopping) CompleteResponse.refuseUpgrade(request, socket, new Stopping())
    else pass()
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Begins to stop, and calls `close` after the delay. The second call ends the delay. */
  stop(close: () => void): void {
    if (this.#isStopping) {
      close()
      return this.#endDelay?.()
    }
    this.#isStopping = true
    for (const response of this.#open) response.shouldKeepAlive = false
    const { delayMillis = 0 } = this.#config
    if (delayMillis === 0) return this.#end(close)
    const end = (): void => {
      clearTimeout(timer)
      this.#endDelay = undefined
      this.#end(close)
    }
    const timer = setTimeout(end, delayMillis)
    this.#endDelay = end
  }

  #end(close: () => void): void {
    const { graceMillis } = this.#config
    if (graceMillis !== undefined) {
      const cutTimer = setTimeout(() => this.#server.closeAllConnections(), graceMillis)
      this.#server.once("close", () => clearTimeout(cutTimer))
    }
    // Node would wait for connections that have not sent a byte.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    close()
  }
}
