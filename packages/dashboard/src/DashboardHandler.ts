/**
 * The dashboard as one fetch-style handler, with its web sockets, for mounting in another service beside REST and GraphQL.
 *
 * Guarantee: it answers as the bundled server does: pages reach the two interfaces under `/dashboard/api` with the session
 * of their cookie, and a changing request that another site made the browser send is refused. Closing waits for the requests in
 * flight, and later requests are answered 503; the interfaces and the services stay open.
 *
 * ```ts
 * await using rest = await RestHandler.make(dockline.layer, { baseUrl, clients })
 * await using graphql = await GraphqlHandler.make(rest.layer)
 * await using dashboard = await DashboardHandler.make(rest.layer, { baseUrl, interfaces: { rest, graphql } })
 * const server = createServer(getRequestListener((request) => dashboard.handler(request)))
 * server.on("upgrade", dashboard.handleUpgrade)
 * ```
 */
import type { Credentials } from "@dockline/core/access/Authenticator"
import type { BrowserSessions } from "@dockline/core/access/BrowserSessions"
import type { Services } from "@dockline/core/embed/Dockline"
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { isUnder, pathOf, resolvedPathOf, withoutPrefix } from "@dockline/wire/Path"
import * as Problem from "@dockline/wire/Problem"
import { closable, complete } from "@dockline/wire/Refusal"
import type { RawSocket } from "@dockline/wire/Refusal"
import { Context, Effect, Layer, Option, References } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { root } from "./DashboardConfig.ts"
import type { DashboardConfig } from "./DashboardConfig.ts"
import { routes } from "./Routes.ts"
import * as Cookie from "./sign-in/Cookie.ts"
import * as Forwarding from "./sign-in/Forwarding.ts"
import type { UpgradeRequest } from "./sign-in/Forwarding.ts"
import * as Origin from "./sign-in/Origin.ts"

/** The services that the dashboard needs: those of `RestHandler`. */
export type DashboardServices = Services | BrowserSessions | Credentials

/** The sender of a request, as far as the host knows the sender; a `Request` has no such field. */
export interface Peer {
  /** The address of the client, by which failed sign-ins are counted (D10.5). */
  readonly remoteAddress?: string | undefined
}

/** An interface that pages reach, such as `RestHandler`. */
export interface Interface {
  /** Answers a request; also answers every failure. */
  readonly handler: (request: Request, peer?: Peer) => Promise<Response>
}

/** The interfaces that pages reach: `RestHandler`, and `GraphqlHandler` with its sockets. */
export interface Interfaces<Upgrade extends UpgradeRequest, Connection extends RawSocket, Head> {
  readonly rest: Interface
  readonly graphql: Interface & {
    /** The path of the interface, such as `/public_graphql`. */
    readonly path: string
    /** Accepts an upgrade request: an `upgrade` listener. */
    readonly handleUpgrade: (request: Upgrade, socket: Connection, head: Head) => void
  }
}

/** Settings of the dashboard, and the interfaces that its pages reach. */
export interface DashboardOptions<Upgrade extends UpgradeRequest, Connection extends RawSocket, Head>
  extends DashboardConfig
{
  readonly interfaces: Interfaces<Upgrade, Connection, Head>
}

/** The dashboard; disposing of it closes it. */
export interface DashboardHandler<Upgrade, Connection, Head> extends AsyncDisposable {
  /** Answers a request; also answers every failure. */
  readonly handler: (request: Request, peer?: Peer) => Promise<Response>
  /** Whether the path of a request is one of the dashboard, for hosts that have paths of their own. */
  readonly serves: (request: { readonly url?: string | undefined }) => boolean
  /** Accepts upgrade requests of pages, and passes all others to the sockets of GraphQL: one `upgrade` listener for both. */
  readonly handleUpgrade: (request: Upgrade, socket: Connection, head: Head) => void
  /** Waits for the requests in flight, and releases the routes. Sockets end with those of GraphQL. */
  readonly close: () => Promise<void>
}

