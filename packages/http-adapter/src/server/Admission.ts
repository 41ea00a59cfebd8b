/**
 * Overload: which requests are worked on, before anything is done for them.
 *
 * Guarantee: work in progress, what waits for it and the bytes of bodies that are held are bounded, whatever comes; the
 * rest is answered 503 with `Retry-After`, which costs a small part of serving it. Probes, metrics, tokens and the
 * operator have lanes of their own, so that no load of customers keeps them out, nor they each other. No client takes
 * all there is. A request counts from its arrival to its answer, but not while its body is slow to come, and an event
 * stream until it begins: neither a slow sender nor a subscriber holds up others.
 *
 * ```ts
 * const admission = new Admission()
 * const server = NodeServer.create({ admission })
 * Layer.succeed(Capacity, admission.takeOn) // what runs on sockets and in event streams counts too
 * ```
 */
import type { TakeOn } from "@dockline/core/Capacity"
import { withDefaults } from "@dockline/core/Defaults"
import type { Overloaded } from "@dockline/core/Errors"
import { overloaded } from "@dockline/core/internal/Categories"
import { pathOf } from "@dockline/core/internal/Path"
import { Effect } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { answeredEvent, whenOver } from "../answer/ResponseEnd.ts"
import * as ClientAddress from "../tokens/ClientAddress.ts"
import { BodyBudget, hasBody } from "./BodyBudget.ts"
import { intercept } from "./Interception.ts"
import * as QuickRefusal from "./QuickRefusal.ts"
import { WorkLane } from "./WorkLane.ts"
import type { LaneConfig, LaneStats, Ticket } from "./WorkLane.ts"

/** Settings of the admission. */
export interface AdmissionConfig extends LaneConfig {
  /** The most bytes of request bodies at a time, as announced or read, of requests that are being served. */
  readonly bodyBytes: number
  /** How many of these for one client. */
  readonly bodyBytesPerClient: number
  /** The largest body that is read at all: what is announced larger is refused unread. */
  readonly largestBody: number
  /** The path below which everything is mounted, without a trailing slash. */
  readonly mountedAt: string
  /** The networks of proxies whose `X-Forwarded-For` says where a request without a token comes from. */
  readonly trustedProxies: ReadonlyArray<string>
}

/**
 * 64 requests at once, 48 of one client; 1,000 wait, for 1 s in a burst, for 100 ms in overload; 1,000 may be slow to
 * come, and 128 MiB of bodies be held, half of them of one client.
 */
export const defaultAdmissionConfig: AdmissionConfig = {
  running: 64,
  runningPerClient: 48,
  waiting: 1000,
  burstMillis: 1000,
  standingMillis: 100,
  paused: 1000,
  bodyBytes: 128 * 1024 * 1024,
  bodyBytesPerClient: 64 * 1024 * 1024,
  largestBody: 11 * 1024 * 1024,
  mountedAt: "",
  trustedProxies: []
}

/** What is judged on its own. */
export type LaneName = "work" | "operator" | "tokens" | "probes"

/** What the operator, tokens and probes have besides the work of customers. */
const reserved: Readonly<Record<Exclude<LaneName, "work">, LaneConfig>> = {
  operator: {
    running: 16,
    runningPerClient: 8,
    waiting: 100,
    burstMillis: 2000,
    standingMillis: 500,
    paused: 100
  },
  tokens: {
    running: 16,
    runningPerClient: 16,
    waiting: 500,
    burstMillis: 2000,
    standingMillis: 500,
    paused: 500
  },
  probes: {
    running: 16,
    runningPerClient: 16,
    waiting: 50,
    burstMillis: 2000,
    standingMillis: 1000,
    paused: 50
  }
}

/** The lanes whose bodies are large. The token endpoint reads small ones only, and a probe none: they hold nothing. */
const withBodies: ReadonlySet<LaneName> = new Set(["work", "operator"])

const operatorPath = /^\/v1\/operator(?:\/|$)/

/** The lane of a path, below where the interfaces are mounted. */
export const laneOf = (path: string): LaneName => {
  switch (path) {
    case "/healthz":
    case "/readyz":
    case "/metrics":
      return "probes"
    case "/oauth/token":
    case "/.well-known/jwks.json":
    case "/.well-known/oauth-authorization-server":
    case "/.well-known/openid-configuration":
      return "tokens"
    default:
      return operatorPath.test(path) ? "operator" : "work"
  }
}

