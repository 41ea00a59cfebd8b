/**
 * Problems: how every error of the catalogue, and every refusal of the framework, is answered over HTTP (D4.2, D4.3).
 *
 * Guarantee: status, title, code and text derive from the one declaration in core; the table of categories stops
 * compiling when a category is added; nothing internal is ever shown.
 */
import { maxFaults } from "@dockline/core/DocumentCheck"
import type { ErrorCategory, FieldError } from "@dockline/core/Errors"
import { countRefusal } from "@dockline/core/Refusals"
import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"

/** What a problem is made from: an error of core's catalogue, or one that is shaped like it. */
export interface CatalogueError {
  readonly category: ErrorCategory
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
  /** After how many seconds the request may succeed, where that is known. */
  readonly retryAfterSeconds?: number
}

/** The body of a problem: `application/problem+json`, RFC 9457. */
export interface Problem {
  readonly type: "about:blank"
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code?: string
  readonly errors?: ReadonlyArray<FieldError>
  readonly instance?: string
}

interface Form {
  readonly status: number
  readonly title: string
}

/** Each category's status, with the HTTP phrase as the contract writes it. */
export const forms: Readonly<Record<ErrorCategory, Form>> = {
  malformed: { status: 400, title: "Bad Request" },
  unauthenticated: { status: 401, title: "Unauthorized" },
  forbidden: { status: 403, title: "Forbidden" },
  notFound: { status: 404, title: "Not Found" },
  methodNotAllowed: { status: 405, title: "Method Not Allowed" },
  conflict: { status: 409, title: "Conflict" },
  expired: { status: 410, title: "Gone" },
  tooMany: { status: 413, title: "Content Too Large" },
  tooLarge: { status: 413, title: "Content Too Large" },
  unsupportedMediaType: { status: 415, title: "Unsupported Media Type" },
  unprocessable: { status: 422, title: "Unprocessable Entity" },
  rateLimited: { status: 429, title: "Too Many Requests" },
  internal: { status: 500, title: "Internal Server Error" },
  unavailable: { status: 503, title: "Service Unavailable" }
}

/** The media type of a problem. */
export const mediaType = "application/problem+json"

/** After how many seconds a request that was answered 503 is to be repeated: the value of `Retry-After`. */
export const retryAfter = "2"

/**
 * The problem that an error of the catalogue is answered with. At most {@link maxFaults} faults are listed, so that
 * an answer cannot outgrow the document it is about.
 */
export const problemOf = (error: CatalogueError): Problem => ({
  type: "about:blank",
  ...forms[error.category],
  detail: error.message,
  code: error.code,
  ...(error.errors === undefined ? {} : { errors: error.errors.slice(0, maxFaults) })
})

/** Writes a problem, with the headers its status asks for. */
export const toResponse = (
  problem: Problem,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    contentType: mediaType,
    headers: { ...statusHeaders(problem.status), ...headers }
  })

/** The headers that a problem of this status carries (D4.3). */
export const statusHeaders = (status: number): Record<string, string> => {
  switch (status) {
    case 401:
      return { "www-authenticate": "Bearer" }
    case 503:
      return { "retry-after": retryAfter }
    // What is left of the body is not read, so the connection cannot carry another request.
    case 413:
      return { connection: "close" }
    default:
      return {}
  }
}

/** The headers that the problem of an error carries, when it may be repeated among them. */
export const headersOf = (error: CatalogueError): Record<string, string> => ({
  ...statusHeaders(forms[error.category].status),
  ...(error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) })
})

/** Answers an error of the catalogue. */
export const respond = (error: CatalogueError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.as(
    Effect.andThen(countRefusal("rest", error.code), logUnavailable(error)),
    toResponse(problemOf(error), headersOf(error))
  )

/**
 * Logs why a request is answered 503: the answer shows nothing of it, and an operator has to know. Every 503 goes
 * through here once; the boundary adds the correlation id.
 */
export const logUnavailable = (error: CatalogueError): Effect.Effect<void> =>
  error.category === "unavailable"
    ? Effect.logWarning(`Answered 503 ${error.code}`, Cause.fail(error))
    : Effect.void

/** No such path. */
export const notFound = (path: string): HttpServerResponse.HttpServerResponse =>
  toResponse({
    type: "about:blank",
    ...forms.notFound,
    detail: `No resource at ${path}`,
    code: "RESOURCE_NOT_FOUND"
  })

/** The path is there, the method is not. */
export const methodNotAllowed = (
  method: string,
  allowed: ReadonlyArray<string>
): HttpServerResponse.HttpServerResponse =>
  toResponse(
    {
      type: "about:blank",
      ...forms.methodNotAllowed,
      detail: `${method} is not allowed here; allowed: ${allowed.join(", ")}`,
      code: "METHOD_NOT_ALLOWED"
    },
    { allow: allowed.join(", ") }
  )

/** A defect of ours: nothing is shown but the correlation id under which it is logged. */
export const internal = (correlationId: string): HttpServerResponse.HttpServerResponse =>
  toResponse({
    type: "about:blank",
    ...forms.internal,
    detail: "The service failed to process the request; quote the correlation id to its operator",
    code: "INTERNAL_ERROR",
    instance: correlationId
  })
