/** Measures how long requests take, by class of status and by the pattern that the router matched. */
import * as Metrics from "@dockline/core/internal/values/Metrics"
import { Clock, Context, Effect, Exit } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

const methods: ReadonlyArray<string> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** The class of the status, or `gone` where the client went away first. */
const results: ReadonlyArray<string> = ["1xx", "2xx", "3xx", "4xx", "5xx", "gone"]

const durations = Metrics.histogram(
  "dockline_http_request_duration_seconds",
  "How long requests took until their answer began, by method, pattern of the route and class of the status",
  [["method", methods], ["route", "chosen"], ["status", results]]
)

const inFlight = Metrics.gauge("dockline_http_requests_in_flight", "Requests that are being answered", [])

/** Wraps the router, inside everything that adds context. */
export const measured = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  answering: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.withFiber((fiber) => {
    const { context } = fiber
    const clock = fiber.getRef(Clock.Clock)
    const begun = clock.monotonicTimeNanosUnsafe()
    const running = inFlight.of()
    running.modifyUnsafe(1, context)
    return Effect.onExitPrimitive(answering, (exit) => {
      running.modifyUnsafe(-1, context)
      // The router puts the route into the context of the fiber.
      const matched = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)
      const result = Exit.isSuccess(exit) ? `${Math.floor(exit.value.status / 100)}xx` : "gone"
      durations.of(request.method, matched?.route.path ?? "none", result)
        .updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9, context)
      return undefined
    })
  })
