/**
 * The dashboard: the pages that messages link to, for browsers, as routes of a server (D14).
 *
 * Guarantee: it has no tables and no rules of its own. Pages read through the public interfaces with the rights of the person or client who
 * signed in, and no token reaches a script.
 *
 * ```ts
 * // `interfaces` are the routes of REST and GraphQL, whose `Authenticator` is `Dashboard.authenticator`
 * HttpRouter.serve(Dashboard.layer(config).pipe(Layer.provideMerge(interfaces)))
 * server.upgrades.register(Dashboard.sockets(config, webSockets))
 * ```
 */
import { BrowserSessions } from "@dockline/core/access/BrowserSessions"
import { pathOf, PathSpelling } from "@dockline/wire/Path"
import type { RawSocket } from "@dockline/wire/Refusal"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { DashboardConfig } from "./DashboardConfig.ts"
import { notFound, problem, routes } from "./Routes.ts"
import * as Cookie from "./sign-in/Cookie.ts"
import type { Cookies } from "./sign-in/Cookie.ts"
import * as Forwarding from "./sign-in/Forwarding.ts"
import type { Sockets, UpgradeRequest } from "./sign-in/Forwarding.ts"
import * as Origin from "./sign-in/Origin.ts"
import * as Provider from "./sign-in/Provider.ts"

export type { DashboardConfig, DemoClient, ProviderConfig } from "./DashboardConfig.ts"

/**
 * The authenticator of the interfaces that pages reach: by session, or otherwise by the given authenticator. It includes the sessions that
 * the routes need.
 */
export const authenticator = BrowserSessions.authenticator.pipe(Layer.provideMerge(BrowserSessions.layer))

/** Whether an issuer's address is safe: by https, or by http on the same machine. */
export const isSafeIssuer = Provider.isSafeIssuer

/** The sockets of pages, which pass connections on to the sockets of GraphQL; register them at a server. */
export const sockets = <Upgrade extends UpgradeRequest, Connection extends RawSocket, Head>(
  config: DashboardConfig,
  graphql: Sockets<Upgrade, Connection, Head>
) => Forwarding.sockets(config, Cookie.make(config.baseUrl), graphql)

/**
 * Makes the function that rewrites a request to the form by which a server counts it, before any route: a request of a page counts by the
 * session of its cookie, even if it has a token, and by the path to which it is forwarded.
 */
export const countedForm = ({ baseUrl }: DashboardConfig) => {
  const cookies = Cookie.make(baseUrl)
  return <Headers extends Readonly<Record<string, unknown>>>(request: Forwarding.RequestHead<Headers>) =>
    Forwarding.countedForm(request, cookies)
}

/** The routes of the dashboard. Build them after the routes of the interfaces, which log every request. */
export const layer = (config: DashboardConfig) => {
  const cookies = Cookie.make(config.baseUrl)
  return Layer.mergeAll(forwarding(config, cookies), routes(config, cookies))
}

/** Gives the requests of pages the addresses and the rights that the interfaces expect. */
const forwarding = ({ baseUrl }: DashboardConfig, cookies: Cookies) =>
  HttpRouter.middleware(
    Effect.map(
      PathSpelling,
      ({ isMisspelt }) => <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          if (!Forwarding.isForwarded(request.url)) return handler
          const target = Forwarding.targetOf(request.url)
          if (target === undefined || isMisspelt(pathOf(target))) return Effect.succeed(notFound(request))
          return Origin.isSafe(request.method) || Origin.isOwn(request.headers, baseUrl)
            ? Effect.provideService(
              handler,
              HttpServerRequest.HttpServerRequest,
              request.modify(Forwarding.forward(request.headers, target, cookies))
            )
            : Effect.succeed(problem(Forwarding.foreignRefusal(request.headers, baseUrl)))
        })
    ),
    { global: true }
  )
