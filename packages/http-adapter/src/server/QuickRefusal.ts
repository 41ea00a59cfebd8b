/**
 * Refusals that cost next to nothing: written straight to the response, before any route, in the form of the interface
 * that was asked: a problem, an error of GraphQL, or an error of the token endpoint (D12.3).
 *
 * Guarantee: 503 with `Retry-After` and a correlation id, whatever the form. A connection whose request has more of a
 * body than is worth reading is closed.
 */
import { Overloaded } from "@dockline/core/Errors"
import type { Stopping } from "@dockline/core/Errors"
import { graphqlResultType } from "@dockline/core/internal/Accept"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import * as Problem from "@dockline/core/internal/Problem"
import type { IncomingMessage, ServerResponse } from "node:http"

/** The form of an interface's errors. */
export type Form = "problem" | "graphql" | "token"

/** The form that goes with a path, below where the interfaces are mounted. */
export const formOf = (path: string): Form =>
  path.endsWith("/oauth/token") ? "token" : path.endsWith("/public_graphql") ? "graphql" : "problem"

/** A body that is shorter is read to its end, so that the connection serves on. */
const worthReading = 64 * 1024

/** Refuses a request; one that is being answered already is left to whoever answers it. */
export const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  error: Overloaded | Stopping,
  form: Form
): void => {
  // Called by timers too, where an error would end the process.
  if (response.headersSent) return
  const { body, headers } = forms[form](error, request)
  const announced = request.headers["transfer-encoding"] === undefined
    ? Number(request.headers["content-length"] ?? 0)
    : Number.POSITIVE_INFINITY
  response.writeHead(503, {
    ...headers,
    ...Problem.headersOf(error),
    "content-length": String(Buffer.byteLength(body)),
    "x-content-type-options": "nosniff",
    [correlationHeader]: correlationIdOf(correlationHeaderOf(request)),
    ...(error instanceof Overloaded && announced <= worthReading ? {} : { connection: "close" })
  })
  // As bytes: headers are written in the encoding of a text that follows them, which would be UTF-8.
  response.end(Buffer.from(body))
}

/** The correlation id that a request was sent with. */
export const correlationHeaderOf = ({ headers }: IncomingMessage): string | undefined =>
  headers[correlationHeader]?.toString()

interface Written {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const forms: Readonly<Record<Form, (error: Overloaded | Stopping, request: IncomingMessage) => Written>> = {
  problem: (error) => ({
    body: JSON.stringify(Problem.problemOf(error)),
    headers: { "content-type": Problem.mediaType }
  }),
  graphql: (error, { headers: { accept } }) => ({
    body: Problem.graphqlRefusalOf(error),
    headers: { "content-type": `${graphqlResultType(accept)}; charset=utf-8` }
  }),
  token: ({ message }) => ({
    body: JSON.stringify({ error: "temporarily_unavailable", error_description: message }),
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" }
  })
}
