/**
 * The dashboard: the pages that messages link to, for browsers, as routes of a server (D14).
 *
 * Guarantee: it has no tables and no rules of its own. Pages read through the public interfaces with the rights of who
 * has signed in, and no token reaches a script.
 *
 * ```ts
 * // `interfaces` are the routes of REST and GraphQL, whose `Authenticator` is `Dashboard.authenticator`
 * HttpRouter.serve(Dashboard.layer(config).pipe(Layer.provideMerge(interfaces)))
 * server.upgrades.register(Dashboard.sockets(config, webSockets))
 * ```
 */
import { BrowserSessions } from "@dockline/core/access/BrowserSessions"
import { KnownPaths } from "@dockline/wire/KnownPaths"
import { pathOf } from "@dockline/wire/Path"
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

export type { DashboardConfig, OfferedClient, ProviderConfig } from "./DashboardConfig.ts"

/**
 * The authenticator of the interfaces that pages reach: by session, and otherwise as the given one does. It brings the
 * sessions that the routes need.
 */
export const authenticator = BrowserSessions.authenticator.pipe(Layer.provideMerge(BrowserSessions.layer))

/** Whether an issuer may be asked: by https, or by http on the machine itself. */
export const isSafeIssuer = Provider.isSafeIssuer

/** The sockets of pages over those of GraphQL, to register at a server. */
export const sockets = <Upgrade extends UpgradeRequest, Connection extends RawSocket, Head>(
  config: DashboardConfig,
  graphql: Sockets<Upgrade, Connection, Head>
) => Forwarding.sockets(config, Cookie.make(config.baseUrl), graphql)

/**
 * Requests as a server counts them, before any route: those of pages by the session of their cookie, whatever token they
 * bring, and by the path that they are led to.
 */
export const asked = ({ baseUrl }: DashboardConfig) => {
  const cookies = Cookie.make(baseUrl)
  return <Headers extends Readonly<Record<string, unknown>>>(request: Forwarding.Forwarded<Headers>) =>
    Forwarding.asked(request, cookies)
}

/** The routes of the dashboard, over those of the interfaces: build them after these, which write down every request. */
export const layer = (config: DashboardConfig) => {
  const cookies = Cookie.make(config.baseUrl)
  return Layer.mergeAll(forwarding(config, cookies), routes(config, cookies))
}

/** Gives the requests of pages the addresses and the rights with which the interfaces take them. */
const forwarding = ({ baseUrl }: DashboardConfig, cookies: Cookies) =>
  HttpRouter.middleware(
    Effect.map(
      KnownPaths,
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
            : Effect.succeed(problem(Forwarding.foreign(request.headers, baseUrl)))
        })
    ),
    { global: true }
  )
