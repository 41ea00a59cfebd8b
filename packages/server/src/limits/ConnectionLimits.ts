/**
 * Limits connections in number and in time.
 *
 * Guarantee: connections are bounded in number, of the process and of one address. A client that sends the head or the
 * body of a request too slowly, or does not take an answer, is cut within a bounded time, and its memory is freed. The
 * bytes of answers that wait to be taken are bounded over all connections. Sockets of another protocol, and event streams,
 * count as connections; their own code limits their time.
 */
import { networkOf } from "@dockline/http-adapter/internal/tokens/ClientAddress"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { isIP } from "node:net"
import type { Socket } from "node:net"
import { hasBody } from "./BodyBudget.ts"
import type { Guard } from "./Guard.ts"
import { answeredEvent, listEvent, whenOver } from "./ResponseEnd.ts"
import { Tally } from "./Tally.ts"

/**
 * The default limits of connections. Connections are kept for 65 s, as balancers keep theirs for 60 s and are to close
 * them first.
 */
export const defaultConnectionLimits = {
  /** The most connections of the process; more are closed at once. */
  connections: 25_000,
  /** The most connections of one IPv4 address or IPv6 network (/64); 0 for no limit. */
  connectionsPerAddress: 5000,
  /** Whether an address has no limit: loopback, where a proxy may be, unless given. */
  isExempt: (address: string): boolean =>
    /^(?:::ffff:)?127\./.test(address) || address === "::1" || isIP(address) === 0,
  /** The time for the head of a request, in milliseconds; that of the first request begins with the connection. */
  headMillis: 15_000,
  /** The time for a whole request to arrive, in milliseconds. */
  requestMillis: 300_000,
  /** The least bytes of a body in each {@link bodyWindowMillis}. */
  bodyWindowBytes: 8192,
  /** The time in which a body may bring less, in milliseconds. */
  bodyWindowMillis: 10_000,
  /** The time for which a client may take nothing of an answer, in milliseconds. */
  stallMillis: 30_000,
  /** The least speed of taking an answer, over all its time beside {@link stallMillis}, in bytes a second. */
  answerRate: 16_384,
  /** The most bytes of answers that wait to be taken; beyond it, the answer that has waited longest is cut. */
  answerBytes: 256 * 1024 * 1024,
  /** The time for which a connection is kept between requests, in milliseconds. */
  keepAliveMillis: 65_000,
  /** The most requests of one connection that are sent before the first of them is answered. */
  pipelined: 32,
  /** The time between two searches for slow clients, in milliseconds. */
  checkMillis: 1000
}

/** Settings of connections; see {@link defaultConnectionLimits}. */
export type ConnectionLimitsConfig = Readonly<typeof defaultConnectionLimits>

interface Receiving {
  markedAt: number
  bytes: number
}

interface Listing {
  readonly socket: Socket
  left: number
  movedAt: number
}

/** An answer that is made as it is taken: its time counts while bytes of it wait for the client. */
interface Taking extends Listing {
  /** What the client had taken of the connection when the answer began, in bytes. */
  readonly before: number
  waited: number
  checkedAt: number
}

interface Answering extends Listing {
  readonly since: number
  readonly bytes: number
  /** It stands behind another answer of its connection, which may be slow because of the service. */
  readonly isBehind: boolean
}

/** Holds the connections of a server to the limits. */
export class ConnectionLimits implements Guard {
  readonly #server: Server
  readonly #config: ConnectionLimitsConfig
  readonly #counted = new Tally()
  readonly #pendingOf = new WeakMap<Socket, number>()
  readonly #receiving = new Map<IncomingMessage, Receiving>()
  /** The answer that has waited longest comes first. */
  readonly #answering = new Map<ServerResponse, Answering>()
  /** The long answers whose next part waits for the client to take the one before. */
  readonly #listing = new Map<ServerResponse, Taking>()
  #connections = 0
  #answerBytes = 0
  #refused = 0
  #slowBodies = 0
  #stalledAnswers = 0