/** Decides on requests as they arrive. */
export class Admission {
  readonly #lanes: Readonly<Record<LaneName, WorkLane>>
  readonly #bodies: BodyBudget
  readonly #mountedAt: string
  readonly #addresses: ClientAddress.ClientAddresses

  /** Whatever is not given is as in {@link defaultAdmissionConfig}. */
  constructor(given: Partial<AdmissionConfig> = {}) {
    const config = withDefaults(defaultAdmissionConfig, given)
    this.#mountedAt = config.mountedAt
    this.#addresses = ClientAddress.make(config.trustedProxies)
    this.#bodies = new BodyBudget(config)
    this.#lanes = {
      work: new WorkLane(config),
      operator: new WorkLane(reserved.operator),
      tokens: new WorkLane(reserved.tokens),
      probes: new WorkLane(reserved.probes)
    }
  }

  /** How each lane is doing. */
  get stats(): Readonly<Record<LaneName, LaneStats>> {
    const { work, operator, tokens, probes } = this.#lanes
    return { work: work.stats, operator: operator.stats, tokens: tokens.stats, probes: probes.stats }
  }

  /** Bytes of bodies that are held, as announced. */
  get bodyBytes(): number {
    return this.#bodies.held
  }

  /**
   * For what runs on sockets and in event streams: it takes its turn with the requests. The share goes by the id of the
   * client, and so is beside that of its requests, which goes by their token.
   */
  readonly takeOn: TakeOn = (clientId, work) =>
    Effect.suspend(() => {
      let ticket: Ticket | undefined
      const turn = Effect.callback<void, Overloaded>((resume) => {
        ticket = this.#lanes.work.enter(
          clientId,
          () => resume(Effect.void),
          () => resume(Effect.fail(overloaded()))
        )
      })
      return Effect.ensuring(Effect.andThen(turn, work), Effect.sync(() => ticket?.end()))
    })

  /** Lets a request pass when it is its turn, maybe at once, or refuses it. */
  admit(request: IncomingMessage, response: ServerResponse, pass: () => void): void {
    const path = belowMount(pathOf(request.url ?? ""), this.#mountedAt)
    const lane = laneOf(path)
    const client = clientOf(request, lane, this.#addresses)
    const refuse = (): void => QuickRefusal.refuse(request, response, overloaded(), QuickRefusal.formOf(path))
    const release = withBodies.has(lane) ? this.#bodies.reserve(client, request) : () => undefined
    if (release === undefined) {
      this.#lanes[lane].turnedAway()
      return refuse()
    }
    let ticket: Ticket | undefined
    // It may be answered before there is a ticket at hand: the request is passed on within `enter`.
    let isOver = false
    const over = (): void => {
      isOver = true
      ticket?.end()
    }
    response.once(answeredEvent, over)
    response.once(answeredEvent, release)
    response.once(streamEvent, over)
    whenOver(request, response, () => {
      over()
      release()
    })
    ticket = this.#lanes[lane].enter(client, () => {
      pass()
      if (hasBody(request)) setImmediate(() => pauseWhileSlow(request, ticket!))
    }, refuse)
    if (isOver) ticket.end()
  }
}

/** What a response emits that is a stream of events, when it begins: its end is none to wait for. */
export const streamEvent = "eventStream"

/** A body that has not come with the head may take its time. */
const pauseWhileSlow = (request: IncomingMessage, ticket: Ticket): void => {
  if (request.complete) return
  ticket.pause()
  request.once("end", ticket.resume)
}

/** Makes a server ask about every request before anybody learns of it. */
export const guard = (server: Server, admission: Admission): void =>
  intercept(server, (event, [request, response], pass) => {
    if (event !== "request" && event !== "checkContinue") return false
    admission.admit(request as IncomingMessage, response as ServerResponse, pass)
    return true
  })

const belowMount = (path: string, mountedAt: string): string =>
  mountedAt !== "" && path.startsWith(`${mountedAt}/`) ? path.slice(mountedAt.length) : path

/**
 * Whose work it is: the token as it was sent, which nobody else can send; where there is none, or none is needed, the
 * network. A token that is no good is found out at once, and takes no share of anybody's.
 */
const clientOf = (
  { headers, socket }: IncomingMessage,
  lane: LaneName,
  addresses: ClientAddress.ClientAddresses
): string =>
  (lane === "work" || lane === "operator" ? headers.authorization : undefined) ??
    ClientAddress.networkOf(addresses.of(socket.remoteAddress, headers))
