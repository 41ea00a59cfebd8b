/**
 * Wraps every request: each answer has the correlation id (D4.5) and a rule for caches (D12.9); each refusal by the framework is a problem
 * (D4.2); a defect is logged with the correlation id, and not shown in the answer.
 */
import { clip as clipText } from "@dockline/core/values/Clip"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import { countRefusal } from "@dockline/core/values/Metrics"
import {
  InternalError,
  IssuerUnavailable,
  MethodNotAllowed,
  ResourceNotFound
} from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { correlationHeader, correlationIdOf, missingCacheControl } from "@dockline/wire/AnswerHeaders"
import { pathOf } from "@dockline/wire/Path"
import { Cause, Clock, Context, Effect, Exit } from "effect"
import { HttpBody, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "./Answer.ts"
import type { RouteTable } from "./RouteTable.ts"

const methods: ReadonlyArray<string> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** The class of the status, or `gone` if the client went away first. */
const results: ReadonlyArray<string> = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"]

const durations = Metrics.histogram(
  "dockline_http_request_duration_seconds",
  "Time until the answer to a request began, by method, pattern of the route and class of the status",
  [["method", methods], ["route", "chosen"], ["status", results]]
)

const inFlight = Metrics.gauge("dockline_http_requests_in_flight", "Requests that are being answered", [])

/**
 * Measures the duration of a request, by the class of its status and by the pattern that the router matched. It is the innermost wrapper,
 * inside everything that adds context.
 */
const measure = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  answering: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.withFiber((fiber) => {
    const { context } = fiber
    const clock = fiber.getRef(Clock.Clock)
    const startedAt = clock.monotonicTimeNanosUnsafe()
    const running = inFlight.of()
    running.modifyUnsafe(1, context)
    return Effect.onExitPrimitive(answering, (exit) => {
      running.modifyUnsafe(-1, context)
      // The router puts the route into the context of the fiber.
      const route = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)
      const result = Exit.isSuccess(exit) ? `${Math.floor(exit.value.status / 100)}xx` : "gone"
      durations.of(request.method, route?.route.path ?? "none", result)
        .updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9, context)
      return undefined
    })
  })

export const layer = (routes: RouteTable) =>
  HttpRouter.middleware(
    (handler) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const correlationId = correlationIdOf(request.headers[correlationHeader])
        const path = pathOf(request.url)
        const route = routes.patternAt(path)
        // The router also accepts other spellings of a path, but each path has only one spelling here (`Path` of wire).
        const answering = Effect.catchCause(
          route === undefined && routes.isMisspelt(path)
            ? Effect.succeed(Answer.problem(new ResourceNotFound({ path })))
            : handler,
          (cause) => refuse(cause, request.method, path, routes, correlationId)
        )
        const complete = (response: HttpServerResponse.HttpServerResponse) =>
          Effect.as(
            Effect.logDebug(`${request.method} ${clip(path)} ${response.status}`),
            HttpServerResponse.setHeaders(isAscii(correlationId) ? response : asBytes(response), {
              ...missingCacheControl(response.headers),
              [correlationHeader]: correlationId,
              "x-content-type-options": "nosniff"
            })
          )
        return Effect.flatMap(measure(request, answering), complete).pipe(
          RequestLog.within({ correlationId, route })
        )
      }),
    { global: true }
  )

/** Makes the body bytes: Node would write the headers in the encoding of a text body, which is UTF-8, although headers are Latin-1. */
const asBytes = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  response.body._tag === "Uint8Array"
    ? HttpServerResponse.setBody(response, HttpBody.uint8Array(response.body.body, response.body.contentType))
    : response

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7e) return false
  return true
}

const clip = (path: string): string => clipText(path, 200)

const refuse = <E>(
  cause: Cause.Cause<E>,
  method: string,
  path: string,
  routes: RouteTable,
  correlationId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  // The client is gone: nobody would read an answer, and there is no fault to log.
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error: unknown = Cause.squash(cause)
  if (isRouteNotFound(error)) {
    const methods = routes.methodsAt(path)
    // If the method is allowed, the router found no resource for a parameter of the path, such as a bad escape.
    return Effect.succeed(
      methods.length > 0 && !methods.includes(method)
        ? Answer.problem(new MethodNotAllowed({ method, allowed: methods }))
        : Answer.problem(new ResourceNotFound({ path }))
    )
  }
  if (error instanceof StorageUnavailable || error instanceof IssuerUnavailable) {
    return Answer.respond(error)
  }
  const countFailure = countRefusal("rest", "INTERNAL_ERROR")
  return Effect.as(
    Effect.andThen(countFailure, Effect.logError("Request failed", cause)),
    Answer.problem(new InternalError({ correlationId }))
  )
}

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
