/**
 * Refuses requests before any route, straight to the response, in the form of the interface that was asked (D12.3).
 *
 * Guarantee: the status of the error with a correlation id, and for 503 with `Retry-After`, in every form. The connection of a request with a long body is
 * closed.
 */
import { Stopping } from "@dockline/core/values/RequestErrors"
import type { MisdirectedRequest, Overloaded } from "@dockline/core/values/RequestErrors"
import { correlationHeader, correlationIdOf } from "@dockline/wire/CorrelationId"
import { graphqlPath } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { answerIn, endWith } from "@dockline/wire/Refusal"
import type { Form } from "@dockline/wire/Refusal"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

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
