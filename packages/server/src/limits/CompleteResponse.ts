/**
 * The response class of `NodeServer`, and refusals before any route. An error that Node or the framework answers without a body gets the
 * body of a problem, and every answer gets a rule for caches.
 *
 * The class overrides these parts of `ServerResponse`:
 *
 * - the constructor: removes a `Host` header that names no host, so that Node refuses the request;
 * - `writeHead`: adds the headers of a problem, `cache-control` and a correlation id, and emits {@link streamEvent} or {@link listEvent};
 * - `end`: writes the body of the problem, and emits {@link answeredEvent}.
 *
 * Guarantee: caches do not store an answer that names no rule for caches (D12.9). An error that already has a media type, such as an error
 * of the embedding program, keeps its body.
 */
import { MalformedRequest } from "@dockline/core/values/Errors"
import { NotImplemented, Stopping } from "@dockline/core/values/RequestErrors"
import type { MisdirectedRequest, Overloaded } from "@dockline/core/values/RequestErrors"
import {
  correlationHeader,
  correlationIdOf,
  missingCacheControl,
  noStore
} from "@dockline/wire/AnswerHeaders"
import { hostDetail, isHost } from "@dockline/wire/Handshake"
import { graphqlPath } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { answerIn, endWith } from "@dockline/wire/Refusal"
import type { Form } from "@dockline/wire/Refusal"
import { ServerResponse, STATUS_CODES } from "node:http"
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** The form of refusals at a path, as the interface that serves the path writes them (D12.3). */
export const formOf = (path: string): Form =>
  path.endsWith("/oauth/token") ? "token" : path.endsWith(graphqlPath) ? "graphql" : "problem"

/** The longest body, in bytes, that is read to its end after a refusal, so that its connection stays open. */
const worthReading = 64 * 1024

/**
 * Refuses a request before any route, unless its answer has begun.
 *
 * Guarantee: in every form, the answer has the status of the error and a correlation id, and with 503 a `Retry-After` header. The
 * connection closes if the service stops or the body of the request is long.
 */
export const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  error: Overloaded | Stopping | MisdirectedRequest,
  form: Form
): void => {
  // Timers call this function too, and an error in a timer would end the process.
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
  // With a string as the body, Node would write the headers in UTF-8 too.
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
 * The event of a complete answer. In a pipeline, Node's own events wait until the previous answer of the connection has been sent, which a
 * client can delay by not receiving it.
 */
export const answeredEvent = "answered"

/** The event at the beginning of an event stream, whose end may never come. */
export const streamEvent = "eventStream"

/** The event at the beginning of a long answer that is produced as its client receives it: a list in CSV, or a large answer. */
export const listEvent = "list"

/** The callbacks of each connection. One listener of the connection calls them all. */
const pendingOf = new WeakMap<Socket, Set<() => void>>()

const pendingAt = (socket: Socket): Set<() => void> => {
  const pendingWrites = pendingOf.get(socket)
  if (pendingWrites !== undefined) return pendingWrites
  const pending = new Set<() => void>()
  pendingOf.set(socket, pending)
  socket.once("close", () => {
    for (const callback of Array.from(pending)) callback()
  })
  return pending
}

/** The callbacks of each response. One listener of the response calls them all. */
const callbacksOf = new WeakMap<ServerResponse, Array<() => void>>()

/**
 * Calls `callback` once, when the answer is over or the connection is lost. When the connection is lost, some versions of Node emit no
 * `close` for an answer that follows another one in a pipeline.
 */
export const whenOver = (
  { socket }: IncomingMessage,
  response: ServerResponse,
  callback: () => void
): void => {
  if (socket.closed) return callback()
  const others = callbacksOf.get(response)
  if (others !== undefined) return void others.push(callback)
  const callbacks = [callback]
  callbacksOf.set(response, callbacks)
  const pending = pendingAt(socket)
  const once = (): void => {
    if (!pending.delete(once)) return
    callbacksOf.delete(response)
    for (const each of callbacks) each()
  }
  pending.add(once)
  response.once("close", once)
}

/** The problem of bytes that Node cannot read as a request. */
export const malformed = Problem.problemAs(MalformedRequest, "The request is not valid HTTP/1.1")

/** The media types of answers that, without a length, are produced as the client receives them. */
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

/** The response of `NodeServer`. It emits {@link answeredEvent}, {@link streamEvent} and {@link listEvent}. */
export class CompleteResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
{
  #body: string | undefined

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args)
    const { headers } = args[0]
    // Without the header Node refuses the request, so that all parts of the service agree on the host of a request.
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
        ...noStore,
        ...headersOf(this.req, this.#body),
        ...retry
      })
    }
    const type = String(headers["content-type"])
    if (type.startsWith("text/event-stream")) this.emit(streamEvent)
    else if (longTypes.test(type) && !("content-length" in headers)) this.emit(listEvent)
    const caching = this.hasHeader("cache-control") ? {} : missingCacheControl(headers)
    return super.writeHead(status, { ...headers, ...caching })
  }

  override end(...args: ReadonlyArray<unknown>): this {
    const bodyArguments = this.#body === undefined
      ? args
      // With a string as the body, Node would write the headers in UTF-8 too.
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
