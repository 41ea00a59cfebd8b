/**
 * Limits connections in number and in time.
 *
 * Guarantee: connections are bounded in number, for the process and for each address. A client that sends the head or the body of a request
 * too slowly, or does not receive an answer, is cut within a bounded time, and its memory is freed. The bytes of answers that clients have
 * yet to receive are bounded over all connections. Sockets of other protocols and event streams count as connections; their own code
 * limits their time.
 */
import { networkOf } from "@dockline/http-adapter/tokens/ClientAddress"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { isIP } from "node:net"
import type { Socket } from "node:net"
import { answeredEvent, listEvent, whenOver } from "./CompleteResponse.ts"
import type { Guard } from "./Guard.ts"
import { Tally } from "./Shares.ts"

/**
 * The default limits of connections. Idle connections are kept for 65 s, because load balancers keep theirs for 60 s and must close
 * them first.
 */
export const defaultConnectionLimits = {
  /** The most connections of the process; any more are closed at once. */
  connections: 25_000,
  /** The most connections of one IPv4 address or IPv6 network (/64); 0 for no limit. */
  connectionsPerAddress: 5000,
  /** Whether an address has no limit: by default loopback, where a proxy may run, and sockets without an IP address. */
  isExempt: (address: string): boolean =>
    /^(?:::ffff:)?127\./.test(address) || address === "::1" || isIP(address) === 0,
  /** The time for the head of a request, in milliseconds. For the first request it begins with the connection. */
  headMillis: 15_000,
  /** The time for a whole request to arrive, in milliseconds. */
  requestMillis: 300_000,
  /** How long a connection with a request or an answer may make no progress, in milliseconds. */
  stallMillis: 60_000,
  /** The time for a client to receive an answer that could not be sent at once, in milliseconds. */
  answerMillis: 600_000,
  /** The most bytes of answers that clients have yet to receive. Beyond it, the connection of the oldest such answer is cut. */
  answerBytes: 256 * 1024 * 1024,
  /** The time for which a connection is kept between requests, in milliseconds. */
  keepAliveMillis: 65_000,
  /** The most unanswered requests of one connection. */
  pipelined: 32,
  /** The time between two searches for slow heads and requests, in milliseconds. */
  checkMillis: 1000
}

/** Settings of connections; see {@link defaultConnectionLimits}. */
export type ConnectionLimitsConfig = Readonly<typeof defaultConnectionLimits>

interface Waiting {
  readonly socket: Socket
  readonly bytes: number
  readonly timer: NodeJS.Timeout
}

export class ConnectionLimits implements Guard {
  readonly #config: ConnectionLimitsConfig
  readonly #counted = new Tally()
  /** The unanswered requests of each connection. */
  readonly #pendingOf = new WeakMap<Socket, Set<IncomingMessage>>()
  /** The answers that clients have yet to receive, the oldest first. */
  readonly #waiting = new Map<ServerResponse, Waiting>()
  #connections = 0
  #answerBytes = 0
  #refused = 0
  #slowRequests = 0
  #stalledAnswers = 0

  constructor(server: Server, config: ConnectionLimitsConfig) {
    this.#config = config
    server.headersTimeout = config.headMillis
    server.requestTimeout = config.requestMillis
    server.keepAliveTimeout = config.keepAliveMillis
    server.timeout = config.stallMillis
    server.on("timeout", (socket) => {
      if (socket.writableLength > 0) return this.#cut(socket)
      // While the service works on complete requests, the client is not the slow side.
      const pending = [...this.#pendingOf.get(socket) ?? []]
      if (pending.length === 0 || pending.some(({ complete }) => !complete)) socket.destroy()
    })
    server.on("clientError", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ERR_HTTP_REQUEST_TIMEOUT") this.#slowRequests++
    })
  }

  /** The connections, the bytes of answers that clients have yet to receive, and the connections refused or cut so far, by cause. */
  get stats() {
    return {
      connections: this.#connections,
      answerBytes: this.#answerBytes,
      refused: this.#refused,
      slowRequests: this.#slowRequests,
      stalledAnswers: this.#stalledAnswers
    }
  }

  /** Counts a connection. Closes it if there are too many, or if its peer reset it before it was accepted. */
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

  /** Watches over the answer to a request. Closes a connection with too many unanswered requests. */
  readonly request = (request: IncomingMessage, response: ServerResponse, pass: () => void): void => {
    const { socket } = request
    const pending = this.#pendingOf.get(socket) ?? new Set()
    if (pending.size >= this.#config.pipelined) {
      this.#refused++
      return void socket.destroy()
    }
    this.#pendingOf.set(socket, pending.add(request))
    whenOver(request, response, () => {
      pending.delete(request)
      this.#taken(response)
    })
    response.once(listEvent, () => this.#wait(response, socket, 0))
    response.once(answeredEvent, () => {
      const bytes = response.socket === null ? response.writableLength : socket.writableLength
      if (bytes > 0) this.#wait(response, socket, bytes)
    })
    pass()
  }

  /**
   * Waits until a client has received an answer, within the limits of its time and of the bytes of all waiting answers. A list is still
   * being produced and has 0 bytes; its time begins again if the client has received all that was produced so far.
   */
  #wait(response: ServerResponse, socket: Socket, bytes: number): void {
    if (socket.destroyed) return
    const isLate = () => {
      if (this.#waiting.get(response)?.bytes === 0 && socket.writableLength === 0) timer.refresh()
      else this.#cut(socket)
    }
    const timer = this.#waiting.get(response)?.timer ?? setTimeout(isLate, this.#config.answerMillis).unref()
    this.#waiting.set(response, { socket, bytes, timer })
    this.#answerBytes += bytes
    for (const [first, { bytes: slowestBytes, socket: slowest }] of this.#waiting) {
      if (this.#answerBytes <= this.#config.answerBytes) break
      if (slowestBytes === 0) continue
      this.#taken(first)
      this.#cut(slowest)
    }
  }

  #taken(response: ServerResponse): void {
    const waiting = this.#waiting.get(response)
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(response)
    this.#answerBytes -= waiting.bytes
  }

  #cut(socket: Socket): void {
    this.#stalledAnswers++
    socket.destroy()
  }
}

/**
 * Whether the peer has reset a connection: the system then no longer knows the peer, although it still delivers earlier data. In a flood of
 * resets most connections are in this state, and reading and answering them would delay others. A Unix socket has neither address, and does
 * not count as reset.
 */
const isReset = ({ localAddress, remoteAddress }: Socket): boolean =>
  remoteAddress === undefined && localAddress !== undefined
