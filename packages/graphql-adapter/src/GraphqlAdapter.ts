/**
 * The whole GraphQL interface: its services, its routes and its web sockets.
 *
 * ```ts
 * // a server: `services` are those of core, an `Authenticator`, `RequestLimits` and a `DocumentReader`
 * HttpRouter.serve(GraphqlAdapter.routes(config)).pipe(
 *   Layer.provide(Layer.unwrap(Effect.map(WebSockets, (sockets) => ...sockets.attach(server)...))),
 *   Layer.provide(GraphqlAdapter.layer(config)),
 *   Layer.provide(services)
 * )
 * ```
 */
import { Layer } from "effect"
import { GraphqlEngine } from "./engine/Engine.ts"
import { defaultGraphqlConfig } from "./GraphqlConfig.ts"
import type { GraphqlConfig } from "./GraphqlConfig.ts"
import * as GraphqlHttp from "./http/GraphqlHttp.ts"
import { Sessions } from "./live/Sessions.ts"
import { Subscriptions } from "./live/Subscriptions.ts"
import { WebSockets } from "./socket/WebSockets.ts"
import { EventStreams } from "./sse/Sse.ts"

/** The services of the interface over those of core: execution, sessions, subscriptions, web sockets,
 * event streams. */
export const layer = (config: GraphqlConfig = defaultGraphqlConfig) =>
  Layer.mergeAll(WebSockets.layer(config), EventStreams.layer(config.live)).pipe(
    Layer.provideMerge(Layer.mergeAll(Sessions.layer(config.live), Subscriptions.layer)),
    Layer.provideMerge(GraphqlEngine.layer(config))
  )

/** The routes over HTTP. */
export const routes = (config: GraphqlConfig = defaultGraphqlConfig) => GraphqlHttp.layer(config)
