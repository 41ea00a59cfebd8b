/**
 * The ways in which a customer's server misbehaves.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { gzipSync } from "node:zlib"

/** A request, with its response and the function that records the answer. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Must be called before the first byte of an answer; 0 if there is no answer. */
  readonly answer: (status: number) => void
  /** The number of the request at the endpoint. */
  readonly turn: number
}

type Answering = (exchange: Exchange) => void | Promise<void>

/** The pieces of oversized answers. */
const hugeChunk = Buffer.alloc(256 * 1024, "x")
const hugeChunks = 40
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))

/** Values of `Retry-After`, valid and invalid. */
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
  /** The endpoint does not listen: it has closed its address. */
  refuse: ({ answer, request }) => {
    answer(0)
    request.socket.destroy()
  },
  reset: ({ answer, request }) => {
    answer(0)
    request.socket.resetAndDestroy()
  },
  /** Does not answer until the misbehaviour ends. */
  hang: ({ answer }) => answer(0),
  failing: plain(500),
  /** A good answer, sent byte by byte with pauses. */
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
  /** The connection is cut in the head of the answer, or in the body after a good head. */
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
  /** Redirects to an address at which every request is recorded as gone astray. */
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
