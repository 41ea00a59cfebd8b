/**
 * Decides under overload which requests are served, before any work is done for them (D12.6).
 *
 * It is a guard of `NodeServer`: it passes on a request or the handshake of a socket, delays it, or answers 503 with `Retry-After`. It
 * patches nothing. Events of `CompleteResponse` tell it when an answer is over.
 *
 * Guarantees:
 *
 * - **Bounds**: the running requests, the waiting requests and the bytes of their bodies are bounded.
 * - **Lanes**: probes with metrics, tokens, and the operator have their own lanes, so that no other traffic blocks them.
 * - **Shares**: a client, and a business with all its clients, has one share of a lane, whatever its requests look like (core's `RequestLimits`).
 *   Requests without known credentials count by network, in their own lane, and take nothing from clients.
 * - **When a request counts**: from its arrival to its answer. It does not count while it waits for its body or for another service, and
 *   afterwards queues again. An event stream or a long list counts until it begins. While a request waits for the storage or for memory of
 *   its answer, it counts only in its share. So neither slow senders nor slow readers delay others.
 *
 * ```ts
 * const admission = new Admission({ authenticator }) // the one of the interfaces
 * const server = new NodeServer({ admission })
 * Layer.succeed(Capacity, admission.admitWork) // operations of sockets and event streams count too
 * Layer.succeed(Aside, admission.beginAside) // a wait for the body or for another service does not count
 * admission.within(request, handler) // waits for the storage or for room, and long computations
 * ```
 */
import type { Authenticator } from "@dockline/core/access/Authenticator"
import { networkShare, overloaded, shareOf } from "@dockline/core/access/RequestLimits"
import type { AdmitWork, BeginAside, Share } from "@dockline/core/access/RequestLimits"
import { withDefaults } from "@dockline/core/values/Defaults"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { bearerToken } from "@dockline/http-adapter/tokens/BearerAuth"
import * as ClientAddress from "@dockline/http-adapter/tokens/ClientAddress"
import { pathOf } from "@dockline/wire/Path"
import { Effect, Exit, Record, Result } from "effect"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { AdmittedRequest, inShare, noWait, pause } from "./Admittance.ts"
import type { Admittance, Arrival } from "./Admittance.ts"
import { BodyBudget, smallRoom } from "./Budgets.ts"
import type { BodyBudgetConfig, BodyRoom } from "./Budgets.ts"
import * as CompleteResponse from "./CompleteResponse.ts"
import { whenOver } from "./CompleteResponse.ts"
import type { Guard } from "./Guard.ts"
import * as WorkLane from "./WorkLane.ts"
import type { LaneConfig, LaneName } from "./WorkLane.ts"

/** Settings of the admission. */
export interface AdmissionConfig extends LaneConfig, BodyBudgetConfig {
  /** The networks of proxies whose `X-Forwarded-For` gives the address of a request without a token. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The parts of a request on which its admission depends. */
export interface RequestHead {
  readonly url: string
  readonly headers: Readonly<IncomingHttpHeaders>
}

/** Options of the admission. Absent settings have the values of {@link defaultAdmissionConfig}. */
export interface AdmissionOptions extends Partial<AdmissionConfig> {
  /** The authenticator of the interfaces. Without it, all requests count by network, in the lane of their path. */
  readonly authenticator?: Pick<typeof Authenticator.Service, "authenticate">
  /** Rewrites a request into the form that the interfaces receive (`Dashboard.countedForm`). */
  readonly rewrite?: (request: RequestHead) => RequestHead
}

/** The defaults of {@link AdmissionConfig}. */
export const defaultAdmissionConfig: AdmissionConfig = {
  running: 64,
  runningPerBusiness: 48,
  runningPerClient: 36,
  waiting: 1000,
  burstMillis: 1000,
  standingMillis: 300,
  paused: 1000,
  idle: 256,
  bodyBytes: 128 * 1024 * 1024,
  bodyBytesPerBusiness: 64 * 1024 * 1024,
  bodyBytesPerClient: 48 * 1024 * 1024,
  largestBody: 11 * 1024 * 1024,
  trustedProxies: []
}

/** Admits requests as they arrive. */
export class Admission implements Guard {
  readonly #lanes: ReturnType<typeof WorkLane.make>
  readonly #bodies: BodyBudget
  /** The bodies of requests without known credentials. Most of them stay unread, except for bytes that arrive with the head. */
  readonly #anonymousBodies: BodyBudget
  readonly #addresses: ClientAddress.ClientAddresses
  readonly #identities: Identities | undefined
  readonly #rewrite: (request: RequestHead) => RequestHead
  /**
   * The requests that are not over. Each entry is removed when its request is over: an entry whose value refers to its key, as here, would
   * survive each collection of young objects, with everything that the request allocated.
   */
  readonly #admitted = new WeakMap<object, Admittance>()

