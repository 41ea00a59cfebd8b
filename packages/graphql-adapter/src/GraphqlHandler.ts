/**
 * The GraphQL interface as one fetch-style handler over built services, with its web sockets, for mounting in another
 * service.
 *
 * Guarantee: it answers as the server does, including uploads and event streams. Abandoning a request ends its subscription; a query or a
 * mutation that has begun is completed. Closing waits for the requests in flight, and ends event streams and sockets as a stopping server
 * does; later requests are answered 503. The services stay open: their opener closes them.
 *
 * ```ts
 * await using rest = await RestHandler.make(dockline.layer)
 * await using graphql = await GraphqlHandler.make(rest.layer)
 * const server = createServer(getRequestListener((request) => graphql.handler(request)))
 * server.on("upgrade", graphql.handleUpgrade)
 * ```
 */
import type { Authenticator } from "@dockline/core/access/Authenticator"
import type { RequestLimits } from "@dockline/core/access/RequestLimits"
import type { DocumentReader } from "@dockline/core/document/DocumentReader"
import type { Services } from "@dockline/core/embed/Dockline"
import { withDefaults } from "@dockline/core/values/Defaults"
import { isUnder, resolvedPathOf } from "@dockline/wire/Path"
import { closable, complete } from "@dockline/wire/Refusal"
import { Context, Effect, Exit, Layer, References, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as GraphqlAdapter from "./GraphqlAdapter.ts"
import { defaultGraphqlConfig } from "./GraphqlConfig.ts"
import type { GraphqlConfig } from "./GraphqlConfig.ts"
import type { GraphqlPart } from "./schema/Schema.ts"
import { WebSockets } from "./socket/WebSockets.ts"

/** The services that the interface needs. */
export type GraphqlServices = Services | Authenticator | RequestLimits | DocumentReader

/** The interface; disposing of it closes it. Schemas of capabilities have paths of their own, which its options name. */
export interface GraphqlHandler
  extends
    AsyncDisposable,
    Pick<typeof WebSockets.Service, "path" | "handleUpgrade" | "handleConnection" | "closeAll">
{
  /** Answers a request; also answers every failure. */
  readonly handler: (request: Request) => Promise<Response>
  /** Whether the path of a request belongs to this interface, for hosts with other paths. */
  readonly serves: (request: { readonly url?: string | undefined }) => boolean
  /** Waits for the requests in flight, closes all sockets and event streams, and releases the routes. */
  readonly close: () => Promise<void>
}

/** Settings, and the schemas of capabilities. */
export interface Options extends Partial<GraphqlConfig> {
  readonly parts?: ReadonlyArray<GraphqlPart>
}

/** Makes the interface over built services; absent settings have the defaults of `GraphqlConfig.ts`. */
export const make = async (
  services: Layer.Layer<GraphqlServices>,
  { parts, ...options }: Options = {}
): Promise<GraphqlHandler> => {
  const config = withDefaults(defaultGraphqlConfig, options)
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(
    Layer.buildWithScope(GraphqlAdapter.layer(config, parts).pipe(Layer.provideMerge(services)), scope)
  )
  const sockets = Context.get(context, WebSockets)
  const web = HttpRouter.toWebHandler(
    GraphqlAdapter.routes(config).pipe(
      Layer.provide(Layer.succeedContext(context)),
      Layer.provide(HttpServer.layerServices)
    ),
    { disableLogger: true }
  )

  const { drain, handler } = closable(
    "graphql",
    async (correlationId, request: Request): Promise<Response> => {
      const annotations = Context.add(context, References.CurrentLogAnnotations, { correlationId })
      return complete(await web.handler(request, annotations), correlationId)
    }
  )
  const close = async (): Promise<void> => {
    await drain()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await web.dispose()
  }

  return {
    handler,
    serves: ({ url = "/" }) =>
      [config.path, ...sockets.otherPaths].some((path) => isUnder(resolvedPathOf(url), path)),
    path: config.path,
    handleUpgrade: sockets.handleUpgrade,
    handleConnection: sockets.handleConnection,
    closeAll: sockets.closeAll,
    close,
    [Symbol.asyncDispose]: close
  }
}
