/**
 * Who is asking: the bearer token of a request, checked before anything of its body is read.
 */
import type { Principal } from "@dockline/core/Access"
import { Authenticator } from "@dockline/core/Authenticator"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import * as Problems from "./Problems.ts"

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
  /** Answers 401 (503 while the database or the issuer is away) before the body is read, else provides the principal. */
  static readonly layer: Layer.Layer<Authorization, never, Authenticator> = Layer.effect(
    Authorization,
    Effect.map(Authenticator, ({ authenticate }) =>
      Authorization.of({
        bearer: (handler) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            Effect.matchEffect(authenticate(request.headers["authorization"]), {
              onFailure: Problems.respond,
              onSuccess: ({ principal }) =>
                Effect.provideService(handler, CurrentPrincipal, principal)
            }))
      }))
  )
}
