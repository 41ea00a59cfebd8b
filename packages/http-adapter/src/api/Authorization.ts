/** Declares the middleware that checks the bearer token of a request, and the client that the token authenticates. */
import type { Principal } from "@dockline/core/access/Access"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Context } from "effect"
import type { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"

/** The authenticated client of the request, as the handlers of secured endpoints see it. */
export class CurrentPrincipal
  extends Context.Service<CurrentPrincipal, Principal>()("@dockline/http-adapter/CurrentPrincipal")
{}

/** Reads the pages of a long answer to the client after the first (`answer/FurtherPages`). */
export class FurtherPages extends Context.Service<FurtherPages, {
  /** Reads a page as a request of its client, in its turn. */
  readonly read: <A, E, R>(page: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
}>()("@dockline/http-adapter/FurtherPages") {}

/** The middleware of every endpoint that needs a bearer token. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, {
  provides: CurrentPrincipal | FurtherPages
}>()("@dockline/http-adapter/Authorization", {
  security: {
    bearer: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The access token of POST /oauth/token")
    )
  }
}) {}
