/**
 * The response class of `NodeServer`: errors that Node or the framework answers without a body get the body of a problem, and every
 * answer gets a rule for caches.
 *
 * What it patches of `ServerResponse`:
 *
 * - the constructor: removes a `Host` header that names no host, so that Node refuses the request;
 * - `writeHead`: adds the headers of a problem, `cache-control` and a correlation id, and emits {@link streamEvent} or {@link listEvent};
 * - `end`: writes the body of the problem, and emits {@link answeredEvent}.
 *
 * Guarantee: an answer that names no rule for caches is kept by nobody (D12.9). An error that has a media type, such as a host's own,
 * stays as it is.
 */
import { MalformedRequest } from "@dockline/core/values/Errors"
import { NotImplemented, Stopping } from "@dockline/core/values/RequestErrors"
import type { MisdirectedRequest, Overloaded } from "@dockline/core/values/RequestErrors"
import * as Caching from "@dockline/wire/Caching"
import { correlationHeader, correlationIdOf } from "@dockline/wire/CorrelationId"
import { hostDetail, isHost } from "@dockline/wire/Handshake"
import { graphqlPath } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { answerIn, endWith } from "@dockline/wire/Refusal"
import type { Form } from "@dockline/wire/Refusal"
import { ServerResponse, STATUS_CODES } from "node:http"
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/**
 * Refuses requests before any route, straight to the response, in the form of the interface that was asked (D12.3).
 *
 * Guarantee: the status of the error with a correlation id, and for 503 with `Retry-After`, in every form. The connection of a request with a long body is
 * closed.
 */
export const formOf = (path: string): Form =>
  path.endsWith("/oauth/token") ? "token" : path.endsWith(graphqlPath) ? "graphql" : "problem"

/** A shorter body is read to its end, so that the connection stays open. */
const worthReading = 64 * 1024

/** Refuses a request, unless its answer has begun. */
export const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  error: Overloaded | Stopping | MisdirectedRequest,
  form: Form
): void => {
  // Called by timers too, where an error would end the process.
  if (response.headersSent) return
  const { body, headers, status } = answerIn(form, error, {
    accept: request.headers.accept,
    correlationId: correlationIdOf(correlationHeaderOf(request))
  })
  const length = request.headers["transfer-encoding"] === undefined
    ? Number(request.headers["content-length"] ?? 0)
    : Number.POSITIVE_INFINITY
  response.writeHead(status, {
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    "x-content-type-options": "nosniff",
    ...(!(error instanceof Stopping) && length <= worthReading ? {} : { connection: "close" })
  })
  // As bytes: headers are written in the encoding of a text that follows them, which would be UTF-8.
  response.end(Buffer.from(body))
}

/** Refuses an upgrade, and ends its connection. */
export const refuseUpgrade = (
  request: IncomingMessage,
  socket: Duplex,
  error: Parameters<typeof Problem.problemOf>[0]
): void => endWith(socket, Problem.problemOf(error), correlationHeaderOf(request), Problem.headersOf(error))

export const correlationHeaderOf = ({ headers }: IncomingMessage): string | undefined =>
  headers[correlationHeader]?.toString()

/**
 * The event of a complete answer. Node's own events wait for the turn of the answer on the connection: in a pipeline they wait for the
 * answer before it, which a client may not receive.
 */
export const answeredEvent = "answered"

/** The event of a stream that begins: nobody waits for its end. */
export const streamEvent = "eventStream"

/** The event at the beginning of a long answer that is produced as its client receives it: a list in CSV, or a large answer. */
export const listEvent = "list"

/** The callbacks of each connection, which has one listener for all of its requests. */
const pendingOf = new WeakMap<Socket, Set<() => void>>()

const pendingAt = (socket: Socket): Set<() => void> => {
  const pendingWrites = pendingOf.get(socket)
  if (pendingWrites !== undefined) return pendingWrites
  const pending = new Set<() => void>()
  pendingOf.set(socket, pending)
  socket.once("close", () => {
    for (const tell of Array.from(pending)) tell()
  })
  return pending
}

/** The callbacks of each response, which has one listener too. */
const tellsOf = new WeakMap<ServerResponse, Array<() => void>>()

