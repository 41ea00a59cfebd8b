/**
 * What is answered as a problem (RFC 9457) rather than in GraphQL's form: a refusal that comes before GraphQL, of the
 * token, the method or the media types (D4.2, D8.6).
 */
import type { Unauthenticated } from "@dockline/core/Errors"
import { HttpServerResponse } from "effect/http"

interface Refusal {
  readonly title: string
  readonly code: string
  readonly detail: string
}

const refusals: Readonly<Record<number, Refusal>> = {
  405: {
    title: "Method Not Allowed",
    code: "METHOD_NOT_ALLOWED",
    detail: "Send a query with GET or POST, a mutation with POST"
  },
  406: {
    title: "Not Acceptable",
    code: "NOT_ACCEPTABLE",
    detail:
      "Accept application/graphql-response+json or application/json, or text/event-stream for a subscription"
  },
  415: {
    title: "Unsupported Media Type",
    code: "UNSUPPORTED_MEDIA_TYPE",
    detail: "Send application/json in UTF-8, or multipart/form-data for files"
  }
}

const problem = (
  status: number,
  { title, code, detail }: Refusal,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify({ type: "about:blank", title, status, detail, code }), {
    status,
    headers: { ...headers, "content-type": "application/problem+json" }
  })

/** What `graphql-http` refuses with a status and headers alone. */
export const refused = (
  status: number,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const refusal = refusals[status]
  return refusal === undefined
    ? HttpServerResponse.empty({ status, headers })
    : problem(status, refusal, headers)
}

/** Another method than GET and POST. */
export const methodNotAllowed: HttpServerResponse.HttpServerResponse = refused(405, { allow: "GET, POST" })

/** No token, or a bad one. */
export const unauthenticated = ({ code, message }: Unauthenticated): HttpServerResponse.HttpServerResponse =>
  problem(401, { title: "Unauthorized", code, detail: message }, { "www-authenticate": "Bearer" })
