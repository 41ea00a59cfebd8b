/**
 * Checks the bearer token of a request and the rate limit of its client, before its body is read, and opens the room of its
 * answer.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import * as RequestLog from "@dockline/core/internal/values/RequestLog"
import { AnswerRoom, AnswerRooms, Capacity, RequestLimits } from "@dockline/core/RequestLimits"
import type { Allowance } from "@dockline/core/RequestLimits"
import { allowanceOf, rateLimitFields } from "@dockline/wire/internal/RateLimitFields"
import { Context, Effect, Layer, Scope } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Pages from "../answer/FurtherPages.ts"
import { Authorization, CurrentPrincipal, FurtherPages } from "../api/Authorization.ts"

/** Every answer to an authenticated client says how many requests it may still send (D10.5). */
export const layer: Layer.Layer<Authorization, never, Authenticator | RequestLimits> = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const { authenticate } = yield* Authenticator
    const limits = yield* RequestLimits
    const openRoom = yield* AnswerRooms
    const pagesOf = Pages.make(limits, yield* Capacity, openRoom)

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
              if (allowance !== undefined) tell(context, allowance)
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
              onSuccess: (principal) =>
                Effect.flatMap(Effect.scope, (scope) => {
                  const { release, room } = openRoom(principal.clientId)
                  // The scope of a request ends when its answer has been taken, or its client is gone.
                  return Effect.andThen(
                    Scope.addFinalizer(scope, Effect.sync(release)),
                    Effect.updateContext(handler, (given: Context.Context<never>) =>
                      Context.add(given, CurrentPrincipal, principal).pipe(
                        Context.add(FurtherPages, pagesOf(principal.clientId)),
                        Context.add(AnswerRoom, room)
                      ))
                  )
                })
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
