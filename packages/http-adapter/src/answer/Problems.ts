/**
 * Problems as responses: how every error of the catalogue, and every refusal of the framework, is answered over HTTP
 * (D4.2, D4.3).
 *
 * Guarantee: status, title, code, headers and text are those of core's `Problem`.
 */
import type { CatalogueError } from "@dockline/core/internal/Categories"
import * as Problem from "@dockline/core/internal/Problem"
import { countRefusal } from "@dockline/core/Refusals"
import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { maxHeaderSize } from "node:http"

/** Writes a problem. */
export const toResponse = (
  problem: Problem.Problem,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    contentType: Problem.mediaType,
    headers
  })

/** Answers an error of the catalogue. */
export const respond = (error: CatalogueError): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.as(
    Effect.andThen(countRefusal("rest", error.code), logUnavailable(error)),
    toResponse(Problem.problemOf(error), Problem.headersOf(error))
  )

/**
 * Logs why a request is answered 503: the answer shows nothing of it, and an operator has to know. Every 503 goes
 * through here once; the boundary adds the correlation id.
 */
export const logUnavailable = (error: CatalogueError): Effect.Effect<void> =>
  error.category === "unavailable"
    ? Effect.logWarning(`Answered 503 ${error.code}`, Cause.fail(error))
    : Effect.void

/** The head of a request is larger than Node reads. */
export const headTooLarge: Problem.Problem = Problem.problem(
  431,
  "HEADERS_TOO_LARGE",
  `The address and the headers of the request are larger than ${maxHeaderSize} bytes`
)

/** A request did not arrive in time. */
export const requestTimeout: Problem.Problem = Problem.problem(
  408,
  "REQUEST_TIMEOUT",
  "The request did not arrive in time; repeat it on a new connection"
)
