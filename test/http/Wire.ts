/**
 * HTTP as clients send it: whole requests over kept connections, and single bytes over a separate connection for requests that no HTTP
 * client would send. Every answer is checked by the contract.
 */
import { Effect, Scope } from "effect"
import { Agent, request as nodeRequest } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { connect as netConnect } from "node:net"
import type { Socket } from "node:net"
import * as Contract from "./Contract.ts"

/** A request in the form in which it goes over the wire. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** An answer that keeps the contract. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as a value; XML is converted back to the equivalent JSON. */
  readonly body: unknown
}

/** Sends requests over at most 16 kept connections, closed with the scope. */
export const makeSender = Effect.fnUntraced(function*(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
  return (wire: WireRequest): Effect.Effect<Reply> =>
    Effect.map(
      exchange(agent, port, wire),
      (given) => ({ ...given, ...Contract.check({ ...wire, ...given }) })
    )
})

interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const exchange = (agent: Agent, port: number, { method, path, headers, body }: WireRequest) =>
  Effect.callback<Received>((resume) => {
    const request = nodeRequest({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", (error) => resume(Effect.die(error)))
      response.on("end", () =>
        resume(Effect.succeed({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8")
        })))
    })
    request.on("error", (error) => resume(Effect.die(error)))
    // Node writes headers in the encoding of a text after them, but they are Latin-1.
    request.end(typeof body === "string" && !isAscii(Object.values(headers)) ? Buffer.from(body) : body)
    return Effect.sync(() => request.destroy())
  })

const isAscii = (texts: ReadonlyArray<string>): boolean => texts.every((text) => /^[ -~\t]*$/.test(text))

/** The request of an answer over a connection; a request that Node cannot read has no method and path. */
export type Asked = { readonly method: string; readonly path: string } | "malformed"

/** A connection over which the test sends its own bytes. */
export interface Connection {
  /** Sends bytes; text is Latin-1, so that a header can contain any byte. */
  readonly write: (data: string | Uint8Array) => Effect.Effect<void>
  /** The next final answer. */
  readonly read: (asked: Asked) => Effect.Effect<Reply>
  /** The statuses of interim answers so far, such as 100. */
  readonly interim: ReadonlyArray<number>
  /** Completes when the server has closed the connection. */
  readonly closed: Effect.Effect<void>
  /** Signals the end of the request. */
  readonly end: Effect.Effect<void>
  /** Breaks the connection. */
  readonly reset: Effect.Effect<void>
}

const patience = "60 seconds"

/** Opens a connection, broken with the scope. */
export const connect = (port: number): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Socket>((resume) => {
        const socket = netConnect({ host: "127.0.0.1", port, noDelay: true, allowHalfOpen: true })
        socket.once("error", (error) => resume(Effect.die(error)))
        socket.once("connect", () => resume(Effect.succeed(socket)))
      }),
      (socket) => Effect.sync(() => socket.destroy())
    ),
    makeConnection
  )

const makeConnection = (socket: Socket): Connection => {
  const interim: Array<number> = []
  const waiting = new Set<() => void>()
  let received: Buffer = Buffer.alloc(0)
  let isClosed = false
  const wake = () => waiting.forEach((each) => each())
  const close = () => {
    isClosed = true
    wake()
  }
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on("end", close)
  socket.on("close", close)
  socket.on("error", () => {})

  /** Waits until `poll` has a value, and checks again whenever something arrives. */
  const until = <A>(what: string, poll: () => Effect.Effect<A> | undefined): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const look = () => {
        const found = poll()
        if (found === undefined) return
        waiting.delete(look)
        resume(found)
      }
      waiting.add(look)
      look()
      return Effect.sync(() => waiting.delete(look))
    }).pipe(Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.die(
          new Error(`${what} within ${patience}; received: ${received.toString("latin1").slice(0, 500)}`)
        )
    }))

  const next = (method: string) => {
    for (;;) {
      const parsed = parse(received, method, isClosed)
      if (parsed === undefined) return undefined
      received = received.subarray(parsed.length)
      if (parsed.received.status >= 200) return parsed.received
      interim.push(parsed.received.status)
    }
  }

  return {
    write: (data) =>
      Effect.sync(() => void socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data)),
    read: (asked) => {
      const { method, path } = asked === "malformed" ? { method: "GET", path: "" } : asked
      return until("No answer came", () => {
        const answer = next(method)
        if (answer !== undefined) {
          const exchange = { method, path, ...answer }
          const { body } = asked === "malformed" ? Contract.checkProblem(exchange) : Contract.check(exchange)
          return Effect.succeed({ ...answer, body })
        }
        return isClosed ? Effect.die(new Error("The connection was closed without an answer")) : undefined
      })
    },
    interim,
    closed: until("The connection was not closed", () => isClosed ? Effect.void : undefined),
    end: Effect.sync(() => void socket.end()),
    reset: Effect.sync(() => void socket.resetAndDestroy())
  }
}

/** The first answer in the bytes, if it is complete, and its length. */
export const parse = (bytes: Buffer, method: string, isClosed: boolean) => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const status = Number(statusLine.split(" ")[1])
  const headers: Record<string, string> = {}
  for (const line of lines) {
    headers[line.slice(0, line.indexOf(":")).toLowerCase()] = line.slice(line.indexOf(":") + 1).trim()
  }
  const start = end + 4
  const announced = method === "HEAD" || status < 200 || status === 204
    ? 0
    : Number(headers["content-length"] ?? Number.NaN)
  const available = bytes.length - start
  if (Number.isNaN(announced) ? !isClosed : available < announced) return undefined
  const length = Number.isNaN(announced) ? available : announced
  const text = bytes.subarray(start, start + length).toString("utf8")
  return { received: { status, headers, text } satisfies Received, length: start + length }
}
