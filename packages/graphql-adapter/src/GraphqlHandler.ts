/**
 * The GraphQL interface as one fetch-style handler over built services, with its web sockets, for mounting in another
 * service.
 *
 * Guarantee: what the bundled server answers is what this answers, uploads and event streams included; abandoning a
 * request ends the work for it, a subscription too; disposing waits for the requests in flight, ends event streams and
 * sockets as a stopping server does, and whatever comes later is answered 503.
 * The services stay open: they belong to whoever opened them.
 *
 * ```ts
 * await using rest = await RestHandler.make(dockline.layer)
 * await using graphql = await GraphqlHandler.make(rest.layer)
 * const server = createServer(getRequestListener((request) => graphql.handler(request)))
 * graphql.attach(server)
 * ```
 */
import type { Authenticator } from "@dockline/core/Authenticator"
import { withDefaults } from "@dockline/core/Defaults"
import type { Services } from "@dockline/core/DocklineApi"
import type { DocumentReader } from "@dockline/core/DocumentReader"
import { Stopping } from "@dockline/core/Errors"
import { graphqlResultType } from "@dockline/core/internal/Accept"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import { isUnder, resolvedPathOf } from "@dockline/core/internal/Path"
import { graphqlRefusalOf, headersOf } from "@dockline/core/internal/Problem"
import type { RequestLimits } from "@dockline/core/RequestLimits"
import { Context, Effect, Exit, Layer, References, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { Server } from "node:http"
import * as GraphqlAdapter from "./GraphqlAdapter.ts"
import { defaultGraphqlConfig } from "./GraphqlConfig.ts"
import type { GraphqlConfig } from "./GraphqlConfig.ts"
import { WebSockets } from "./socket/WebSockets.ts"

/** What the interface is made from. */
export type GraphqlServices = Services | Authenticator | RequestLimits | DocumentReader

/** The interface, and the end of what it holds. */
export interface GraphqlHandler extends AsyncDisposable {
  /** Answers a request; every failure is an answer too. */
  readonly handler: (request: Request) => Promise<Response>
  /** Whether the path of a request is one of this interface, for hosts that have paths of their own. */
  readonly serves: (request: { readonly url?: string | undefined }) => boolean
  /**
   * Takes the upgrades of the path on a server, and leaves all others to whoever listens for them. All sockets and event
   * streams are closed as the server closes. Returns a function that takes none any more, and closes those there are.
   */
  readonly attach: (server: Server) => () => Promise<void>
  /** Takes an upgrade request, for an `upgrade` listener of one's own. */
  readonly handleUpgrade: (typeof WebSockets)["Service"]["handleUpgrade"]
  /** Takes a socket that a `ws` server has opened, whose `handleProtocols` chose `graphql-transport-ws`. */
  readonly handleConnection: (typeof WebSockets)["Service"]["handleConnection"]
  /** Waits for the requests in flight, closes all sockets and event streams, and releases what the routes hold. */
  readonly dispose: () => Promise<void>
}

/** Makes the interface over built services. Whatever is not given of the settings is as in `GraphqlConfig.ts`. */
export const make = async (
  services: Layer.Layer<GraphqlServices>,
  options: Partial<GraphqlConfig> = {}
): Promise<GraphqlHandler> => {
  const config = withDefaults(defaultGraphqlConfig, options)
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(
    Layer.buildWithScope(GraphqlAdapter.layer(config).pipe(Layer.provideMerge(services)), scope)
  )
  const sockets = Context.get(context, WebSockets)
  const web = HttpRouter.toWebHandler(
    GraphqlAdapter.routes(config).pipe(
      Layer.provide(Layer.succeedContext(context)),
      Layer.provide(HttpServer.layerServices)
    ),
    { disableLogger: true }
  )

  const inFlight = new Set<Promise<Response>>()
  let isDisposed = false

  const handler = async (request: Request): Promise<Response> => {
    const correlationId = correlationIdOf(request.headers.get(correlationHeader))
    if (isDisposed) return stopped(request.headers.get("accept"), correlationId)
    const annotations = Context.add(context, References.CurrentLogAnnotations, { correlationId })
    const answer = web.handler(request, annotations)
    inFlight.add(answer)
    try {
      const response = await answer
      response.headers.set(correlationHeader, correlationId)
      // The connection is the host's to keep or to close.
      response.headers.delete("connection")
      return response
    } finally {
      inFlight.delete(answer)
    }
  }

  const attach = (server: Server): () => Promise<void> => {
    if (isDisposed) throw new Error("The GraphQL interface is disposed; make another one to attach")
    const attached = Scope.forkUnsafe(scope)
    Effect.runSync(Scope.provide(sockets.attach(server), attached))
    return () => Effect.runPromise(Scope.close(attached, Exit.void))
  }

  const dispose = async (): Promise<void> => {
    isDisposed = true
    await Promise.allSettled(inFlight)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await web.dispose()
  }

  return {
    handler,
    serves: ({ url = "/" }) => isUnder(resolvedPathOf(url), config.path),
    attach,
    handleUpgrade: sockets.handleUpgrade,
    handleConnection: sockets.handleConnection,
    dispose,
    [Symbol.asyncDispose]: dispose
  }
}

const stopped = (accept: string | null, correlationId: string): Response => {
  const error = new Stopping()
  return new Response(graphqlRefusalOf(error), {
    status: 503,
    headers: {
      ...headersOf(error),
      "content-type": `${graphqlResultType(accept ?? undefined)}; charset=utf-8`,
      [correlationHeader]: correlationId
    }
  })
}
