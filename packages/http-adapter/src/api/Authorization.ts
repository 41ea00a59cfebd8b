/**
 * Declares the bearer token of a request, and the client that it authenticates.
 */
import type { Principal } from "@dockline/core/Access"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"

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
}) {}
