/**
 * What connections may take, in number and in time.
 *
 * Guarantee: connections are bounded in number, of the process and of one address; whoever sends the head or the body of
 * a request too slowly, or does not take an answer, is cut within a bounded time, and what was held for it is freed; the
 * bytes of answers that wait to be taken are bounded, of all connections together. Sockets of another protocol are left to
 * whoever speaks it, and streams to whoever writes them; both count as connections.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { isIP } from "node:net"
import type { Socket } from "node:net"
import { answeredEvent, whenOver } from "../answer/ResponseEnd.ts"
import { networkOf } from "../tokens/ClientAddress.ts"
import { hasBody } from "./BodyBudget.ts"
import { intercept } from "./Interception.ts"

/** Settings of connections. */
export interface ConnectionLimitsConfig {
  /** The most connections of the process; more are closed at once. */
  readonly connections: number
  /** The most connections of one IPv4 address or IPv6 network (/64); 0 for no limit. Loopback has none: a proxy. */
  readonly connectionsPerAddress: number
  /** Whether an address has no limit of its own, such as that of a proxy. */
  readonly isExempt: (address: string) => boolean
  /** How long the head of a request may take, in milliseconds; of the first one of a connection, from its beginning. */
  readonly headMillis: number
  /** How long a request may take to arrive as a whole, in milliseconds. */
  readonly requestMillis: number
  /** How much of a body has to arrive in each {@link bodyWindowMillis} at least, in bytes. */
  readonly bodyWindowBytes: number
  /** How long a body may bring less, in milliseconds. */
  readonly bodyWindowMillis: number
  /** How long an answer may wait with none of it being taken, in milliseconds. */
  readonly stallMillis: number
  /** How fast an answer is to be taken at least over all its time, in bytes a second, beside {@link stallMillis}. */
  readonly answerRate: number
  /** The most bytes of answers that wait to be taken; beyond it, the answer that has waited longest is cut. */
  readonly answerBytes: number
  /** How long a connection is kept between requests, in milliseconds. */
  readonly keepAliveMillis: number
  /** The most requests of one connection that are sent before the first of them is answered. */
  readonly pipelined: number
  /** How often it is looked for those who are too slow, in milliseconds. */
  readonly checkMillis: number
}

/**
 * 25,000 connections, 5,000 of an address. A head within 15 s; a request within 5 min, and 8 KiB of its body every 10 s;
 * 30 s for an answer of which nothing is taken. Kept for 65 s, as balancers keep theirs for 60 and are to be the ones who
 * close them.
 */
export const defaultConnectionLimits: ConnectionLimitsConfig = {
  connections: 25_000,
  connectionsPerAddress: 5000,
  isExempt: (address) => /^(?:::ffff:)?127\./.test(address) || address === "::1" || isIP(address) === 0,
  headMillis: 15_000,
  requestMillis: 300_000,
  bodyWindowBytes: 8192,
  bodyWindowMillis: 10_000,
  stallMillis: 30_000,
  answerRate: 16_384,
  answerBytes: 256 * 1024 * 1024,
  keepAliveMillis: 65_000,
  pipelined: 32,
  checkMillis: 1000
}

/** How connections are doing. */
export interface ConnectionStats {
  readonly connections: number
  /** Bytes of answers that wait to be taken. */
  readonly answerBytes: number
  /** How many connections were refused or cut so far, by why. */
  readonly refused: number
  readonly slowBodies: number
  readonly stalledAnswers: number
}

interface Receiving {
  markedAt: number
  bytes: number
}

interface Answering {
  readonly socket: Socket
  readonly since: number
  readonly bytes: number
  /** It stands behind another answer of its connection: that one may be slow for reasons of ours. */
  readonly isBehind: boolean
  left: number
  movedAt: number
}

const statsOf = new WeakMap<Server, () => ConnectionStats>()

/** How the connections of a guarded server are doing; `undefined` for another. */
export const stats = (server: Server): ConnectionStats | undefined => statsOf.get(server)?.()

/** Holds the connections of a server to the limits. */
export const guard = (server: Server, config: ConnectionLimitsConfig): void => {
  server.headersTimeout = config.headMillis
  server.requestTimeout = config.requestMillis
  server.keepAliveTimeout = config.keepAliveMillis
  // Silence is judged here: a request that takes its time is no reason to cut, and a stream may be quiet.
  server.timeout = 0
  const limits = new Limits(server, config)
  statsOf.set(server, () => limits.stats)
  intercept(server, (event, args) => {
    if (event === "connection") return limits.connected(args[0] as Socket)
    if (event === "request" || event === "checkContinue") {
      return limits.requested(args[0] as IncomingMessage, args[1] as ServerResponse)
    }
    return false
  })
  const timer = setInterval(() => limits.check(), config.checkMillis).unref()
  server.once("close", () => clearInterval(timer))
}

class Limits {
  readonly #server: Server
  readonly #config: ConnectionLimitsConfig
  readonly #countOf = new Map<string, number>()
  readonly #pendingOf = new WeakMap<Socket, number>()
  readonly #receiving = new Map<IncomingMessage, Receiving>()
  /** The one that has waited longest comes first. */
  readonly #answering = new Map<ServerResponse, Answering>()
  #connections = 0
  #answerBytes = 0
  #refused = 0
  #slowBodies = 0
  #stalledAnswers = 0