/**
 * Makes the dashboard over built services. It is mounted under the path of `baseUrl`, as in `https://example.com/dockline`, and also
 * accepts requests from which the host has removed this path.
 */
export const make = async <Upgrade extends UpgradeRequest, Connection extends RawSocket, Head>(
  services: Layer.Layer<DashboardServices>,
  { interfaces, ...config }: DashboardOptions<Upgrade, Connection, Head>
): Promise<DashboardHandler<Upgrade, Connection, Head>> => {
  const { baseUrl } = config
  const cookies = Cookie.make(baseUrl)
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "")
  const web = HttpRouter.toWebHandler(
    routes(config, cookies).pipe(Layer.provide(services), Layer.provide(HttpServer.layerServices)),
    {
      disableLogger: true,
      middleware: (effect) =>
        Effect.flatMap(
          Host,
          (host) =>
            Effect.updateService(effect, HttpServerRequest.HttpServerRequest, (request) =>
              request.modify({
                url: withoutPrefix(request.url, prefix),
                remoteAddress: Option.fromUndefinedOr(host.remoteAddress)
              }))
        )
    }
  )
  const { graphql, rest } = interfaces
  const sockets = Forwarding.sockets(config, cookies, { ...graphql, closeAll: () => Promise.resolve() })

  /** Answers a request of a page by the interface to which it is forwarded. */
  const answerPage = (
    correlationId: string,
    request: Request,
    path: string,
    peer: Peer
  ): Promise<Response> => {
    const url = new URL(request.url)
    const headers = Object.fromEntries(request.headers)
    if (!Origin.isSafe(request.method) && !Origin.isOwn({ host: url.host, ...headers }, baseUrl)) {
      return Promise.resolve(complete(refusal(Forwarding.foreignRefusal(headers, baseUrl)), correlationId))
    }
    const targetUrl = Forwarding.targetOf(`${path}${url.search}`, graphql.path)
    if (targetUrl === undefined) {
      return Promise.resolve(
        complete(refusal(Problem.problemOf(new ResourceNotFound({ path }))), correlationId)
      )
    }
    const target = Forwarding.forward(headers, targetUrl, cookies)
    const { handler } = path === Forwarding.apiGraphqlPath ? graphql : rest
    return handler(
      new Request(new URL(target.url, url), {
        method: request.method,
        headers: target.headers,
        body: request.body,
        signal: request.signal,
        ...(request.body === null ? {} : { duplex: "half" })
      }),
      peer
    )
  }

  const answer = async (correlationId: string, request: Request, peer: Peer = {}): Promise<Response> => {
    const path = withoutPrefix(new URL(request.url).pathname, prefix)
    if (Forwarding.isForwarded(path)) return answerPage(correlationId, request, path, peer)
    const context = Context.make(References.CurrentLogAnnotations, { correlationId })
    return complete(await web.handler(request, Context.add(context, Host, peer)), correlationId)
  }
  const { drain, handler } = closable("problem", answer)
  const close = async (): Promise<void> => {
    await drain()
    await web.dispose()
  }

  return {
    handler,
    serves: ({ url = "/" }) => isUnder(withoutPrefix(resolvedPathOf(url), prefix), root),
    handleUpgrade: (request, socket, head) => {
      const url = withoutPrefix(request.url ?? "", prefix)
      if (pathOf(url) !== sockets.path) return graphql.handleUpgrade(request, socket, head)
      request.url = url
      sockets.handleUpgrade(request, socket, head)
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

const Host = Context.Reference<Peer>("@dockline/dashboard/DashboardHandler/Host", {
  defaultValue: () => ({})
})

const refusal = (details: Problem.Problem): Response =>
  new Response(JSON.stringify(details), {
    status: details.status,
    headers: { "content-type": Problem.mediaType, "cache-control": "no-store" }
  })