  /** Without settings, it has {@link defaultAdmissionConfig} and no authenticator. */
  constructor({ rewrite = (request) => request, authenticator, ...options }: AdmissionOptions = {}) {
    const config = withDefaults(defaultAdmissionConfig, options)
    const { bodyBytes } = config
    this.#addresses = ClientAddress.make(config.trustedProxies)
    this.#identities = authenticator && new Identities(authenticator.authenticate)
    this.#rewrite = rewrite
    this.#bodies = new BodyBudget(config)
    this.#anonymousBodies = new BodyBudget({
      ...config,
      bodyBytes: bodyBytes / 4,
      bodyBytesPerBusiness: bodyBytes / 8,
      bodyBytesPerClient: bodyBytes / 8
    })
    this.#lanes = WorkLane.make(config)
  }

  /** The amounts of work that each lane runs, has in its queue, and has refused. */
  get stats() {
    return Record.map(this.#lanes, ({ stats }) => stats)
  }

  /** The announced bytes of the bodies of admitted requests; small bodies do not count. */
  get bodyBytes(): number {
    return this.#bodies.bytes + this.#anonymousBodies.bytes
  }

  /** Lets operations of sockets and event streams take turns with requests, in the share of their client. */
  readonly admitWork: AdmitWork = (principal, work) => {
    const share = shareOf(principal)
    return this.#inTurn("operations", share, this.#inTurn("work", share, work))
  }

  /** Lets a request wait for its body or another service without counting meanwhile. */
  readonly beginAside: BeginAside = (request, refuse) => {
    const admittance = this.#admitted.get(request)
    return admittance === undefined ? noWait : pause(admittance, refuse)
  }

  /**
   * Runs the handler of a request in its share. A wait for the storage or for memory of the answer counts only in the share, unless too
   * many requests wait already. Long computations alternate with those of other businesses.
   */
  readonly within = <A, E, R>(request: object, handler: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const admittance = this.#admitted.get(request)
    return admittance === undefined ? handler : inShare(admittance, handler)
  }

  /** Passes a request on when its lane can begin it, or refuses it. */
  readonly request = (request: IncomingMessage, response: ServerResponse, pass: () => void): void => {
    const { headers, url } = this.#rewrite({ url: request.url ?? "", headers: request.headers })
    const path = pathOf(url)
    const lane = WorkLane.laneOf(path)
    const refuse = (): void =>
      CompleteResponse.refuse(request, response, overloaded(), CompleteResponse.formOf(path))
    const identities = lane === "work" || lane === "operator" ? this.#identities : undefined
    const { authorization } = headers
    const arrival = { request, response, authorization, refuse, pass }
    if (identities === undefined) return this.#admit(lane, this.#networkOf(request), arrival)
    const share = authorization === undefined ? undefined : identities.shareOf(authorization)
    if (share !== undefined) return this.#admit(lane, share, arrival)
    const network = this.#networkOf(request)
    if (authorization === undefined) return this.#admit("anonymous", network, arrival)
    const giveUp = this.#identify(identities, authorization, network, refuse, (share) => {
      if (share === undefined) this.#admit("anonymous", network, arrival)
      else this.#admit(lane, share, arrival)
    })
    whenOver(request, response, giveUp)
  }

  /** Passes the handshake of a socket on, after a check of its credentials, if it has any. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, _head: Buffer, pass: () => void): void => {
    const identities = this.#identities
    const { headers: { authorization } } = this.#rewrite({ url: request.url ?? "", headers: request.headers })
    if (identities === undefined || authorization === undefined) return pass()
    if (identities.shareOf(authorization) !== undefined) return pass()
    const refuse = (): void => CompleteResponse.refuseUpgrade(request, socket, overloaded())
    // The connection may be lost meanwhile, and no other listener handles its error.
    socket.on("error", () => undefined)
    // The check is not interrupted when the connection ends: nothing reads the connection yet, so its end would go unnoticed.
    this.#identify(identities, authorization, this.#networkOf(request), refuse, pass)
  }

  /** The share of requests without known credentials, by IPv4 address or by IPv6 network of 64 bits. */
  #networkOf({ headers, socket }: IncomingMessage): Share {
    return networkShare(ClientAddress.networkOf(this.#addresses.of(socket.remoteAddress, headers)))
  }

  /**
   * Authenticates a request, and calls `then` with its share, or with `undefined` if the credentials are not valid. Returns a function that
   * cancels the check.
   */
  #identify(
    identities: Identities,
    authorization: string,
    network: Share,
    refuse: () => void,
    then: (share: Share | undefined) => void
  ): () => void {
    const identification = Effect.result(
      this.#inTurn("identification", network, identities.find(authorization))
    )
    const fiber = Effect.runFork(identification)
    fiber.addObserver((exit) => {
      // The check was cancelled, because the request is over.
      if (Exit.isFailure(exit)) return
      if (Result.isFailure(exit.value)) refuse()
      else then(exit.value.success)
    })
    return () => fiber.interruptUnsafe()
  }

  #inTurn<A, E, R>(
    lane: LaneName,
    share: Share,
    work: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Overloaded, R> {
    return Effect.suspend(() => {
      const admittance: Admittance = { share, ticket: undefined }
      const turn = Effect.callback<void, Overloaded>((resume) => {
        admittance.ticket = this.#lanes[lane].enter(
          share,
          () => resume(Effect.void),
          () => resume(Effect.fail(overloaded()))
        )
      })
      const inLane = lane === "identification" ? work : inShare(admittance, work)
      return Effect.ensuring(Effect.andThen(turn, inLane), Effect.sync(() => admittance.ticket?.end()))
    })
  }

  /** Lets a request enter a lane, if its share of the budget for bodies permits its body. */
  #admit(lane: LaneName, share: Share, arrival: Arrival): void {
    const { request } = arrival
    const body = this.#reserve(lane, share, request)
    if (body === undefined) {
      this.#lanes[lane].turnedAway()
      return arrival.refuse()
    }
    const admittance = new AdmittedRequest(share, body, arrival, this.#leave)
    this.#admitted.set(request, admittance)
    admittance.enter(this.#lanes[lane])
  }

  /** Forgets a request that is over, and its credentials if they were refused. */
  readonly #leave = ({ authorization, request, response }: Arrival): void => {
    this.#admitted.delete(request)
    if (response.statusCode === 401 && authorization !== undefined) this.#identities?.forget(authorization)
  }

  /** Reserves memory for a body. The token endpoint reads only small bodies, and a probe reads none. */
  #reserve(lane: LaneName, share: Share, request: IncomingMessage): BodyRoom | undefined {
    if (lane === "tokens" || lane === "probes") return smallRoom
    return (lane === "anonymous" ? this.#anonymousBodies : this.#bodies).reserve(share, request)
  }
}

