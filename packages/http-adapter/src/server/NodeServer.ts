/**
 * A `node:http` server whose own refusals are problems too: what Node answers before a request reaches any route, and
 * what is answered without a body (D4.2, D4.5).
 *
 * Guarantee: bytes that are no HTTP, headers that are too large, a request that takes too long, one without a `Host` or with
 * two, one whose body is coded as it is not read here, and `CONNECT` get a problem with a correlation id, and an expectation or
 * an upgrade that is unknown here is ignored. A header
 * that is sent twice is seen twice, so that a request is judged by all that it says. A request that arrives before
 * the service is there to take it waits for it. Connections are held to the limits of `ConnectionLimits.ts`.
 *
 * ```ts
 * NodeHttpServer.layer(() => NodeServer.create(), { port: 8080 })
 * NodeServer.create({ connections: 1000, admission: new Admission() })
 * ```
 */
import { withDefaults } from "@dockline/core/Defaults"
import { Stopping } from "@dockline/core/Errors"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import { hostDetail, isHost } from "@dockline/core/internal/Handshake"
import * as Problem from "@dockline/core/internal/Problem"
import { createServer, ServerResponse, STATUS_CODES } from "node:http"
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, Server } from "node:http"
import type { Duplex } from "node:stream"
import * as Problems from "../answer/Problems.ts"
import { answeredEvent, endWith } from "../answer/ResponseEnd.ts"
import * as Admission from "./Admission.ts"
import * as ConnectionLimits from "./ConnectionLimits.ts"
import { intercept } from "./Interception.ts"
import { correlationHeaderOf } from "./QuickRefusal.ts"

/** How a server is guarded. */
export interface NodeServerOptions extends Partial<ConnectionLimits.ConnectionLimitsConfig> {
  /** Which requests are worked on; all of them unless given. */
  readonly admission?: Admission.Admission
}

/** Creates the server. Whatever limit of connections is not given is as in `ConnectionLimits.ts`. */
export const create = ({ admission, ...given }: NodeServerOptions = {}): Server => {
  const limits = withDefaults(ConnectionLimits.defaultConnectionLimits, given)
  const server = createServer({
    // How often Node looks for heads and requests that take too long.
    connectionsCheckingInterval: limits.checkMillis,
    // Without, a peer that has vanished between two requests, or while it follows a stream, would never be missed.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    ServerResponse: CompleteResponse,
    joinDuplicateHeaders: true,
    // Only a web socket is an upgrade here; a client that offers another protocol is answered in this one.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket"
  })
  // What comes first here is asked last: a request that is held has been counted and admitted, once.
  holdUntilServed(server)
  if (admission !== undefined) Admission.guard(server, admission)
  ConnectionLimits.guard(server, limits)
  const latest = new WeakMap<Duplex, ServerResponse>()
  const misread = new WeakSet<Duplex>()
  /** Looks at a request first; `true` where nobody is to learn of it. */
  const begins = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { socket } = request
    // Where the body of a refused request ends is not known, and so not what is a request behind it.
    if (misread.has(socket)) return true
    latest.set(socket, response)
    if (!hasUnknownCoding(request)) return false
    misread.add(socket)
    response.writeHead(501, { connection: "close" }).end()
    return true
  }
  intercept(server, (event, [request, response]) => {
    if (event === "request" || event === "checkContinue") {
      return begins(request as IncomingMessage, response as ServerResponse)
    }
    return false
  })
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const answer = latest.get(socket)
    // What is wrong with the rest of a request that has been answered is no request of its own.
    const isAnswering = answer !== undefined && answer.headersSent &&
      !(answer.writableFinished && answer.req.complete)
    // Nothing may be written into the midst of an answer, nor to a client that is gone.
    if (socket.writable && !isAnswering) {
      socket.write(Problem.answerOf(refusals[error.code ?? ""] ?? malformed, undefined), "latin1")
    }
    socket.destroy(error)
  })
  server.on("connect", (request, socket) => {
    const answer = latest.get(socket)
    if (answer !== undefined && !answer.writableFinished) socket.destroy()
    else endWith(socket, Problem.answerOf(noProxy, correlationHeaderOf(request)))
  })
  return server
}

/**
 * The port is open a moment before the service listens for requests; one that comes in between would never be
 * answered. It is kept, and given to the first listener.
 */
