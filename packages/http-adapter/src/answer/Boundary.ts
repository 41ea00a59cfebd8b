/**
 * The boundary of the service: what every request and every answer goes through, whatever route it takes.
 *
 * Guarantee: every answer carries the correlation id (D4.5); whatever the framework refuses or a handler fails at is
 * answered with a problem (D4.2), and a defect is logged under that id and shows nothing.
 */
import { clip as clipText } from "@dockline/core/Clip"
import { InvalidParameter, IssuerUnavailable, StorageUnavailable } from "@dockline/core/Errors"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import { pathOf } from "@dockline/core/internal/Path"
import { internal, methodNotAllowed, notFound } from "@dockline/core/internal/Problem"
import { countRefusal } from "@dockline/core/Refusals"
import * as RequestLog from "@dockline/core/RequestLog"
import { Cause, Effect, Predicate } from "effect"
import type { Schema, SchemaAST, SchemaIssue } from "effect"
import { HttpBody, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { RouteTable } from "../api/RouteTable.ts"
import * as RequestMetrics from "../handlers/RequestMetrics.ts"
import { unknownParameter } from "./Parameters.ts"
import * as Problems from "./Problems.ts"

/** Wraps all routes: correlation id, problems, one log line a request. */
export const layer = (routes: RouteTable) =>
  HttpRouter.middleware(
    (handler) =>
      Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const correlationId = correlationIdOf(request.headers[correlationHeader])
        const path = pathOf(request.url)
        const route = routes.patternAt(path)
        // A router takes a path in other spellings too; here each path has one (core's `Path`).
        const answering = Effect.catchCause(
          route === undefined && routes.isMisspelt(path)
            ? Effect.succeed(Problems.toResponse(notFound(path)))
            : handler,
          (cause) => refuse(cause, request.method, path, routes, correlationId)
        )
        return yield* RequestMetrics.measured(request, answering).pipe(
          Effect.map((response) =>
            HttpServerResponse.setHeaders(isAscii(correlationId) ? response : asBytes(response), {
              [correlationHeader]: correlationId,
              "x-content-type-options": "nosniff"
            })
          ),
          Effect.tap((response) => Effect.logDebug(`${request.method} ${clip(path)} ${response.status}`)),
          RequestLog.within({ correlationId, route })
        )
      }),
    { global: true }
  )

/** Node writes headers in the encoding of a text that follows them: UTF-8, where headers are Latin-1. */
const asBytes = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  response.body._tag === "Uint8Array"
    ? HttpServerResponse.setBody(response, HttpBody.uint8Array(response.body.body, response.body.contentType))
    : response

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7e) return false
  return true
}

const clip = (path: string): string => clipText(path, 200)

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
    // The method is allowed where the router found no resource by the path's parameter, such as a bad escape.
    return Effect.succeed(
      allowed.length > 0 && !allowed.includes(method)
        ? Problems.toResponse(methodNotAllowed(method, allowed), { allow: allowed.join(", ") })
        : Problems.toResponse(notFound(path))
    )
  }
  if (HttpApiError.HttpApiSchemaError.is(error)) return invalidParameter(error.cause)
  if (error instanceof StorageUnavailable || error instanceof IssuerUnavailable) {
    return Problems.respond(error)
  }
  const counted = countRefusal("rest", "INTERNAL_ERROR")
  return Effect.as(
    Effect.andThen(counted, Effect.logError("Request failed", cause)),
    Problems.toResponse(internal(correlationId))
  )
}

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** A path or query parameter that its schema refuses: which one, and what it takes. */
const invalidParameter = (
  error: Schema.SchemaError
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const errors = new Map<string, string>()
  const visit = (issue: SchemaIssue.Issue, path: string, expected: string): void => {
    switch (issue._tag) {
      case "Pointer":
        return visit(
          issue.issue,
          [path, ...issue.path.map(String)].filter((part) => part !== "").join("."),
          expected
        )
      case "Composite":
        return issue.issues.forEach((inner) => visit(inner, path, expectation(issue.ast) ?? expected))
      case "Encoding":
        return visit(issue.issue, path, expectation(issue.ast) ?? expected)
      case "Filter":
        return visit(issue.issue, path, messageOf(issue.filter) ?? expected)
      case "UnexpectedKey":
        return void errors.set(clipText(path), unknownParameter)
      case "AnyOf":
        return void errors.set(path, expectation(issue.ast) ?? expected)
      default:
        return void errors.set(path, messageOf(issue) ?? expected)
    }
  }
  visit(error.issue, "", "is not valid; see the reference for what it takes")
  return Problems.respond(
    new InvalidParameter({ errors: Array.from(errors, ([path, detail]) => ({ path, detail })) })
  )
}

/** The text a schema gives for what it takes: that of its last check, else that of its type. */
const expectation = (ast: SchemaAST.AST): string | undefined => {
  const message = messageOf(ast.checks?.at(-1))
  if (message !== undefined) return message
  switch (ast._tag) {
    case "Boolean":
      return "must be true or false"
    case "Number":
      return "must be a number"
    case "Union":
      return `must be one of ${
        // An empty parameter is as good as none, and nothing to ask a client for.
        ast.types.flatMap((type) => type._tag === "Literal" && type.literal !== "" ? [type.literal] : [])
          .join(", ")}`
    default:
      return undefined
  }
}

const messageOf = (annotated: unknown): string | undefined =>
  Predicate.hasProperty(annotated, "annotations") && Predicate.hasProperty(annotated.annotations, "message")
    ? String(annotated.annotations.message)
    : undefined
