/**
 * A `node:http` server whose own refusals are problems too: what Node answers before a request reaches any route, and
 * what is answered without a body (D4.2, D4.5).
 *
 * Guarantee: bytes that are no HTTP, headers that are too large, a request that takes too long and one with no `Host` or two
 * get a problem with a correlation id, and an expectation or an upgrade that is unknown here is ignored. A header
 * that is sent twice is seen twice, so that a request is judged by all that it says. A request that arrives before
 * the service is there to take it waits for it. Connections are held to the limits of `ConnectionLimits.ts`.
 *
 * ```ts
 * NodeHttpServer.layer(() => NodeServer.create(), { port: 8080 })
 * NodeServer.create({ connections: 1000, admission: new Admission() })
 * ```
 */
import { withDefaults } from "@dockline/core/Defaults"
import { createServer, maxHeaderSize, ServerResponse, STATUS_CODES } from "node:http"
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, Server } from "node:http"
import type { Duplex } from "node:stream"
import * as Admission from "./Admission.ts"
import { correlationHeader } from "./Boundary.ts"
import * as ConnectionLimits from "./ConnectionLimits.ts"
import { intercept } from "./Interception.ts"
import * as Problems from "./Problems.ts"
import { answeredEvent } from "./ResponseEnd.ts"

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
  intercept(server, (event, [request, response]) => {
    if (event === "request" || event === "checkContinue") {
      latest.set((request as IncomingMessage).socket, response as ServerResponse)
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
    if (socket.writable && !isAnswering) socket.write(refusalOf(error.code))
    socket.destroy(error)
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

interface Refusal {
  readonly status: number
  readonly code: string
  readonly detail: string
}

const malformed: Refusal = {
  status: 400,
  code: "MALFORMED_REQUEST",
  detail: "The request is not valid HTTP/1.1"
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "HEADERS_TOO_LARGE",
    detail: `The address and the headers of the request are larger than ${maxHeaderSize} bytes`
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
    detail: "The chunk extensions of the body are too large; leave them out"
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "REQUEST_TIMEOUT",
    detail: "The request did not arrive in time; repeat it on a new connection"
  }
}

/** The whole answer to what Node could not read as a request. */
const refusalOf = (errorCode: string | undefined): string => {
  const refusal = refusals[errorCode ?? ""] ?? malformed
  const body = bodyOf(refusal)
  const lines = Object.entries({ ...headersOf(refusal.status, body), connection: "close" })
    .map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`
}

const bodyOf = ({ status, code, detail }: Refusal): string =>
  JSON.stringify({ type: "about:blank", title: STATUS_CODES[status], status, detail, code })

const headersOf = (status: number, body: string): Record<string, string> => ({
  ...Problems.statusHeaders(status),
  "content-type": Problems.mediaType,
  "content-length": String(Buffer.byteLength(body)),
  [correlationHeader]: crypto.randomUUID()
})

/**
 * A response that is never an error without a body: Node and the framework give some of those by themselves. An error
 * of a host's own, which names its media type, stays as it is.
 */
class CompleteResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #body: string | undefined

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args)
    const { headers, rawHeaders } = args[0]
    // Node then refuses the request as one without: who takes the first and who takes the last must not differ.
    if (headers.host?.includes(",") === true && countOf("host", rawHeaders) > 1) delete headers.host
  }

  override writeHead(
    status: number,
    phrase?: string | OutgoingHttpHeaders | Array<OutgoingHttpHeader>,
    given?: OutgoingHttpHeaders | Array<OutgoingHttpHeader>
  ): this {
    const headers = toRecord(typeof phrase === "string" ? given : given ?? phrase)
    if (status >= 400 && !("content-type" in headers) && !this.hasHeader("content-type")) {
      const isKnown = this.req.headers.host !== undefined
      this.#body = bodyOf({
        status,
        code: status === 400 ? malformed.code : status === 503 ? "STOPPING" : "NOT_PROCESSED",
        detail: status === 400 && !isKnown
          ? "The Host header is missing, or there is more than one"
          : status === 503
          ? "The service is stopping; repeat the request"
          : "The request was not processed"
      })
      Object.assign(headers, headersOf(status, this.#body))
    }
    if (String(headers["content-type"]).startsWith("text/event-stream")) this.emit(Admission.streamEvent)
    return super.writeHead(status, headers)
  }

  override end(...args: ReadonlyArray<unknown>): this {
    const given = this.#body === undefined
      ? args
      : [this.#body, ...args.filter((each) => typeof each === "function")]
    Reflect.apply(super.end, this, given)
    this.emit(answeredEvent)
    return this
  }
}

/** How many of the headers have the name; names and values take turns. */
const countOf = (name: string, rawHeaders: ReadonlyArray<string>): number =>
  rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length

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