  constructor(server: Server, config: ConnectionLimitsConfig) {
    this.#server = server
    this.#config = config
    server.headersTimeout = config.headMillis
    server.requestTimeout = config.requestMillis
    server.keepAliveTimeout = config.keepAliveMillis
    // Silence is judged here: a request that takes its time is no reason to cut, and a stream may be quiet.
    server.timeout = 0
    const timer = setInterval(() => this.#check(), config.checkMillis).unref()
    server.once("close", () => clearInterval(timer))
  }

  /** Connections, bytes of answers that wait to be taken, and connections that were refused or cut so far, by cause. */
  get stats() {
    return {
      connections: this.#connections,
      answerBytes: this.#answerBytes,
      refused: this.#refused,
      slowBodies: this.#slowBodies,
      stalledAnswers: this.#stalledAnswers
    }
  }

  /** Counts a connection, or closes one that is too many, or that its peer has reset while it waited to be taken. */
  readonly connection = (socket: Socket, pass: () => void): void => {
    if (isReset(socket)) return void socket.destroy()
    const { connections, connectionsPerAddress, isExempt } = this.#config
    const address = socket.remoteAddress ?? ""
    const isCounted = connectionsPerAddress > 0 && !isExempt(address)
    const network = isCounted ? networkOf(address) : ""
    if (
      this.#connections >= connections || (isCounted && this.#counted.of(network) >= connectionsPerAddress)
    ) {
      this.#refused++
      return void socket.destroy()
    }
    this.#connections++
    if (isCounted) this.#counted.add(network, 1)
    socket.once("close", () => {
      this.#connections--
      if (isCounted) this.#counted.add(network, -1)
    })
    pass()
  }

  /** Watches over a request and its answer; cuts a connection with too many at a time. */
  readonly request = (request: IncomingMessage, response: ServerResponse, pass: () => void): void => {
    const { socket } = request
    const pending = (this.#pendingOf.get(socket) ?? 0) + 1
    if (pending > this.#config.pipelined) {
      this.#refused++
      return void socket.destroy()
    }
    this.#pendingOf.set(socket, pending)
    whenOver(request, response, () => {
      this.#pendingOf.set(socket, this.#pendingOf.get(socket)! - 1)
      this.#receiving.delete(request)
      this.#listing.delete(response)
      this.#taken(response)
    })
    response.once(listEvent, () => {
      const now = performance.now()
      const left = leftOf(socket)
      const before = takenOf(socket)
      this.#listing.set(response, { socket, left, movedAt: now, before, waited: 0, checkedAt: now })
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
    pass()
  }

  /** Watches a complete answer as long as bytes of it wait for the peer. */
  #answered(response: ServerResponse, socket: Socket): void {
    this.#listing.delete(response)
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

  /** Cuts slow clients. */
  #check(): void {
    const now = performance.now()
    this.#receiving.forEach((receiving, request) => this.#checkBody(request, receiving, now))
    this.#answering.forEach((answering, response) => this.#checkAnswer(response, answering, now))
    this.#listing.forEach((taking) => this.#checkTaking(taking, now))
  }

  #checkBody(request: IncomingMessage, receiving: Receiving, now: number): void {
    const { bodyWindowBytes, bodyWindowMillis } = this.#config
    const { socket } = request
    if (request.complete || socket.destroyed) return void this.#receiving.delete(request)
    const isUnread = request.readableLength > 0
    if (!isUnread && now - receiving.markedAt < bodyWindowMillis) return
    // Bytes that lie here unread are not the peer's fault.
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
    if (!this.#isStalled(answering, now) && now - since < stallMillis + bytes / answerRate * 1000) return
    this.#taken(response)
    this.#cutAnswer(socket)
  }

  /** An answer that waits for the service is not its client's fault. */
  #checkTaking(taking: Taking, now: number): void {
    const { answerRate, stallMillis } = this.#config
    if (taking.left === 0) taking.movedAt = now
    else taking.waited += now - taking.checkedAt
    taking.checkedAt = now
    const longest = stallMillis + (takenOf(taking.socket) - taking.before) / answerRate * 1000
    if (this.#isStalled(taking, now) || taking.waited >= longest) this.#cutAnswer(taking.socket)
  }

  #isStalled(waiting: Listing, now: number): boolean {
    const left = leftOf(waiting.socket)
    if (left !== waiting.left) {
      waiting.left = left
      waiting.movedAt = now
    }
    return now - waiting.movedAt >= this.#config.stallMillis
  }
}

/**
 * Whether the peer has reset a connection: the system then knows no peer any more, though it still hands over what came before.
 * In a flood of resets most connections are found so, and to read and answer them would keep others waiting. Sockets of
 * the file system have neither address.
 */
const isReset = ({ localAddress, remoteAddress }: Socket): boolean =>
  remoteAddress === undefined && localAddress !== undefined

/** The bytes that have left a socket. What waits in it counts among those written once, whether or not the system has been given it. */
const takenOf = (socket: Socket): number =>
  valueOf(socket, "bytesWritten") - valueOf(socket, "writeQueueSize")

/** The bytes that wait in a socket. */
const leftOf = (socket: Socket): number => socket.bytesWritten - takenOf(socket)

/** What the handle of a socket counts: `bytesWritten` is what it was given, `writeQueueSize` what of that has not left. */
const valueOf = (socket: Socket, name: "bytesWritten" | "writeQueueSize"): number => {
  const handle: unknown = Reflect.get(socket, "_handle")
  const value: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, name) : undefined
  return typeof value === "number" ? value : 0
}
