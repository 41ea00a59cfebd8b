/**
 * Who is asking: the bearer token of a request, and whether its client may send another one now, checked before
 * anything of its body is read.
 */
import type { Principal } from "@dockline/core/Access"
import { Authenticator } from "@dockline/core/Authenticator"
import { allowanceOf, rateLimitFields } from "@dockline/core/internal/RateLimitFields"
import { RequestLimits } from "@dockline/core/RequestLimits"
import type { Allowance } from "@dockline/core/RequestLimits"
import * as RequestLog from "@dockline/core/RequestLog"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import * as Problems from "../answer/Problems.ts"

/** The authenticated client of the request, as the handlers of secured endpoints see it. */
export class CurrentPrincipal
  extends Context.Service<CurrentPrincipal, Principal>()("@dockline/http-adapter/CurrentPrincipal")
{}

/** The middleware of every endpoint that needs a bearer token. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, {
  provides: CurrentPrincipal
}>()("@dockline/http-adapter/Authorization", {
  security: {
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The access token of POST /oauth/token")
    )
  }
}) {
  /**
   * Answers 401, 429, or 503 while the database or the issuer is away, before the body is read, else provides the
   * principal. Every answer to an authenticated client says what it may still send (D10.5).
   */
  static readonly layer: Layer.Layer<Authorization, never, Authenticator | RequestLimits> = Layer.effect(
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
                onFailure: Problems.respond,
                onSuccess: (principal) => Effect.provideService(handler, CurrentPrincipal, principal)
              })
          )
      })
    })
  )
}

/** Whatever becomes of the request, the boundary's own answers included, it is told. */
const tell = (allowance: Allowance) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, rateLimitFields(allowance)))
  )
