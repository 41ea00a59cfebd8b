/**
 * Checks the bearer token of a request and the rate limit of its client, before its body is read.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import * as RequestLog from "@dockline/core/internal/values/RequestLog"
import { allowanceOf, rateLimitFields } from "@dockline/core/internal/wire/RateLimitFields"
import { RequestLimits } from "@dockline/core/RequestLimits"
import type { Allowance } from "@dockline/core/RequestLimits"
import { Effect, Layer } from "effect"
import type { Context } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import { Authorization, CurrentPrincipal } from "../api/Authorization.ts"

/** Every answer to an authenticated client says how many requests it may still send (D10.5). */
export const layer: Layer.Layer<Authorization, never, Authenticator | RequestLimits> = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const { authenticate } = yield* Authenticator
    const limits = yield* RequestLimits

    const admit = (authorization: string | undefined) =>
      Effect.flatMap(authenticate(authorization), ({ principal }) =>
        Effect.withFiber(({ context }) => {
          RequestLog.addUnsafe(context, { clientId: principal.clientId })
          return Effect.matchEffect(limits.take(principal.clientId), {
            onFailure: (refused) => {
              tell(context, allowanceOf(refused))
              return Effect.fail(refused)
            },
            onSuccess: (allowance) => {
              if (allowance !== null) tell(context, allowance)
              return Effect.succeed(principal)
            }
          })
        }))

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
const tell = (context: Context.Context<never>, allowance: Allowance): void =>
  HttpEffect.appendPreResponseHandlerUnsafe(
    context,
    (_request, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, rateLimitFields(allowance)))
  )
