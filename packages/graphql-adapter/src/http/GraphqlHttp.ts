/**
 * The GraphQL interface as routes, for a server or as a fetch-style handler.
 *
 * ```ts
 * // a server
 * HttpRouter.serve(GraphqlHttp.layer(config)).pipe(Layer.provide(GraphqlEngine.layer(config)), ...)
 * // inside another service
 * const { handler } = HttpRouter.toWebHandler(GraphqlHttp.layer(config).pipe(Layer.provide(services)))
 * const response = await handler(new Request("http://localhost/public_graphql", { method: "POST", ... }))
 * ```
 */
import { pathOf } from "@dockline/core/internal/Path"
import { notFound } from "@dockline/core/internal/Problem"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import * as Graphiql from "../graphiql/Graphiql.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import * as HttpHandler from "./HttpHandler.ts"
import * as HttpProblems from "./HttpProblems.ts"

/** The path with all methods, and the files of GraphiQL under it. */
export const layer = (config: GraphqlConfig) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const handle = yield* HttpHandler.make(config)
    const graphiql = yield* Graphiql.make(config)
    // A router takes the path in other spellings too; here it has one, and the page one more (core's `Path`).
    yield* router.add("*", config.path, (request) => {
      const path = pathOf(request.url)
      const page = path === config.path || path === `${config.path}/` ? graphiql.page(request) : undefined
      return page ??
        (path === config.path ? handle(request) : Effect.succeed(HttpProblems.respond(notFound(path))))
    })
    yield* router.add("GET", `${config.path}/graphiql/*`, (request) => graphiql.file(request))
  }))
