/**
 * Gives errors without a body, as Node and the framework write some, the body of a problem.
 *
 * Guarantee: each error without a media type is a problem with a correlation id. An error with a media type, such as a
 * host's own, stays as it is.
 */
import { MalformedRequest } from "@dockline/core/Errors"
import { NotImplemented, Stopping } from "@dockline/core/RequestErrors"
import { correlationHeader, correlationIdOf } from "@dockline/wire/internal/CorrelationId"
import { hostDetail, isHost } from "@dockline/wire/internal/Handshake"
import * as Problem from "@dockline/wire/internal/Problem"
import { ServerResponse, STATUS_CODES } from "node:http"
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from "node:http"
import { correlationHeaderOf } from "./QuickRefusal.ts"
import { answeredEvent, listEvent, streamEvent } from "./ResponseEnd.ts"

/** The problem of bytes that Node cannot read as a request. */
export const malformed = Problem.problemAs(MalformedRequest, "The request is not valid HTTP/1.1")

/** The media types of answers that are made as they are taken where they have no length. */
const longTypes = /^(?:text\/csv|text\/xml|application\/(?:json|xml|graphql-response\+json))/

const unknownHost = Problem.problemAs(MalformedRequest, hostDetail)

const unknownCoding = Problem.problemOf(new NotImplemented())

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

/** The response of `NodeServer`. It also emits the events of `ResponseEnd.ts`. */
export class CompleteResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
{
  #body: string | undefined

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args)
    const { headers } = args[0]
    // Node then refuses the request: one part of the service must not take the first host and another the last.
    if (!isHost(headers.host)) delete headers.host
  }

  override writeHead(
    status: number,
    phrase?: string | OutgoingHttpHeaders | Array<OutgoingHttpHeader>,
    given?: OutgoingHttpHeaders | Array<OutgoingHttpHeader>
  ): this {
    const headers = recordOf(typeof phrase === "string" ? given : given ?? phrase)
    if (status >= 400 && !("content-type" in headers) && !this.hasHeader("content-type")) {
      this.#body = JSON.stringify(problemFor(status, this.req))
      const retry = status === 503 ? Problem.headersOf(new Stopping()) : {}
      return super.writeHead(status, { ...headers, ...headersOf(this.req, this.#body), ...retry })
    }
    const type = String(headers["content-type"])
    if (type.startsWith("text/event-stream")) this.emit(streamEvent)
    else if (longTypes.test(type) && !("content-length" in headers)) this.emit(listEvent)
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
