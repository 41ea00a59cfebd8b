/**
 * The boundary of the service: what every request and every answer goes through, whatever route it takes.
 *
 * Guarantee: every answer carries the correlation id (D4.5); whatever the framework refuses or a handler fails at is
 * answered with a problem (D4.2), and a defect is logged under that id and shows nothing.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Cause, Effect, Predicate } from "effect"
import type { Schema, SchemaIssue } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as Problems from "./Problems.ts"
import type { RouteTable } from "./RouteTable.ts"

/** The header that names a request across systems. */
export const correlationHeader = "correlation-id"

const maxCorrelationIdLength = 128

/** The client's own correlation id, or a new one where it sent none, or one that cannot be echoed (D4.5). */
export const correlationIdOf = (header: string | undefined): string =>
  header !== undefined && header !== "" && header.length <= maxCorrelationIdLength && !hasControlCharacter(header)
    ? header
    : crypto.randomUUID()

/** Control characters, and what is no Latin-1 and so could not be written back into a header. */
const hasControlCharacter = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code > 0xff) return true
  }
  return false
}

const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

/** Wraps all routes: correlation id, problems, one log line a request. */
export const layer = (routes: RouteTable) =>
  HttpRouter.middleware(
    (handler) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const correlationId = correlationIdOf(request.headers[correlationHeader])
        const path = pathOf(request.url)
        return yield* handler.pipe(
          Effect.catchCause((cause) => refuse(cause, request.method, path, routes, correlationId)),
          Effect.map(HttpServerResponse.setHeaders({
            [correlationHeader]: correlationId,
            "x-content-type-options": "nosniff"
          })),
          Effect.tap((response) => Effect.logDebug(`${request.method} ${clip(path)} ${response.status}`)),
          Effect.annotateLogs({ correlationId }),
          Effect.annotateSpans("correlation.id", correlationId)
        )
      }),
    { global: true }
  )

const clip = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)

/** The problem for a cause that no handler turned into an answer. */
const refuse = <E>(
  cause: Cause.Cause<E>,
  method: string,
  path: string,
  routes: RouteTable,
  correlationId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  // The client is gone; nobody reads an answer, and it is no fault to log.
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error: unknown = Cause.squash(cause)
  if (isRouteNotFound(error)) {
    const allowed = routes.methodsAt(path)
    return Effect.succeed(
      allowed.length > 0 ? Problems.methodNotAllowed(method, allowed) : Problems.notFound(clip(path))
    )
  }
  if (HttpApiError.HttpApiSchemaError.is(error)) return Effect.succeed(invalidParameter(error.cause))
  if (error instanceof StorageUnavailable) return Effect.succeed(Problems.respond(error))
  return Effect.as(Effect.logError("Request failed", cause), Problems.internal(correlationId))
}

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** A path or query parameter that its schema refuses. */
const invalidParameter = (error: Schema.SchemaError): HttpServerResponse.HttpServerResponse => {
  const errors: Array<{ path: string; detail: string }> = []
  const visit = (issue: SchemaIssue.Issue, path: string): void => {
    switch (issue._tag) {
      case "Pointer":
        return visit(issue.issue, [path, ...issue.path.map(String)].filter((part) => part !== "").join("."))
      case "Composite":
      case "AnyOf":
        return void issue.issues.slice(0, 1).forEach((inner) => visit(inner, path))
      case "Filter":
      case "Encoding":
        return visit(issue.issue, path)
      default: {
        const message = Predicate.hasProperty(issue, "annotations") &&
            Predicate.hasProperty(issue.annotations, "message")
          ? String(issue.annotations.message)
          : "is not valid; see the reference for what it takes"
        errors.push({ path, detail: message })
      }
    }
  }
  visit(error.issue, "")
  return Problems.respond({
    category: "malformed",
    code: "INVALID_PARAMETER",
    message: `The request is not valid: ${errors.map(({ path, detail }) => `${path}: ${detail}`).join("; ")}`,
    errors
  })
}
