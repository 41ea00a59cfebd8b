/** Checks the bearer token of a request, and admits the request before its parameters and its body are read. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { AnswerRoom, AnswerRooms, Capacity, RequestLimits } from "@dockline/core/access/RequestLimits"
import * as RequestLog from "@dockline/core/values/RequestLog"
import * as RequestAdmission from "@dockline/wire/RequestAdmission"
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Pages from "../answer/FurtherPages.ts"
import { CurrentPrincipal, FurtherPages } from "../api/Authorization.ts"

/** Makes the check. The wrapped effect then answers the request for the client that the token authenticates. */
export const make = Effect.gen(function*() {
  const { authenticate } = yield* Authenticator
  const admit = yield* RequestAdmission.make
  const pagesOf = Pages.make(yield* RequestLimits, yield* Capacity, yield* AnswerRooms)

  const authorize = (authorization: string | undefined) =>
    Effect.flatMap(authenticate(authorization), ({ principal }) =>
      Effect.withFiber(({ context }) => {
        RequestLog.addUnsafe(context, { clientId: principal.clientId })
        return Effect.map(admit(principal), (room) => ({ principal, room }))
      }))

  return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) =>
        Effect.matchEffect(authorize(headers["authorization"]), {
          onFailure: Answer.respond,
          onSuccess: ({ principal, room }) =>
            Effect.updateContext(
              handler,
              // Services are added one by one, because a merge would copy the whole context.
              (outer: Context.Context<Exclude<R, CurrentPrincipal | FurtherPages>>) =>
                outer.pipe(
                  Context.add(CurrentPrincipal, principal),
                  Context.add(FurtherPages, pagesOf(principal)),
                  Context.add(AnswerRoom, room)
                ) as Context.Context<R>
            )
        })
    )
})
