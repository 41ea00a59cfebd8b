/** Checks the bearer token of a request, and admits it before its parameters and its body are read. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { AnswerRoom, AnswerRooms, Capacity, RequestLimits } from "@dockline/core/access/RequestLimits"
import * as RequestLog from "@dockline/core/values/RequestLog"
import * as RequestAdmission from "@dockline/wire/RequestAdmission"
import { Context, Effect, Layer, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Pages from "../answer/FurtherPages.ts"
import { sentTo } from "../answer/Parameters.ts"
import { Authorization, CurrentPrincipal, FurtherPages } from "../api/Authorization.ts"

export const layer: Layer.Layer<Authorization, never, Authenticator | RequestLimits> = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const { authenticate } = yield* Authenticator
    const admit = yield* RequestAdmission.make
    const pagesOf = Pages.make(yield* RequestLimits, yield* Capacity, yield* AnswerRooms)

    const authorize = (authorization: string | undefined) =>
      Effect.flatMap(authenticate(authorization), ({ principal }) =>
        Effect.withFiber(({ context }) => {
          RequestLog.addUnsafe(context, { clientId: principal.clientId })
          return Effect.map(admit(principal), (room) => ({ principal, room }))
        }))

    return Authorization.of({
      bearer: (handler, { endpoint }) =>
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          ({ headers }) =>
            Effect.matchEffect(authorize(headers["authorization"]), {
              onFailure: Answer.respond,
              onSuccess: ({ principal, room }) =>
                Effect.contextWith((outer: Context.Context<never>) => {
                  const query = HttpServerRequest.ParsedSearchParams
                  const values = sentTo(endpoint, Context.getOrUndefined(outer, query) ?? {})
                  if (Result.isFailure(values)) return Answer.respond(values.failure)
                  // Added one by one: a merge copies the whole context.
                  const inner = outer.pipe(
                    Context.add(CurrentPrincipal, principal),
                    Context.add(FurtherPages, pagesOf(principal)),
                    Context.add(AnswerRoom, room),
                    Context.add(query, values.success)
                  )
                  return Effect.updateContext(handler, () => inner)
                })
            })
        )
    })
  })
)
