/**
 * The ways in which a customer's server fails to answer as it should.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { gzipSync } from "node:zlib"

/** What came, and what to do about it. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** To be called before the first byte of an answer; 0 for one that is none. */
  readonly answer: (status: number) => void
  /** Counts what came to the endpoint. */
  readonly turn: number
}

type Answering = (exchange: Exchange) => void | Promise<void>

/** The sizes of answers that nobody wants. */
const hugeChunk = Buffer.alloc(256 * 1024, "x")
const hugeChunks = 40
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))

/** What a `Retry-After` may say, right or wrong. */
const patience = ["1", "2", "0", "-5", "soon", "", "1e3", "86401", "Thu, 01 Jan 1970 00:00:00 GMT"]

const plain =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answering => ({ answer, response }) => {
    answer(status)
    response.writeHead(status, headers).end("no")
  }

const later = (status: number): Answering => (exchange) => {
  const retryAfter = exchange.turn % 5 === 0
    ? new Date(Date.now() + 2000).toUTCString()
    : patience[exchange.turn % patience.length]!
  return plain(status, { "retry-after": retryAfter })(exchange)
}

const ways = {
  /** Nobody listens: the endpoint closes its address before anything comes. */
  refuse: ({ answer, request }) => {
    answer(0)
    request.socket.destroy()
  },
  reset: ({ answer, request }) => {
    answer(0)
    request.socket.resetAndDestroy()
  },
  /** Says nothing at all, until it is told to behave. */
  hang: ({ answer }) => answer(0),
  failing: plain(500),
  /** A good answer, one byte of it now and then. */
  slowBytes: async ({ answer, response }) => {
    answer(200)
    response.writeHead(200, { "content-type": "text/plain" })
    for (let left = 20; left > 0 && !response.destroyed; left--) {
      response.write("x")
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    response.end()
  },
  huge: async ({ answer, response }) => {
    answer(200)
    response.writeHead(200, { "content-type": "text/plain" })
    await pipeline(Readable.from(Array.from({ length: hugeChunks }, () => hugeChunk)), response).catch(
      () => {}
    )
  },
  gzipBomb: ({ answer, response }) => {
    answer(200)
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb)
  },
  /** Cut in the head, or in the body of an answer whose head was good. */
  cut: ({ answer, request, response, turn }) => {
    if (turn % 2 === 0) {
      answer(0)
      request.socket.write("HTTP/1.1 200 OK\r\nContent-Le", () => request.socket.destroy())
    } else {
      answer(200)
      response.writeHead(200, { "content-length": "1000" })
      response.write("the beginning", () => request.socket.destroy())
    }
  },
  /** To an address where what comes is recorded as gone astray. */
  redirect: (exchange) =>
    plain(307, { location: `http://${String(exchange.request.headers.host)}/astray` })(exchange),
  unauthorized: plain(401),
  loginDown: plain(401),
  tooMany: later(429),
  unavailable: later(503),
  gone: plain(410)
} satisfies Readonly<Record<string, Answering>>

/** A way to misbehave. */
export type Misbehaviour = keyof typeof ways

/** All ways to misbehave. */
export const misbehaviours = Object.keys(ways) as ReadonlyArray<Misbehaviour>

/** Fails to answer. */
export const misbehave = (way: Misbehaviour, exchange: Exchange): void | Promise<void> => ways[way](exchange)
