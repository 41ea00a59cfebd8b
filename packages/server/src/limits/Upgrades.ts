/**
 * The protocols that connections may change to, each at its path.
 *
 * Guarantee: only its protocol gets the upgrades of a registered path; without another listener, other paths are answered
 * 404.
 */
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { pathOf } from "@dockline/wire/Path"
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import type { Guard } from "./Guard.ts"
import { refuseUpgrade } from "./QuickRefusal.ts"

/** A protocol, such as `WebSockets` of `@dockline/graphql-adapter`. */
export interface UpgradeProtocol {
  /** The path whose upgrades it takes. */
  readonly path: string
  /** Further paths whose upgrades it takes. */
  readonly otherPaths?: ReadonlyArray<string>
  /** Takes over the connection of an upgrade request, or refuses it. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Closes the connections that it has taken over. */
  readonly closeAll: () => Promise<void>
}

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
