/**
 * Checks the bearer token of a request and the rate limit of its client, before its body is read.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import * as RequestLog from "@dockline/core/internal/values/RequestLog"
import { allowanceOf, rateLimitFields } from "@dockline/core/internal/wire/RateLimitFields"
import { RequestLimits } from "@dockline/core/RequestLimits"
import type { Allowance } from "@dockline/core/RequestLimits"
import { Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import { Authorization, CurrentPrincipal } from "../api/Authorization.ts"

/** Every answer to an authenticated client says how many requests it may still send (D10.5). */
export const layer: Layer.Layer<Authorization, never, Authenticator | RequestLimits> = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const { authenticate } = yield* Authenticator
    const limits = yield* RequestLimits

    const admit = Effect.fnUntraced(function*(authorization: string | undefined) {
      const { principal } = yield* authenticate(authorization)
      yield* RequestLog.add({ clientId: principal.clientId })
      const allowance = yield* limits.take(principal.clientId).pipe(
        Effect.tapError((refused) => tell(allowanceOf(refused)))
      )
      if (allowance !== null) yield* tell(allowance)
      return principal
    })

    return Authorization.of({
      bearer: (handler) =>
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          ({ headers }) =>
            Effect.matchEffect(admit(headers["authorization"]), {
              onFailure: Answer.respond,
              onSuccess: (principal) => Effect.provideService(handler, CurrentPrincipal, principal)
            })
        )
    })
  })
)

/** Adds the allowance to any answer, those of the boundary included. */
const tell = (allowance: Allowance) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, rateLimitFields(allowance)))
  )