const holdUntilServed = (server: Server): void => {
  const held: Array<() => void> = []
  intercept(server, (event, _args, pass) => {
    if (event !== "request" || server.listenerCount("request") > 0) return false
    held.push(pass)
    return true
  })
  const release = (event: string | symbol): void => {
    if (event !== "request") return
    server.off("newListener", release)
    // The listener is in place once this turn is over.
    queueMicrotask(() => held.forEach((pass) => pass()))
  }
  server.on("newListener", release)
}

const malformed = Problem.problem(400, "MALFORMED_REQUEST", "The request is not valid HTTP/1.1")

const unknownHost = Problem.problem(400, malformed.code, hostDetail)

const unknownCoding = Problem.problem(
  501,
  "NOT_IMPLEMENTED",
  "The transfer coding of the body is not implemented; send it as it is, or chunked"
)

const noProxy = Problem.problem(
  501,
  "NOT_IMPLEMENTED",
  "CONNECT is not implemented: this service is no proxy"
)

/** What Node could not read as a request, by its error. */
const refusals: Readonly<Record<string, Problem.Problem>> = {
  HPE_HEADER_OVERFLOW: Problems.headTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: Problem.problem(
    413,
    "PAYLOAD_TOO_LARGE",
    "The chunk extensions of the body are too large; leave them out"
  ),
  ERR_HTTP_REQUEST_TIMEOUT: Problems.requestTimeout
}

/** Node takes any list of codings that ends with `chunked` for chunked alone (RFC 9112, section 6.1). */
const hasUnknownCoding = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined &&
  headers["transfer-encoding"].trim().toLowerCase() !== "chunked"

/** The problem for an error that was given no body. */
const problemFor = (status: number, { headers }: IncomingMessage): Problem.Problem => {
  if (status === 503) return Problem.problemOf(new Stopping())
  if (status === 501) return unknownCoding
  if (status === 400) return headers.host === undefined ? unknownHost : malformed
  const given = Problem.problem(status, "NOT_PROCESSED", "The request was not processed")
  return { ...given, title: STATUS_CODES[status] ?? given.title }
}

const headersOf = (request: IncomingMessage, body: string): Record<string, string> => ({
  "content-type": Problem.mediaType,
  "content-length": String(Buffer.byteLength(body)),
  [correlationHeader]: correlationIdOf(correlationHeaderOf(request))
})

/**
 * A response that is never an error without a body: Node and the framework give some of those by themselves. An error
 * of a host's own, which names its media type, stays as it is.
 */
class CompleteResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #body: string | undefined

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args)
    const { headers } = args[0]
    // Node then refuses the request as one without: who takes the first and who takes the last must not differ.
    if (!isHost(headers.host)) delete headers.host
  }

  override writeHead(
    status: number,
    phrase?: string | OutgoingHttpHeaders | Array<OutgoingHttpHeader>,
    given?: OutgoingHttpHeaders | Array<OutgoingHttpHeader>
  ): this {
    const headers = toRecord(typeof phrase === "string" ? given : given ?? phrase)
    if (status >= 400 && !("content-type" in headers) && !this.hasHeader("content-type")) {
      this.#body = JSON.stringify(problemFor(status, this.req))
      Object.assign(headers, headersOf(this.req, this.#body))
      if (status === 503) Object.assign(headers, Problem.headersOf(new Stopping()))
    }
    if (String(headers["content-type"]).startsWith("text/event-stream")) this.emit(Admission.streamEvent)
    return super.writeHead(status, headers)
  }

  override end(...args: ReadonlyArray<unknown>): this {
    const given = this.#body === undefined
      ? args
      // As bytes: headers are written in the encoding of a text that follows them, which would be UTF-8.
      : [Buffer.from(this.#body), ...args.filter((each) => typeof each === "function")]
    Reflect.apply(super.end, this, given)
    this.emit(answeredEvent)
    return this
  }
}

const toRecord = (
  headers: OutgoingHttpHeaders | Array<OutgoingHttpHeader> | undefined
): OutgoingHttpHeaders => {
  if (!Array.isArray(headers)) return { ...headers }
  const record: OutgoingHttpHeaders = {}
  for (let at = 0; at + 1 < headers.length; at += 2) {
    record[String(headers[at]).toLowerCase()] = headers[at + 1]
  }
  return record
}
