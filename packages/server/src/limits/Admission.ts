/**
 * Decides under overload which requests are worked on, before anything is done for them.
 *
 * Guarantee: running requests, waiting requests and the bytes of their bodies are bounded; the rest is answered 503 with
 * `Retry-After`, at a small part of the cost of serving it. Probes and metrics, tokens, and the operator have lanes of
 * their own, so that neither customers nor the other lanes keep them out. No client takes a whole lane. A request counts
 * from its arrival to its answer, except while its body is slow to come, and an event stream and a long list until it begins:
 * neither a slow sender nor a slow reader holds up others.
 *
 * ```ts
 * const admission = new Admission()
 * const server = new NodeServer({ admission })
 * Layer.succeed(Capacity, admission.takeOn) // operations of sockets and event streams count too
 * ```
 */
import { withDefaults } from "@dockline/core/internal/values/Defaults"
import { overloaded } from "@dockline/core/internal/wire/Categories"
import { pathOf } from "@dockline/core/internal/wire/Path"
import type { Overloaded } from "@dockline/core/RequestErrors"
import type { TakeOn } from "@dockline/core/RequestLimits"
import * as ClientAddress from "@dockline/http-adapter/internal/tokens/ClientAddress"
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { BodyBudget, hasBody } from "./BodyBudget.ts"
import type { BodyBudgetConfig } from "./BodyBudget.ts"
import type { Guard } from "./Guard.ts"
import * as QuickRefusal from "./QuickRefusal.ts"
import { answeredEvent, listEvent, streamEvent, whenOver } from "./ResponseEnd.ts"
import { WorkLane } from "./WorkLane.ts"
import type { LaneConfig, Ticket } from "./WorkLane.ts"

/** Settings of the admission. */
export interface AdmissionConfig extends LaneConfig, BodyBudgetConfig {
  /** The networks of proxies whose `X-Forwarded-For` tells the address of a request without a token. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The defaults of {@link AdmissionConfig}. */
export const defaultAdmissionConfig: AdmissionConfig = {
  running: 64,
  runningPerClient: 48,
  waiting: 1000,
  burstMillis: 1000,
  standingMillis: 300,
  paused: 1000,
  bodyBytes: 128 * 1024 * 1024,
  bodyBytesPerClient: 64 * 1024 * 1024,
  largestBody: 11 * 1024 * 1024,
  trustedProxies: []
}

/** The lanes: each is judged on its own. */
export type LaneName = "work" | "operator" | "tokens" | "probes"

const small = { running: 16, runningPerClient: 16, burstMillis: 2000, standingMillis: 500 }

/** The lanes beside the work of customers. */
const reserved: Readonly<Record<Exclude<LaneName, "work">, LaneConfig>> = {
  operator: { ...small, runningPerClient: 8, waiting: 100, paused: 100 },
  tokens: { ...small, waiting: 500, paused: 500 },
  probes: { ...small, waiting: 50, standingMillis: 1000, paused: 50 }
}

/** The lanes with large bodies: the token endpoint reads small bodies only, and a probe none. */
const withBodies: ReadonlySet<LaneName> = new Set(["work", "operator"])

const operatorPath = /^\/v1\/operator(?:\/|$)/

/** The lane of a path. */
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
export class Admission implements Guard {
  readonly #lanes: Readonly<Record<LaneName, WorkLane>>
  readonly #bodies: BodyBudget
  readonly #addresses: ClientAddress.ClientAddresses

  /** The other settings are those of {@link defaultAdmissionConfig}. */
  constructor(given: Partial<AdmissionConfig> = {}) {
    const config = withDefaults(defaultAdmissionConfig, given)
    this.#addresses = ClientAddress.make(config.trustedProxies)
    this.#bodies = new BodyBudget(config)
    this.#lanes = {
      work: new WorkLane(config),
      operator: new WorkLane(reserved.operator),
      tokens: new WorkLane(reserved.tokens),
      probes: new WorkLane(reserved.probes)
    }
  }

  /** The work that each lane runs, has waiting, and has refused so far. */
  get stats() {
    const { work, operator, tokens, probes } = this.#lanes
    return { work: work.stats, operator: operator.stats, tokens: tokens.stats, probes: probes.stats }
  }

  /** The announced bytes of the bodies that are held. */
  get bodyBytes(): number {
    return this.#bodies.held
  }

  /**
   * Lets operations of sockets and event streams take turns with the requests. Their share goes by the id of the client,
   * and so is beside that of its requests, which goes by their token.
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

  /** Passes a request on when it is its turn, or refuses it. */
  readonly request = (request: IncomingMessage, response: ServerResponse, pass: () => void): void => {
    const path = pathOf(request.url ?? "")
    const lane = laneOf(path)
    const client = clientOf(request, lane, this.#addresses)
    const refuse = (): void => QuickRefusal.refuse(request, response, overloaded(), QuickRefusal.formOf(path))
    const release = withBodies.has(lane) ? this.#bodies.reserve(client, request) : () => undefined
    if (release === undefined) {
      this.#lanes[lane].turnedAway()
      return refuse()
    }
    let ticket: Ticket | undefined
    // Neither watched nor refused. `enter` may do either, and the answer be over, before it returns the ticket.
    let isNew = true
    let isOver = false
    const over = (): void => {
      isOver = true
      ticket?.end()
    }
    const done = (): void => {
      over()
      release()
    }
    const watch = (): void => {
      if (!isNew) return
      isNew = false
      response.once(answeredEvent, done)
      response.once(streamEvent, over)
      response.once(listEvent, over)
      whenOver(request, response, done)
    }
    const begin = (): void => {
      watch()
      pass()
      if (hasBody(request)) setImmediate(() => pauseWhileSlow(request, ticket!))
    }
    // Most of an overload is refused at once, and nothing watches over that.
    const refuseIt = (): void => {
      if (isNew) release()
      isNew = false
      refuse()
    }
    ticket = this.#lanes[lane].enter(client, begin, refuseIt)
    watch()
    if (isOver) ticket.end()
  }
}

/** Pauses a request whose body has not come with the head. */
const pauseWhileSlow = (request: IncomingMessage, ticket: Ticket): void => {
  if (request.complete) return
  ticket.pause()
  request.once("end", ticket.resume)
}

/**
 * The client whose share a request takes: its token as sent, which no other client can send; without a token, or where
 * none is needed, its network. A bad token is refused at once, and takes no share of another client's.
 */
const clientOf = (
  { headers, socket }: IncomingMessage,
  lane: LaneName,
  addresses: ClientAddress.ClientAddresses
): string =>
  (lane === "work" || lane === "operator" ? headers.authorization : undefined) ??
    ClientAddress.networkOf(addresses.of(socket.remoteAddress, headers))
