/**
 * What is answered as a problem (RFC 9457) rather than in GraphQL's form: a refusal that comes before GraphQL, of the
 * token, the method or the media types (D4.2, D8.6).
 */
import * as Problem from "@dockline/core/internal/Problem"
import { HttpServerResponse } from "effect/http"

const refusals: Readonly<Record<number, Problem.Problem>> = {
  405: Problem.problem(405, "METHOD_NOT_ALLOWED", "Send a query with GET or POST, a mutation with POST"),
  406: Problem.problem(
    406,
    "NOT_ACCEPTABLE",
    "Accept application/graphql-response+json or application/json, or text/event-stream for a subscription"
  ),
  415: Problem.problem(
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    "Send application/json in UTF-8, or multipart/form-data for files"
  )
}

/** Writes a problem. */
export const respond = (
  problem: Problem.Problem,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, "content-type": Problem.mediaType }
  })

/** What `graphql-http` refuses with a status and headers alone. */
export const refused = (
  status: number,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const problem = refusals[status]
  return problem === undefined ? HttpServerResponse.empty({ status, headers }) : respond(problem, headers)
}

/** Another method than GET and POST. */
export const methodNotAllowed: HttpServerResponse.HttpServerResponse = refused(405, { allow: "GET, POST" })

/** No form of an answer that the client accepts. */
export const notAcceptable: HttpServerResponse.HttpServerResponse = refused(406, {})
