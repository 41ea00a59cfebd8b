/**
 * Collects the answer of one call, and ends the call once: with its answer, at its limits, or when it is cancelled. A call that ends before
 * its answer closes its connection; a call that ends before it was sent is not sent.
 *
 * Guarantee: a call is repeated at most once, and only if a connection that had carried another request was closed before a byte of the
 * answer arrived. Most likely the server of the customer, or a proxy, had then closed the connection before the request arrived.
 */
import type { Socket } from "node:net"
import type { Dispatcher } from "undici"
import { bodyLimit, failureText, OutboundFailure, tooLong } from "./OutboundHttp.ts"
import type { OutboundAnswer } from "./OutboundHttp.ts"

/** The most interim answers (1xx) that are read before the final answer. */
const interimLimit = 16

const empty = new Uint8Array(0)

export type Ended = (outcome: OutboundAnswer | OutboundFailure) => void

/** A connection, and the number of requests that were sent over it. */
export interface Connection {
  socket: Socket | undefined
  requests: number
}

/** The error codes of closed connections, whether they were closed in order or not. */
const closedCodes = new Set<unknown>(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"])

export class OutboundCall implements Dispatcher.DispatchHandler {
  readonly #ended: Ended
  readonly #timeoutMillis: number
  readonly #timer: NodeJS.Timeout
  readonly #again: () => void
  #connection: Connection | undefined
  /**
   * The number of bytes that had been read from a connection before this request, if the connection had carried another; otherwise, and
   * after a repetition, `undefined`.
   */
  #readBefore: number | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #interim = 0
  #status = 0
  #headers: Readonly<Record<string, string>> = {}
  #body = empty
  #size = 0

  /** The time limit applies even if a part of the answer has arrived. `again` sends the request over a new connection. */
  constructor(timeoutMillis: number, ended: Ended, again: () => void) {
    this.#ended = ended
    this.#again = again
    this.#timeoutMillis = timeoutMillis
    this.#timer = setTimeout(() => this.#expire(), timeoutMillis)
  }

  cancel(): void {
    if (this.#isOver) return
    this.#close()
    this.#abort()
  }

  /** Sets the connection over which the request is sent next. */
  over(connection: Connection): void {
    this.#connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call ended while it waited for its connection. Throwing drops the request and keeps the connection.
    if (this.#isOver) throw new Error("the call is over")
    this.#controller = controller
    const connection = this.#connection
    if (connection !== undefined && connection.requests++ > 0) {
      this.#readBefore = connection.socket?.bytesRead
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status >= 200) {
      this.#status = status
      this.#headers = flat(headers)
    } else if (++this.#interim > interimLimit) {
      this.#fail(`more than ${interimLimit} interim answers`)
      this.#abort()
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    const size = Math.min(this.#size + chunk.byteLength, bodyLimit)
    if (size > this.#body.byteLength) this.#grow(size)
    this.#body.set(chunk.subarray(0, size - this.#size), this.#size)
    const isCut = this.#size + chunk.byteLength > bodyLimit
    this.#size = size
    if (!isCut) return
    this.#answer(tooLong)
    this.#abort()
  }

  onResponseEnd(): void {
    this.#answer("")
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#wasClosedUnasked(error)) {
      this.#readBefore = undefined
      this.#connection = undefined
      this.#controller = undefined
      this.#again()
    } else if (this.#status === 0) this.#fail(failureText(error))
    else this.#answer(failureText(error))
  }

  #wasClosedUnasked(error: Error): boolean {
    return !this.#isOver && this.#readBefore !== undefined &&
      this.#connection?.socket?.bytesRead === this.#readBefore &&
      "code" in error && closedCodes.has(error.code)
  }

  #expire(): void {
    const limit = `${this.#timeoutMillis / 1000} s`
    if (this.#status !== 0) this.#answer(`the answer did not end within ${limit}`)
    else if (this.#controller === undefined) this.#fail(`no connection within ${limit}`)
    else this.#fail(`no answer within ${limit}`)
    this.#abort()
  }

  /** Enlarges the body: first to the size of the first chunk, because most answers come in one chunk, and later to twice its size. */
  #grow(size: number): void {
    const body = new Uint8Array(Math.min(Math.max(size, this.#body.byteLength * 2), bodyLimit))
    body.set(this.#body.subarray(0, this.#size))
    this.#body = body
  }

  #answer(error: string): void {
    if (this.#isOver) return
    this.#close()
    const body = this.#body.subarray(0, this.#size)
    this.#ended({ status: this.#status, headers: this.#headers, body, error })
  }

  #fail(error: string): void {
    if (this.#isOver) return
    this.#close()
    this.#ended(new OutboundFailure({ error }))
  }

  #close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #abort(): void {
    this.#controller?.abort(new Error("the call is over"))
  }
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const flat = (headers: Headers): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) fields[name] = typeof value === "string" ? value : value.join(", ")
  }
  return fields
}
