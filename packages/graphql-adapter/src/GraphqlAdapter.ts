/**
 * The whole GraphQL interface: its services, its routes and its web sockets.
 *
 * ```ts
 * // a server: `services` are those of core, an `Authenticator`, `RequestLimits` and a `DocumentReader`
 * HttpRouter.serve(GraphqlAdapter.routes(config)).pipe(
 *   Layer.provide(Layer.unwrap(Effect.map(WebSockets, (sockets) => ...server.upgrades.register(sockets)...))),
 *   Layer.provide(GraphqlAdapter.layer(config)),
 *   Layer.provide(services)
 * )
 * ```
 */
import { Keeping } from "@dockline/core/access/Idempotency"
import { pathOf } from "@dockline/wire/Path"
import { SitePages } from "@dockline/wire/SitePages"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { GraphqlEngine } from "./engine/Engine.ts"
import * as Graphiql from "./graphiql/Graphiql.ts"
import { defaultGraphqlConfig } from "./GraphqlConfig.ts"
import type { GraphqlConfig } from "./GraphqlConfig.ts"
import * as HttpHandler from "./http/HttpHandler.ts"
import { Sessions } from "./live/Sessions.ts"
import { Subscriptions } from "./live/Subscriptions.ts"
import type { GraphqlPart } from "./schema/Schema.ts"
import { WebSockets } from "./socket/WebSockets.ts"

/**
 * The services of the interface over those of core: execution, sessions, subscriptions and web sockets. `parts` are the schemas of
 * capabilities; the same limits hold for them.
 */
export const layer = (
  config: GraphqlConfig = defaultGraphqlConfig,
  parts: ReadonlyArray<GraphqlPart> = []
) =>
  WebSockets.layer(config).pipe(
    Layer.provideMerge(Layer.mergeAll(Sessions.layer(config.live), Subscriptions.layer)),
    Layer.provideMerge(GraphqlEngine.layer(config, parts))
  )

/**
 * The routes over HTTP: the path with all methods, and the schema and the files of GraphiQL under it; the paths of the schemas of
 * capabilities.
 */
export const routes = (config: GraphqlConfig = defaultGraphqlConfig) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const handle = yield* HttpHandler.make(config)
    const { parts, schema } = yield* GraphqlEngine
    const graphiql = Graphiql.make(config, schema, yield* SitePages)
    // A router also accepts other spellings of a path. The interface has a single spelling, and the page has one more (`Path` of wire).
    yield* router.add("*", config.path, (request) => {
      const path = pathOf(request.url)
      const page = path === config.path || path === `${config.path}/` ? graphiql.page(request) : undefined
      return page ?? (path === config.path ? handle(request) : HttpHandler.notFound(request))
    })
    for (const { path } of parts) {
      const handlePart = yield* HttpHandler.make({ ...config, path })
      yield* router.add(
        "*",
        path,
        (request) => pathOf(request.url) === path ? handlePart(request) : HttpHandler.notFound(request)
      )
    }
    yield* router.add("GET", `${config.path}/graphiql/*`, (request) => graphiql.file(request))
    yield* router.add("GET", `${config.path}/schema.graphql`, (request) => graphiql.schema(request))
  })).pipe(Layer.provide(Keeping.layer))
