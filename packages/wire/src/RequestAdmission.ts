/**
 * Admits the requests of a client to an interface.
 *
 * Guarantee: each request counts (D10.5), and header fields of its answer, whatever the answer is, say how many requests the client may
 * still send. The `AnswerMemory` of its answer (D12.3) is released when the scope of the request ends.
 */
import type { Principal } from "@dockline/core/access/Access"
import { OpenAnswerMemory, RequestLimits } from "@dockline/core/access/RequestLimits"
import type { Allowance, AnswerMemory } from "@dockline/core/access/RequestLimits"
import type { RateLimited } from "@dockline/core/values/RequestErrors"
import { Context, Effect, Option, Scope } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The header fields of the IETF draft of RateLimit headers for HTTP (D10.5). */
export const rateLimitFields = (
  { limit, windowSeconds, remaining, resetSeconds }: Allowance
): Readonly<Record<string, string>> => ({
  "ratelimit-policy": `"default";q=${limit};w=${windowSeconds}`,
  ratelimit: `"default";r=${remaining};t=${resetSeconds}`
})

/** The allowance of a refused client: no request is left until the seconds of `Retry-After` have passed. */
export const allowanceOf = ({ limit, windowSeconds, retryAfterSeconds }: RateLimited): Allowance => ({
  limit,
  windowSeconds,
  remaining: 0,
  resetSeconds: retryAfterSeconds
})

/** Makes the function that admits requests; each request gets the `AnswerMemory` of its answer. */
export const make = Effect.gen(function*() {
  const limits = yield* RequestLimits
  const openMemory = yield* OpenAnswerMemory
  return (principal: Principal): Effect.Effect<AnswerMemory, RateLimited, Scope.Scope> =>
    Effect.contextWith((context: Context.Context<Scope.Scope>) =>
      Effect.matchEffect(limits.count(principal.clientId), {
        onFailure: (refusal) => {
          addAllowance(context, allowanceOf(refusal))
          return Effect.fail(refusal)
        },
        onSuccess: (allowance) => {
          if (allowance !== undefined) addAllowance(context, allowance)
          const request = Context.getOption(context, HttpServerRequest.HttpServerRequest)
          const { memory, release } = openMemory(principal, Option.getOrUndefined(request)?.source)
          // `Effect.addFinalizer` would copy all services.
          return Effect.as(
            Scope.addFinalizer(Context.get(context, Scope.Scope), Effect.sync(release)),
            memory
          )
        }
      })
    )
})

/** Adds the allowance to the answer, even if the interface does not make the answer itself. */
const addAllowance = (context: Context.Context<never>, allowance: Allowance): void =>
  HttpEffect.appendPreResponseHandlerUnsafe(
    context,
    (_request, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, rateLimitFields(allowance)))
  )
