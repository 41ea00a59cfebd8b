/**
 * Stops a server within a time limit (D12.3).
 *
 * Guarantee: from the call on, readiness is answered 503, upgrades are refused, and every answer that has not begun announces that its
 * connection will close. After a delay, in which load balancers notice the stop, no more connections are accepted. Requests in flight
 * finish; connections that are still open after the grace are closed.
 */
import { ResourceNotFound, Stopping } from "@dockline/core/values/RequestErrors"
import { pathOf } from "@dockline/wire/Path"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as CompleteResponse from "../limits/CompleteResponse.ts"
import { refuseUpgrade, whenOver } from "../limits/CompleteResponse.ts"
import type { Guard } from "../limits/Guard.ts"

/** A protocol of upgraded connections, such as `WebSockets` of `@dockline/graphql-adapter`. */
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
 * The protocols to which connections may be upgraded, by path.
 *
 * Guarantee: only its protocol gets the upgrades of a registered path. Upgrades of other paths are answered 404 if there is no other
 * listener.
 */
export class Upgrades implements Guard {
  readonly #protocols = new Map<string, UpgradeProtocol>()
  readonly #server: Server

  constructor(server: Server) {
    this.#server = server
  }

  register(protocol: UpgradeProtocol): void {
    // While there is no listener, Node itself refuses upgrades.
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
  /** Ends the delay; `undefined` outside the delay. */
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
    // A stopping service is not ready, but still serves other requests.
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

  /** Begins to stop, and calls `close` after the delay. A second call ends the delay, and calls its own `close` at once. */
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
    // Without this, Node would wait for connections that have not sent a byte.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
    close()
  }
}