  constructor(server: Server, config: ConnectionLimitsConfig) {
    this.#server = server
    this.#config = config
  }

  get stats(): ConnectionStats {
    return {
      connections: this.#connections,
      answerBytes: this.#answerBytes,
      refused: this.#refused,
      slowBodies: this.#slowBodies,
      stalledAnswers: this.#stalledAnswers
    }
  }

  /** Counts a connection, or closes one that is too many: `true`. */
  connected(socket: Socket): boolean {
    const { connections, connectionsPerAddress, isExempt } = this.#config
    const address = socket.remoteAddress ?? ""
    const isCounted = connectionsPerAddress > 0 && !isExempt(address)
    const network = isCounted ? networkOf(address) : ""
    const own = this.#countOf.get(network) ?? 0
    if (this.#connections >= connections || (isCounted && own >= connectionsPerAddress)) {
      this.#refused++
      socket.destroy()
      return true
    }
    this.#connections++
    if (isCounted) this.#countOf.set(network, own + 1)
    socket.once("close", () => {
      this.#connections--
      if (!isCounted) return
      const left = this.#countOf.get(network)! - 1
      if (left === 0) this.#countOf.delete(network)
      else this.#countOf.set(network, left)
    })
    return false
  }

  /** Watches over a request and its answer; cuts a connection with too many at a time: `true`. */
  requested(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    const pending = (this.#pendingOf.get(socket) ?? 0) + 1
    if (pending > this.#config.pipelined) {
      this.#refused++
      socket.destroy()
      return true
    }
    this.#pendingOf.set(socket, pending)
    whenOver(request, response, () => {
      this.#pendingOf.set(socket, this.#pendingOf.get(socket)! - 1)
      this.#receiving.delete(request)
      this.#taken(response)
    })
    // Node tells as an answer goes out, which may be long after it was complete.
    response.once("prefinish", () => this.#answered(response, socket))
    response.once(answeredEvent, () => {
      if (response.socket === null) this.#answered(response, socket)
    })
    if (hasBody(request)) {
      setImmediate(() => {
        if (request.complete || socket.destroyed) return
        this.#receiving.set(request, { markedAt: performance.now(), bytes: socket.bytesRead })
      })
    }
    return false
  }

  /** Nothing more is added to an answer: what of it has not gone out waits for the peer. */
  #answered(response: ServerResponse, socket: Socket): void {
    this.#taken(response)
    const isBehind = response.socket === null
    const bytes = isBehind ? response.writableLength : socket.writableLength
    if (bytes === 0 || socket.destroyed) return
    const now = performance.now()
    this.#answering.set(response, { socket, since: now, bytes, isBehind, left: leftOf(socket), movedAt: now })
    this.#answerBytes += bytes
    for (const [first, { socket: slowest }] of this.#answering) {
      if (this.#answerBytes <= this.#config.answerBytes) break
      this.#taken(first)
      this.#cutAnswer(slowest)
    }
  }

  #taken(response: ServerResponse): void {
    const answering = this.#answering.get(response)
    if (answering === undefined) return
    this.#answering.delete(response)
    this.#answerBytes -= answering.bytes
  }

  #cutAnswer(socket: Socket): void {
    this.#stalledAnswers++
    socket.destroy()
  }

  /** Cuts those who are too slow. */
  check(): void {
    const now = performance.now()
    this.#receiving.forEach((receiving, request) => this.#checkBody(request, receiving, now))
    this.#answering.forEach((answering, response) => this.#checkAnswer(response, answering, now))
  }

  #checkBody(request: IncomingMessage, receiving: Receiving, now: number): void {
    const { bodyWindowBytes, bodyWindowMillis } = this.#config
    const { socket } = request
    if (request.complete || socket.destroyed) return void this.#receiving.delete(request)
    const isUnread = request.readableLength > 0
    if (!isUnread && now - receiving.markedAt < bodyWindowMillis) return
    // What lies here unread is not what the peer is slow with.
    if (isUnread || socket.bytesRead - receiving.bytes >= bodyWindowBytes) {
      receiving.markedAt = now
      receiving.bytes = socket.bytesRead
      return
    }
    this.#slowBodies++
    this.#receiving.delete(request)
    const error = Object.assign(new Error("The body came too slowly"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
    this.#server.emit("clientError", error, socket)
  }

  #checkAnswer(response: ServerResponse, answering: Answering, now: number): void {
    const { answerRate, stallMillis } = this.#config
    const { bytes, isBehind, since, socket } = answering
    if (socket.destroyed || response.writableFinished) return this.#taken(response)
    if (isBehind) return
    const left = leftOf(socket)
    if (left !== answering.left) {
      answering.left = left
      answering.movedAt = now
    }
    const isStalled = now - answering.movedAt >= stallMillis
    if (!isStalled && now - since < stallMillis + bytes / answerRate * 1000) return
    this.#taken(response)
    this.#cutAnswer(socket)
  }
}

/** What waits in a socket, in bytes. What the system has been given is looked up where Node itself looks. */
const leftOf = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, "_handle")
  const queued: unknown = typeof handle === "object" && handle !== null
    ? Reflect.get(handle, "writeQueueSize")
    : undefined
  return socket.writableLength + (typeof queued === "number" ? queued : 0)
}
