/**
 * Keep-alive connections to one instance, as many as the load needs up to a limit: what falls due takes one that is
 * idle, else opens one, else waits for one. No more of HTTP than the benchmark needs.
 */
import { connect } from "node:net"
import type { Socket } from "node:net"

/** A whole answer. */
export interface Answer {
  readonly status: number
  /** Seconds; `undefined` without the header. */
  readonly retryAfter: number | undefined
  readonly body: Buffer
}

/** A request on its way, or one that waits for a connection. */
export interface Exchange {
  /** Made when a connection is there. */
  readonly request: () => Buffer
  /** Called once, with the answer or with what went wrong; never after {@link Connections.abandon}. */
  readonly onEnd: (answer: Answer | string) => void
}

const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /\r\ncontent-length: *(\d+)/i
const retryPattern = /\r\nretry-after: *(\d+)/i
const closePattern = /\r\nconnection: *close/i
const nothing = Buffer.alloc(0)

class Connection {
  readonly #socket: Socket
  readonly #onIdle: (connection: Connection) => void
  readonly #onGone: (connection: Connection) => void
  #received: Buffer = nothing
  #bodyStart = 0
  #total = 0
  #head = ""
  #exchange: Exchange | undefined
  #idleSince = 0

  constructor(
    port: number,
    onIdle: (connection: Connection) => void,
    onGone: (connection: Connection) => void
  ) {
    this.#onIdle = onIdle
    this.#onGone = onGone
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true })
    this.#socket.on("data", (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on("error", (error) => this.#end(`${error.message}`))
    this.#socket.on("close", () => this.#end("the server closed the connection without an answer"))
  }

  get exchange(): Exchange | undefined {
    return this.#exchange
  }

  /** In milliseconds of `performance.now()`. */
  get idleSince(): number {
    return this.#idleSince
  }

  send(exchange: Exchange): void {
    this.#exchange = exchange
    this.#socket.write(exchange.request())
  }

  /** Closes it without a word to whoever waits. */
  drop(): void {
    this.#exchange = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    // Nobody asked: a server may say why it closes a connection that is idle.
    if (this.#exchange === undefined) return void this.#socket.destroy()
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (this.#total === 0 && !this.#readHead()) return
    if (this.#received.length < this.#total) return
    const answer: Answer = {
      status: Number(this.#head.slice(9, 12)),
      retryAfter: numberOf(retryPattern.exec(this.#head)),
      body: this.#received.subarray(this.#bodyStart, this.#total)
    }
    const exchange = this.#exchange
    this.#exchange = undefined
    this.#received = nothing
    this.#total = 0
    this.#idleSince = performance.now()
    if (closePattern.test(this.#head)) this.#socket.destroy()
    else this.#onIdle(this)
    exchange?.onEnd(answer)
  }

  /** Whether the head is there, and the length of the whole answer known. */
  #readHead(): boolean {
    const end = this.#received.indexOf(headEnd)
    if (end < 0) return false
    this.#head = this.#received.toString("latin1", 0, end)
    const length = numberOf(lengthPattern.exec(this.#head))
    if (length === undefined) {
      this.#end(`an answer without Content-Length: ${this.#head.slice(0, 200)}`)
      return false
    }
    this.#bodyStart = end + headEnd.length
    this.#total = this.#bodyStart + length
    return true
  }

  #end(why: string): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    this.#socket.destroy()
    this.#onGone(this)
    exchange?.onEnd(why)
  }
}

const numberOf = (match: RegExpExecArray | null): number | undefined =>
  match === null ? undefined : Number(match[1])

/** The connections to one instance. */
export class Connections {
  readonly #port: number
  readonly #limit: number
  readonly #all = new Set<Connection>()
  readonly #idle: Array<Connection> = []
  /** In the order of coming; a set, as those that wait too long leave it from anywhere. */
  readonly #waiting = new Set<Exchange>()

  constructor(port: number, limit: number) {
    this.#port = port
    this.#limit = limit
  }

  /** Sends at once if there is a connection or may be one more. */
  send(exchange: Exchange): void {
    const connection = this.#idle.pop() ?? (this.#all.size < this.#limit ? this.#connect() : undefined)
    if (connection === undefined) this.#waiting.add(exchange)
    else connection.send(exchange)
  }

  /** Gives an exchange up: its connection is closed, as its answer may come any time. */
  abandon(exchange: Exchange): void {
    if (this.#waiting.delete(exchange)) return
    for (const connection of this.#all) {
      if (connection.exchange === exchange) connection.drop()
    }
  }

  /** Closes those that have had nothing to do for a while, as clients do: what is open is what is needed. */
  trim(idleBefore: number): void {
    // The ones used last are taken first, so the first have been idle for longest.
    while (this.#idle[0] !== undefined && this.#idle[0].idleSince < idleBefore) this.#idle.shift()!.drop()
  }

  /** Closes all. */
  close(): void {
    for (const connection of this.#all) connection.drop()
  }

  #connect(): Connection {
    const connection = new Connection(this.#port, (idle) => this.#free(idle), (gone) => this.#remove(gone))
    this.#all.add(connection)
    return connection
  }

  #free(connection: Connection): void {
    const next = this.#next()
    if (next === undefined) this.#idle.push(connection)
    else connection.send(next)
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    const next = this.#next()
    if (next !== undefined) this.#connect().send(next)
  }

  #next(): Exchange | undefined {
    const [next] = this.#waiting
    if (next !== undefined) this.#waiting.delete(next)
    return next
  }
}
