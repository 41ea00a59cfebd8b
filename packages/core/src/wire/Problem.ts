/**
 * Refusals as they are written: problems (RFC 9457) with the headers of their status, errors of GraphQL, and whole
 * answers of HTTP where there is no response to write to (D4.2, D4.3, D8.6).
 *
 * Guarantee: status, title, code, text and headers of a refusal are the same whichever interface gives it; nothing
 * internal is ever shown.
 */
import { maxFaults } from "../input/DocumentCheck.ts"
import { Unauthenticated } from "../values/Errors.ts"
import type { FieldError } from "../values/Errors.ts"
import { graphqlCodeOf, retryAfterOf, statusOf } from "./Categories.ts"
import type { CatalogueError } from "./Categories.ts"
import { correlationHeader, correlationIdOf } from "./CorrelationId.ts"

/** The body of a problem. */
export interface Problem {
  readonly type: "about:blank"
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly errors?: ReadonlyArray<FieldError>
  readonly instance?: string
}

/** The media type of a problem. */
export const mediaType = "application/problem+json"

/** The statuses of refusals, with the HTTP phrase as the contract writes it. */
const titles = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable"
} as const

/** Makes a problem. */
export const problem = (status: number, code: string, detail: string): Problem => ({
  type: "about:blank",
  title: (titles as Readonly<Record<number, string>>)[status] ?? "Error",
  status,
  detail,
  code
})

/**
 * The problem that an error of the catalogue is answered with. At most {@link maxFaults} faults are listed, so that
 * an answer cannot outgrow the document it is about.
 */
export const problemOf = (error: CatalogueError): Problem => ({
  ...problem(statusOf(error.category), error.code, error.message),
  ...(error.errors === undefined ? {} : { errors: error.errors.slice(0, maxFaults) })
})

/** The headers that the answer to an error carries, whatever its form. */
export const headersOf = (error: CatalogueError): Readonly<Record<string, string>> => {
  const retryAfter = retryAfterOf(error)
  return {
    ...(error.category === "unauthenticated" ? { "www-authenticate": challengeOf(error) } : {}),
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    // What is left of the body is not read, so the connection cannot carry another request.
    ...(statusOf(error.category) === 413 ? { connection: "close" } : {})
  }
}

/** What is wrong with a token that was sent, in the words of a challenge (RFC 6750, section 3). */
const descriptions: Readonly<Record<NonNullable<Unauthenticated["reason"]>, string>> = {
  malformed: "The token is malformed",
  expired: "The token has expired",
  audience: "The token is for another audience",
  invalid: "The token is not valid here"
}

const challengeOf = (error: CatalogueError): string =>
  error instanceof Unauthenticated && error.reason !== undefined
    ? `Bearer error="invalid_token", error_description="${descriptions[error.reason]}"`
    : "Bearer"

/** `extensions` of an error of GraphQL. */
export const graphqlExtensionsOf = (error: CatalogueError): Readonly<Record<string, unknown>> => ({
  code: graphqlCodeOf(error.category),
  reason: error.code,
  ...(error.category === "unavailable" ? { retryable: true } : {}),
  ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  ...(error.droppedId === undefined ? {} : { droppedId: error.droppedId }),
  ...(error.newestId === undefined ? {} : { newestId: error.newestId }),
  ...(error.errors === undefined ? {} : { errors: error.errors.slice(0, maxFaults) })
})

/** The result of GraphQL for a request that was not run. */
export const graphqlRefusalOf = (error: CatalogueError): string =>
  JSON.stringify({ errors: [{ message: error.message, extensions: graphqlExtensionsOf(error) }] })

/** A defect of ours: nothing is shown but the correlation id, under which it is logged. */
export const internal = (correlationId: string): Problem => ({
  ...problem(
    500,
    "INTERNAL_ERROR",
    "The service failed to process the request; quote the correlation id to its operator"
  ),
  instance: correlationId
})

/** No such path. */
export const notFound = (path: string): Problem =>
  problem(404, "RESOURCE_NOT_FOUND", `No resource at ${path.length > 200 ? `${path.slice(0, 200)}…` : path}`)

/** The path is there, the method is not; goes with an `Allow` header. */
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>): Problem =>
  problem(405, "METHOD_NOT_ALLOWED", `${method} is not allowed here; allowed: ${allowed.join(", ")}`)

/**
 * A problem as a whole answer of HTTP/1.1, after which the connection is to be closed: for where there is no response to
 * write to. To be sent in Latin-1, the encoding of headers; the body is ASCII.
 */
export const answerOf = (
  given: Problem,
  correlationId: string | undefined,
  headers: Readonly<Record<string, string>> = {}
): string => {
  const body = toAscii(JSON.stringify(given))
  const lines = Object.entries({
    ...headers,
    "content-type": mediaType,
    "content-length": String(body.length),
    "x-content-type-options": "nosniff",
    [correlationHeader]: correlationIdOf(correlationId),
    connection: "close"
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${given.status} ${given.title}\r\n${lines.join("")}\r\n${body}`
}

/** JSON with every other character escaped. */
const toAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
