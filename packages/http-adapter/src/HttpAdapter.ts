/**
 * The whole REST interface as one layer of routes; `RestHandler.ts` makes a fetch-style handler of it.
 *
 * ```ts
 * HttpRouter.serve(HttpAdapter.layer(config, parts)).pipe(Layer.provide(stores), Layer.provide(NodeHttpServer.layer(...)))
 * ```
 */
import { Keeping } from "@dockline/core/access/Idempotency"
import { Readiness } from "@dockline/core/access/Readiness"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { KnownPaths } from "@dockline/wire/KnownPaths"
import { pathOf } from "@dockline/wire/Path"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Answer from "./answer/Answer.ts"
import * as Boundary from "./answer/Boundary.ts"
import * as RouteTable from "./answer/RouteTable.ts"
import { Api, ApiWithoutTokens, withCapabilities } from "./api/Api.ts"
import { withParts } from "./api/Parts.ts"
import type { RestCapability, RestPart } from "./api/Parts.ts"
import * as DeclaredAnswers from "./handlers/DeclaredAnswers.ts"
import * as MetricsPage from "./handlers/MetricsPage.ts"
import * as RequestAuthorization from "./handlers/RequestAuthorization.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import * as ReferenceRoutes from "./reference/ReferenceRoutes.ts"
import * as SiteFiles from "./reference/SiteFiles.ts"
import { TokenEndpoint } from "./tokens/TokenEndpoint.ts"
import { Tokens } from "./tokens/Tokens.ts"

const answer = <A, E extends CatalogueError, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.map((value) => HttpServerResponse.jsonUnsafe(value)), Effect.catch(Answer.respond))

const tokens = HttpApiBuilder.group(
  Api,
  "tokens",
  (handlers) =>
    Effect.map(
      TokenEndpoint,
      ({ handle }) => handlers.handleRaw("requestToken", ({ request }) => handle(request))
    )
)

const keys = HttpApiBuilder.group(Api, "keys", (handlers) =>
  Effect.map(Tokens, ({ jwks, metadata }) => {
    const describe = ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
      metadata === undefined
        ? Effect.succeed(Answer.problem(new ResourceNotFound({ path: pathOf(request.url) })))
        : answer(Effect.succeed(metadata))
    return handlers
      .handleRaw("describeAuthorizationServer", describe)
      .handleRaw("describeOpenIdProvider", describe)
      .handle("listKeys", () => answer(jwks))
  }))

const webhookKeys = HttpApiBuilder.group(
  Api,
  "webhook-keys",
  (handlers) =>
    Effect.map(
      SecretsVault,
      ({ webhookKeys }) =>
        handlers.handle("readWebhookKeys", ({ query: { business } }) =>
          Effect.succeed({
            keys: webhookKeys(business).map(({ id, publicKey }) => ({
              kty: "OKP" as const,
              crv: "Ed25519" as const,
              kid: id,
              use: "sig" as const,
              alg: "EdDSA" as const,
              x: Buffer.from(publicKey, "base64").toString("base64url"),
              publicKey: `whpk_${publicKey}`
            }))
          }))
    )
)

const health = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "health",
    Effect.fnUntraced(function*(handlers) {
      const ready = yield* Readiness
      const metrics = yield* MetricsPage.makeHandler(config)
      return handlers
        .handle("healthz", () => Effect.succeed({ status: "ok" as const }))
        .handle("readyz", () =>
          answer(Effect.map(ready, (warnings) => ({
            status: "ok",
            ...(warnings.length === 0 ? {} : { warnings })
          }))))
        .handleRaw("metrics", ({ request }) => metrics(request))
    })
  )

/** The groups of every interface. */
const groups = (config: HttpConfig, capabilities: ReadonlyArray<RestCapability>) =>
  Layer.mergeAll(DeclaredAnswers.layer(config, capabilities), webhookKeys, health(config)).pipe(
    Layer.provide(Keeping.layer)
  )

/** The routes of an API, with the contracts and the files of a site beside them. */
const serve = <R>(
  api: Layer.Layer<never, never, R>,
  patterns: ReadonlyArray<RouteTable.RoutePattern>,
  capabilities: ReadonlyArray<RestCapability>,
  config: HttpConfig,
  hasTokens: boolean
) => {
  // It checks all paths, both requested ones and those to which other paths lead.
  const table = RouteTable.make([...patterns, ...ReferenceRoutes.routesOf(capabilities), ...SiteFiles.routes])
  return Layer.mergeAll(
    api.pipe(Layer.provide(groups(config, capabilities)), Layer.provide(RequestAuthorization.layer)),
    ReferenceRoutes.layer(config, capabilities, hasTokens),
    SiteFiles.layer(config),
    Boundary.layer(table),
    Layer.succeed(KnownPaths, table)
  )
}

/** All routes of the REST interface, with the parts of capabilities that the service has. */
export const layer = (config: HttpConfig, parts: ReadonlyArray<RestPart> = []) =>
  Layer.unwrap(Effect.map(OperationRegistry, (registry) => {
    const capabilities = withParts(registry.capabilities, parts)
    const api = withCapabilities(Api, capabilities)
    return serve(
      HttpApiBuilder.layer(api).pipe(Layer.provide([tokens, keys])),
      RouteTable.patternsOf(api),
      capabilities,
      config,
      true
    )
  }))

/** All routes but those of tokens and their keys, for a service with its own `Authenticator`: they are 404 and not in the reference. */
export const layerWithoutTokens = (config: HttpConfig, parts: ReadonlyArray<RestPart> = []) =>
  Layer.unwrap(Effect.map(OperationRegistry, (registry) => {
    const capabilities = withParts(registry.capabilities, parts)
    const api = withCapabilities(ApiWithoutTokens, capabilities)
    return serve(HttpApiBuilder.layer(api), RouteTable.patternsOf(api), capabilities, config, false)
  }))