/** The authenticator of the interfaces, which identifies credentials. */
export type Authenticate = typeof Authenticator.Service["authenticate"]

interface Identity {
  readonly share: Share
  readonly expiresAt: number
  checkedAt: number
}

/** The most credentials that are remembered. Beyond this number, those that were checked first are forgotten. */
const capacity = 10_000

/** The time between two checks of credentials that are in use, in milliseconds. */
const checkMillis = 5000

/**
 * Remembers the owners of credentials in `Authorization` headers, so that the share of a request is known at once.
 *
 * Guarantee: an identity ends with its token or session: when it expires, with the first request that is refused as unauthenticated, and
 * with a check every five seconds while it is used (D10.3). While the storage is unavailable, known identities stay. All spellings of a
 * token are one entry, so that spellings cannot fill the memory.
 */
export class Identities {
  readonly #authenticate: Authenticate
  /** The identities in the order of their last check. */
  readonly #known = new Map<string, Identity>()

  constructor(authenticate: Authenticate) {
    this.#authenticate = authenticate
  }

  /** The share of credentials that are known to be valid. It does not wait for the authenticator. */
  shareOf(authorization: string): Share | undefined {
    const key = keyOf(authorization)
    const identity = this.#known.get(key)
    if (identity === undefined) return undefined
    if (Date.now() >= identity.expiresAt) {
      this.#known.delete(key)
      return undefined
    }
    const now = performance.now()
    if (now - identity.checkedAt >= checkMillis) {
      identity.checkedAt = now
      Effect.runFork(this.#check(authorization))
    }
    return identity.share
  }

  /** The share of credentials; `undefined` if they are invalid or cannot be checked now. */
  find(authorization: string): Effect.Effect<Share | undefined> {
    return Effect.suspend(() => {
      const share = this.shareOf(authorization)
      return share === undefined ? this.#check(authorization) : Effect.succeed(share)
    })
  }

  /** Forgets credentials in all their spellings. */
  forget(authorization: string): void {
    this.#known.delete(keyOf(authorization))
  }

  #check(authorization: string): Effect.Effect<Share | undefined> {
    return this.#authenticate(authorization).pipe(
      Effect.match({
        onFailure: (error) => {
          if (error._tag === "Unauthenticated") this.forget(authorization)
          return undefined
        },
        onSuccess: ({ expiresAt, principal }) => {
          const share = shareOf(principal)
          this.#remember(keyOf(authorization), { share, expiresAt, checkedAt: performance.now() })
          return share
        }
      }),
      // The requested interface authenticates the request again and reports the fault.
      Effect.catchDefect(() => Effect.succeed(undefined))
    )
  }

  #remember(key: string, identity: Identity): void {
    this.#known.delete(key)
    this.#known.set(key, identity)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= capacity) break
      this.#known.delete(oldest)
    }
  }
}

/** The key of credentials. For all spellings of a bearer token it is the token. Other headers begin with a space, which no token has. */
const keyOf = (authorization: string): string => bearerToken(authorization) ?? ` ${authorization}`
