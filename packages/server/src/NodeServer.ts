/**
 * A `node:http` server behind a chain of guards. Each guard passes an event on, delays it, or answers it.
 *
 * It changes the behaviour of Node in four ways:
 *
 * - `emit`: listeners of `connection`, `request`, `checkContinue`, `upgrade` and `close` get an event after all guards have passed it on.
 * - `listen`: on a port that is given as an option, several sockets listen (`Listeners`).
 * - `close`: closes web sockets at once, and lets requests in flight finish (`GracefulStop`).
 * - The response class: `CompleteResponse` overrides `writeHead` and `end`, so that each error has a body.
 *
 * The guards, in their order: the framing of requests, `ConnectionLimits`, `GracefulStop`, `ownHosts`, an `Admission`, `Upgrades`,
 * `Listeners`, and `heldRequests`, which keeps a request that arrives before the first listener.
 *
 * Guarantee: errors that Node answers before any route, and errors without a body, are problems too (D4.2, D4.5). If a header is sent
 * twice, both values are seen, so that no part of a request goes unchecked.
 *
 * ```ts
 * NodeHttpServer.layer(() => new NodeServer(), { port: 8080 })
 *
 * const server = new NodeServer({ connections: 1000, admission: new Admission(), stop: { graceMillis: 8000 } })
 * server.upgrades.register(sockets)
 * server.on("request", app)
 * ```
 */
import { withDefaults } from "@dockline/core/values/Defaults"
import { Server } from "node:http"
import { GracefulStop, Upgrades } from "./lifecycle/GracefulStop.ts"
import type { StopConfig } from "./lifecycle/GracefulStop.ts"
import type { Admission } from "./limits/Admission.ts"
import { CompleteResponse } from "./limits/CompleteResponse.ts"
import { ConnectionLimits, defaultConnectionLimits } from "./limits/ConnectionLimits.ts"
import type { ConnectionLimitsConfig } from "./limits/ConnectionLimits.ts"
import { framing, heldRequests, ownHosts } from "./limits/Guard.ts"
import type { Guard, OwnHostsConfig } from "./limits/Guard.ts"
import { canShare, Listeners, whenFree } from "./limits/Listeners.ts"
import type { Probe } from "./limits/Listeners.ts"

/** Settings of the guards. The inherited limits of connections are in `ConnectionLimits.ts`. */
export interface NodeServerOptions extends Partial<ConnectionLimitsConfig> {
  /** Admits requests; if absent, all requests are admitted. */
  readonly admission?: Admission
  /** The permitted hosts of requests; if absent, all hosts. */
  readonly hosts?: OwnHostsConfig
  /** The delay and the grace of a stop. */
  readonly stop?: StopConfig
}

/** Settings of the connections of all listening sockets. */
const connectionSettings = {
  // As Node has it for HTTP: a client may end its side before it has the answer.
  allowHalfOpen: true,
  noDelay: true,
  // Detects peers that vanished between two requests, or while they follow a stream.
  keepAlive: true,
  keepAliveInitialDelay: 30_000
}

/** The server. */
export class NodeServer extends Server {
  /** The admission of requests; `undefined` if all are admitted. */
  readonly admission: Admission | undefined
  readonly connectionLimits: ConnectionLimits
  /** The protocols that connections may change to. */
  readonly upgrades: Upgrades
  readonly #stop: GracefulStop
  readonly #listeners = new Listeners(this, connectionSettings)
  /** Present until the server listens, or cannot. */
  #probe: Probe | undefined
  /** For each event, the guards in their order. */
  readonly #chains: ReadonlyMap<string | symbol, ReadonlyArray<Link>>

  constructor({ admission, hosts, stop = {}, ...options }: NodeServerOptions = {}) {
    const limits = withDefaults(defaultConnectionLimits, options)
    super({
      ...connectionSettings,
      // How often Node checks for request heads and requests that take too long.
      connectionsCheckingInterval: limits.checkMillis,
      ServerResponse: CompleteResponse,
      joinDuplicateHeaders: true,
      // Only a web socket is an upgrade; a client that offers another protocol is answered over HTTP.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket"
    })
    this.admission = admission
    this.connectionLimits = new ConnectionLimits(this, limits)
    this.upgrades = new Upgrades(this)
    this.#stop = new GracefulStop(this, stop)
    // `heldRequests` is the last guard, so that a held request is counted and admitted once.
    const guards: ReadonlyArray<Guard> = [
      framing(this),
      this.connectionLimits,
      this.#stop,
      ...(hosts === undefined ? [] : [ownHosts(hosts)]),
      ...(admission === undefined ? [] : [admission]),
      this.upgrades,
      this.#listeners,
      heldRequests(this)
    ]
    const requests = linksOf(guards, "request")
    this.#chains = new Map([
      ["connection", linksOf(guards, "connection")],
      ["request", requests],
      ["checkContinue", requests],
      ["upgrade", linksOf(guards, "upgrade")],
      ["close", linksOf(guards, "close")]
    ])
  }

  /** Emits an event once the guards have passed it on. */
  override emit(event: string | symbol, ...args: ReadonlyArray<unknown>): boolean {
    const links = this.#chains.get(event)
    // The overloads of Node's types take no symbol.
    if (links === undefined) return super.emit(event as string, ...args)
    const pass = (from: number): void => {
      const link = links[from]
      if (link === undefined) super.emit(event as string, ...args)
      else link(...args, () => pass(from + 1))
    }
    pass(0)
    return true
  }

  /** Listens as Node does; on a port of its options with several sockets, if nobody else listens there. */
  override listen(...args: ReadonlyArray<unknown>): this {
    const [options, onListening] = args
    if (this.listening || !canShare(options)) return Reflect.apply(super.listen, this, args)
    if (typeof onListening === "function") this.once("listening", () => Reflect.apply(onListening, this, []))
    this.#probe = whenFree(options, (error) => {
      this.#probe = undefined
      if (error !== undefined) return void this.emit("error", error)
      super.listen({ ...options, reusePort: true }, () => {
        const address = this.address()
        if (typeof address === "object" && address !== null) {
          this.#listeners.open({ ...options, port: address.port, reusePort: true })
        }
      })
    })
    return this
  }

  /** Closes the web sockets at once, although the server may still accept connections for a while. */
  override close(callback?: (error?: Error) => void): this {
    this.upgrades.closeAll()
    this.#probe?.close()
    this.#stop.stop(() => {
      this.#listeners.closeAll()
      super.close(callback)
    })
    return this
  }
}

/** The part of a guard for one event. It gets the arguments of the event, and a function that passes the event on. */
type Link = (...args: ReadonlyArray<unknown>) => void

const linksOf = (guards: ReadonlyArray<Guard>, kind: keyof Guard): ReadonlyArray<Link> =>
  guards.flatMap((guard) => (guard[kind] as Link | undefined) ?? [])
