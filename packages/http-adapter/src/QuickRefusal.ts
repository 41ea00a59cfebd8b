/**
 * Refusals that cost next to nothing: written straight to the response, before any route, in the form of the interface
 * that was asked: a problem, an error of GraphQL, or an error of the token endpoint (D12.3).
 *
 * Guarantee: 503 with `Retry-After` and a correlation id, whatever the form. A connection whose request has more of a
 * body than is worth reading is closed.
 */
import { Overloaded } from "@dockline/core/Errors"
import type { IncomingMessage, ServerResponse } from "node:http"
import { correlationHeader, correlationIdOf } from "./Boundary.ts"
import * as Problems from "./Problems.ts"

/** The form of an interface's errors. */
export type Form = "problem" | "graphql" | "token"

/** The form that goes with a path, below where the interfaces are mounted. */
export const formOf = (path: string): Form =>
  path.endsWith("/oauth/token") ? "token" : path.endsWith("/public_graphql") ? "graphql" : "problem"

/** Why a request is refused. */
export type Reason = "overloaded" | "stopping"

/** A body that is shorter is read to its end, so that the connection serves on. */
const worthReading = 64 * 1024

/** Refuses a request; one that is being answered already is left to whoever answers it. */
export const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  reason: Reason,
  form: Form
): void => {
  // Called by timers too, where an error would end the process.
  if (response.headersSent) return
  const { body, headers } = answerOf(request, reason, form)
  const announced = request.headers["transfer-encoding"] === undefined
    ? Number(request.headers["content-length"] ?? 0)
    : Number.POSITIVE_INFINITY
  response.writeHead(503, {
    ...headers,
    ...(reason === "overloaded" && announced <= worthReading ? {} : { connection: "close" })
  })
  response.end(body)
}

/** A refusal as it is written where there is no response, such as to an upgrade; the connection is to be closed. */
export const textOf = (request: IncomingMessage, reason: Reason, form: Form): string => {
  const { body, headers } = answerOf(request, reason, form)
  const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) =>
    `${name}: ${value}`
  )
  return `HTTP/1.1 503 Service Unavailable\r\n${lines.join("\r\n")}\r\n\r\n${body}`
}

const answerOf = (request: IncomingMessage, reason: Reason, form: Form): Written => {
  const retryAfterSeconds = reason === "overloaded" ? spread() : Number(Problems.retryAfter)
  const { body, headers } = forms[form](reason, retryAfterSeconds, request)
  return {
    body,
    headers: {
      ...headers,
      "content-length": String(Buffer.byteLength(body)),
      "retry-after": String(retryAfterSeconds),
      "x-content-type-options": "nosniff",
      [correlationHeader]: correlationIdOf(headerOf(request, correlationHeader))
    }
  }
}

/** So that those who are refused at once do not come back at once. */
const spread = (): number => 1 + Math.floor(Math.random() * 3)

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}

const codes: Readonly<Record<Reason, string>> = { overloaded: "OVERLOADED", stopping: "STOPPING" }

const detailOf = (reason: Reason, retryAfterSeconds: number): string =>
  reason === "overloaded"
    ? new Overloaded({ retryAfterSeconds }).message
    : "The service is stopping; repeat the request"

interface Written {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const forms: Readonly<
  Record<Form, (reason: Reason, retryAfterSeconds: number, request: IncomingMessage) => Written>
> = {
  problem: (reason, retryAfterSeconds) => ({
    body: JSON.stringify({
      type: "about:blank",
      ...Problems.forms.unavailable,
      detail: detailOf(reason, retryAfterSeconds),
      code: codes[reason]
    }),
    headers: { "content-type": Problems.mediaType }
  }),
  graphql: (reason, retryAfterSeconds, request) => ({
    body: JSON.stringify({
      errors: [{
        message: detailOf(reason, retryAfterSeconds),
        extensions: { code: "INTERNAL", reason: codes[reason], retryable: true, retryAfterSeconds }
      }]
    }),
    headers: {
      "content-type": `${
        request.headers.accept?.toLowerCase().includes("application/graphql-response+json") === true
          ? "application/graphql-response+json"
          : "application/json"
      }; charset=utf-8`
    }
  }),
  token: (reason, retryAfterSeconds) => ({
    body: JSON.stringify({
      error: "temporarily_unavailable",
      error_description: detailOf(reason, retryAfterSeconds)
    }),
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" }
  })
}
