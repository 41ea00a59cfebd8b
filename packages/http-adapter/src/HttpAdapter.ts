/**
 * The REST interface as one layer of routes; `RestHandler.ts` makes a fetch-style handler from it.
 *
 * ```ts
 * HttpRouter.serve(HttpAdapter.layer(config, parts)).pipe(Layer.provide(stores), Layer.provide(NodeHttpServer.layer(...)))
 * ```
 */
import { Keeping } from "@dockline/core/access/Idempotency"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { Readiness } from "@dockline/core/values/Metrics"
import { ResourceNotFound } from "@dockline/core/values/RequestErrors"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { pathOf, PathSpelling } from "@dockline/wire/Path"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as Answer from "./answer/Answer.ts"
import * as Boundary from "./answer/Boundary.ts"
import * as RouteTable from "./answer/RouteTable.ts"
import { Api, ApiWithoutTokens, withCapabilities } from "./api/Api.ts"
import { withParts } from "./api/Parts.ts"
import type { CallInput, RestCapability, RestPart } from "./api/Parts.ts"
import * as DeclaredAnswers from "./handlers/DeclaredAnswers.ts"
import * as EndpointRoutes from "./handlers/EndpointRoutes.ts"
import * as MetricsPage from "./handlers/MetricsPage.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import * as ReferenceRoutes from "./reference/ReferenceRoutes.ts"
import * as SiteFiles from "./reference/SiteFiles.ts"
import { TokenEndpoint } from "./tokens/TokenEndpoint.ts"
import { Tokens } from "./tokens/Tokens.ts"

const answer = <A, E extends CatalogueError, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.map((value) => HttpServerResponse.jsonUnsafe(value)), Effect.catch(Answer.respond))

/** Answers requests for tokens and for the keys that verify them. */
const tokenAnswers = Effect.gen(function*() {
  const { handle } = yield* TokenEndpoint
  const { jwks, metadata } = yield* Tokens
  const describe = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
    metadata === undefined
      ? Effect.succeed(Answer.problem(new ResourceNotFound({ path: pathOf(url) })))
      : answer(Effect.succeed(metadata)))
  return {
    requestToken: () => Effect.flatMap(HttpServerRequest.HttpServerRequest, handle),
    describeAuthorizationServer: () => describe,
    describeOpenIdProvider: () => describe,
    listKeys: () => answer(jwks)
  }
})

const healthAnswers = Effect.fnUntraced(function*(config: HttpConfig) {
  const ready = yield* Readiness
  const metrics = yield* MetricsPage.makeHandler(config)
  return {
    healthz: () => Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" })),
    readyz: () =>
      answer(Effect.map(ready, (warnings) => ({
        status: "ok",
        ...(warnings.length === 0 ? {} : { warnings })
      }))),
    metrics: () => Effect.flatMap(HttpServerRequest.HttpServerRequest, metrics)
  }
})

const webhookKeyAnswers = Effect.map(SecretsVault, ({ webhookKeys }) => ({
  readWebhookKeys: ({ query = {} }: CallInput) =>
    Effect.succeed(HttpServerResponse.jsonUnsafe({
      keys: webhookKeys(String(query["business"])).map(({ id, publicKey }) => ({
        kty: "OKP" as const,
        crv: "Ed25519" as const,
        kid: id,
        use: "sig" as const,
        alg: "EdDSA" as const,
        x: Buffer.from(publicKey, "base64").toString("base64url"),
        publicKey: `whpk_${publicKey}`
      }))
    }))
}))

/** The routes of endpoints, of the contracts for machines, and of the files of the site. */
const serve = <R>(
  endpointsWith: (capabilities: ReadonlyArray<RestCapability>) => ReadonlyArray<HttpApiEndpoint.Top>,
  ofTokens: Effect.Effect<EndpointRoutes.Answers["ofAnyone"], never, R>,
  config: HttpConfig,
  parts: ReadonlyArray<RestPart>,
  hasTokens: boolean
) =>
  Layer.unwrap(Effect.map(OperationRegistry, (registry) => {
    const capabilities = withParts(registry.capabilities, parts)
    const endpoints = endpointsWith(capabilities)
    // The table checks the paths of requests, and the paths to which other paths lead.
    const table = RouteTable.make([
      ...endpoints,
      ...ReferenceRoutes.routesOf(capabilities),
      ...SiteFiles.routes
    ])
    const answers = Effect.all({
      ofClients: DeclaredAnswers.make(config, capabilities),
      ofAnyone: Effect.map(
        Effect.all([ofTokens, healthAnswers(config), webhookKeyAnswers]),
        ([tokens, health, keys]) => ({ ...tokens, ...health, ...keys })
      )
    })
    return Layer.mergeAll(
      EndpointRoutes.layer(endpoints, answers).pipe(Layer.provide(Keeping.layer)),
      ReferenceRoutes.layer(config, capabilities, hasTokens),
      SiteFiles.layer({ ...config, hasTokens }),
      Boundary.layer(table),
      Layer.succeed(PathSpelling, table)
    )
  }))

/** All routes of the REST interface, with the parts of capabilities that the service has. */
export const layer = (config: HttpConfig, parts: ReadonlyArray<RestPart> = []) =>
  serve(
    (capabilities) => RouteTable.endpointsOf(withCapabilities(Api, capabilities)),
    tokenAnswers,
    config,
    parts,
    true
  )

/**
 * All routes except those of tokens and their keys, for a service with its own `Authenticator`: these paths are 404, and are not in the
 * reference.
 */
export const layerWithoutTokens = (config: HttpConfig, parts: ReadonlyArray<RestPart> = []) =>
  serve(
    (capabilities) => RouteTable.endpointsOf(withCapabilities(ApiWithoutTokens, capabilities)),
    Effect.succeed({}),
    config,
    parts,
    false
  )