/**
 * Calls `tell` once, when the answer is over or the connection is lost. When the connection is lost, some versions of Node emit no `close`
 * for an answer that follows another one in a pipeline.
 */
export const whenOver = ({ socket }: IncomingMessage, response: ServerResponse, tell: () => void): void => {
  if (socket.closed) return tell()
  const others = tellsOf.get(response)
  if (others !== undefined) return void others.push(tell)
  const tells = [tell]
  tellsOf.set(response, tells)
  const pending = pendingAt(socket)
  const once = (): void => {
    if (!pending.delete(once)) return
    tellsOf.delete(response)
    for (const each of tells) each()
  }
  pending.add(once)
  response.once("close", once)
}

/** The problem of bytes that Node cannot read as a request. */
export const malformed = Problem.problemAs(MalformedRequest, "The request is not valid HTTP/1.1")

/** The media types of answers that are produced as the client receives them, if they have no length. */
const longTypes = /^(?:text\/csv|text\/xml|application\/(?:json|xml|graphql-response\+json))/

const unknownHost = Problem.problemAs(MalformedRequest, hostDetail)

const unknownCoding = Problem.problemOf(new NotImplemented())

const problemFor = (status: number, { headers }: IncomingMessage): Problem.Problem => {
  if (status === 503) return Problem.problemOf(new Stopping())
  if (status === 501) return unknownCoding
  if (status === 400) return headers.host === undefined ? unknownHost : malformed
  const problem = Problem.problem(status, "NOT_PROCESSED", "The request was not processed")
  return { ...problem, title: STATUS_CODES[status] ?? problem.title }
}

const headersOf = (request: IncomingMessage, body: string): Record<string, string> => ({
  "content-type": Problem.mediaType,
  "content-length": String(Buffer.byteLength(body)),
  [correlationHeader]: correlationIdOf(correlationHeaderOf(request))
})

/** The response of `NodeServer`. It also emits the events above. */
export class CompleteResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
{
  #body: string | undefined

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args)
    const { headers } = args[0]
    // Node then refuses the request, so that no two parts of the service use different hosts.
    if (!isHost(headers.host)) delete headers.host
  }

  override writeHead(
    status: number,
    phrase?: string | OutgoingHttpHeaders | Array<OutgoingHttpHeader>,
    headArguments?: OutgoingHttpHeaders | Array<OutgoingHttpHeader>
  ): this {
    const headers = recordOf(typeof phrase === "string" ? headArguments : headArguments ?? phrase)
    if (status >= 400 && !("content-type" in headers) && !this.hasHeader("content-type")) {
      this.#body = JSON.stringify(problemFor(status, this.req))
      const retry = status === 503 ? Problem.headersOf(new Stopping()) : {}
      return super.writeHead(status, {
        ...headers,
        ...Caching.noStore,
        ...headersOf(this.req, this.#body),
        ...retry
      })
    }
    const type = String(headers["content-type"])
    if (type.startsWith("text/event-stream")) this.emit(streamEvent)
    else if (longTypes.test(type) && !("content-length" in headers)) this.emit(listEvent)
    const caching = this.hasHeader("cache-control") ? {} : Caching.missingIn(headers)
    return super.writeHead(status, { ...headers, ...caching })
  }

  override end(...args: ReadonlyArray<unknown>): this {
    const bodyArguments = this.#body === undefined
      ? args
      // As bytes: headers are written in the encoding of a text that follows them, which would be UTF-8.
      : [Buffer.from(this.#body), ...args.filter((each) => typeof each === "function")]
    Reflect.apply(super.end, this, bodyArguments)
    this.emit(answeredEvent)
    return this
  }
}

const recordOf = (
  headers: OutgoingHttpHeaders | Array<OutgoingHttpHeader> = {}
): OutgoingHttpHeaders => {
  if (!Array.isArray(headers)) return headers
  const record: OutgoingHttpHeaders = {}
  for (let at = 0; at + 1 < headers.length; at += 2) {
    record[String(headers[at]).toLowerCase()] = headers[at + 1]
  }
  return record
}
