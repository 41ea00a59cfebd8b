/**
 * Admits the requests of a client to an interface.
 *
 * Guarantee: each request counts (D10.5), and whatever answer it gets says in its header fields how many the client may still send. Its
 * answer has a room (D12.3) until it has been taken, or its client is gone.
 */
import type { Principal } from "@dockline/core/access/Access"
import { AnswerRooms, RequestLimits } from "@dockline/core/access/RequestLimits"
import type { Allowance, Room } from "@dockline/core/access/RequestLimits"
import type { RateLimited } from "@dockline/core/values/RequestErrors"
import { Context, Effect, Option, Scope } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The fields of the IETF draft of RateLimit headers for HTTP (D10.5). */
export const rateLimitFields = (
  { limit, windowSeconds, remaining, resetSeconds }: Allowance
): Readonly<Record<string, string>> => ({
  "ratelimit-policy": `"default";q=${limit};w=${windowSeconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`
})

/** The allowance of a refused client: nothing is left before the seconds of `Retry-After` have passed. */
export const allowanceOf = ({ limit, windowSeconds, retryAfterSeconds }: RateLimited): Allowance => ({
  limit,
  windowSeconds,
  remaining: 0,
  resetSeconds: retryAfterSeconds
})

/** Makes the admission; each request gets the room of its answer. */
export const make = Effect.gen(function*() {
  const limits = yield* RequestLimits
  const openRoom = yield* AnswerRooms
  return (principal: Principal): Effect.Effect<Room, RateLimited, Scope.Scope> =>
    Effect.contextWith((context: Context.Context<Scope.Scope>) =>
      Effect.matchEffect(limits.take(principal.clientId), {
        onFailure: (refusal) => {
          tell(context, allowanceOf(refusal))
          return Effect.fail(refusal)
        },
        onSuccess: (allowance) => {
          if (allowance !== undefined) tell(context, allowance)
          const request = Context.getOption(context, HttpServerRequest.HttpServerRequest)
          const { release, room } = openRoom(principal, Option.getOrUndefined(request)?.source)
          // `Effect.addFinalizer` would copy all services for it.
          return Effect.as(Scope.addFinalizer(Context.get(context, Scope.Scope), Effect.sync(release)), room)
        }
      })
    )
})

/** Adds the allowance to any answer, also to one that the interface does not make itself. */
const tell = (context: Context.Context<never>, allowance: Allowance): void =>
  HttpEffect.appendPreResponseHandlerUnsafe(
    context,
    (_request, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, rateLimitFields(allowance)))
  )
