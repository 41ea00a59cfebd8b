/**
 * The whole REST interface as one layer of routes, for a server or as a fetch-style handler.
 *
 * ```ts
 * // a server
 * HttpRouter.serve(HttpAdapter.layer(config)).pipe(Layer.provide(stores), Layer.provide(NodeHttpServer.layer(...)))
 * // inside another service
 * await using dockline = FetchHandler.make(HttpAdapter.layer(config).pipe(Layer.provide(services)))
 * const response = await dockline.handler(new Request("http://localhost/v1/documents", { ... }))
 * ```
 */
import type { Principal } from "@dockline/core/Access"
import { restType } from "@dockline/core/internal/Accept"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { pathOf } from "@dockline/core/internal/Path"
import { notFound } from "@dockline/core/internal/Problem"
import { Readiness } from "@dockline/core/Readiness"
import { Shipments } from "@dockline/core/Shipments"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Answer from "./answer/Answer.ts"
import * as Boundary from "./answer/Boundary.ts"
import { Idempotency } from "./answer/Idempotency.ts"
import * as Parameters from "./answer/Parameters.ts"
import * as Problems from "./answer/Problems.ts"
import { Api, ApiWithoutTokens } from "./api/Api.ts"
import { Authorization, CurrentPrincipal } from "./api/Authorization.ts"
import type { HttpConfig } from "./api/HttpConfig.ts"
import * as RouteTable from "./api/RouteTable.ts"
import * as Documents from "./handlers/Documents.ts"
import * as Metrics from "./handlers/Metrics.ts"
import * as Operator from "./handlers/Operator.ts"
import * as OperatorWebhooks from "./handlers/OperatorWebhooks.ts"
import * as PalletEvents from "./handlers/PalletEvents.ts"
import * as ShipmentSteps from "./handlers/ShipmentSteps.ts"
import * as Reference from "./reference/Reference.ts"
import { TokenEndpoint } from "./tokens/TokenEndpoint.ts"
import { Tokens } from "./tokens/Tokens.ts"

const json = (value: unknown): Answer.Answer => ({
  status: 200,
  headers: {},
  contentType: "application/json",
  body: JSON.stringify(value)
})

/** Answers in JSON, and its errors as problems. */
const answer = <A, E extends CatalogueError, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.map(json), Effect.catch(Answer.refuse), Effect.map(Answer.toResponse))

/** Answers a read as the client asking prefers, in XML under that root element, and its errors as problems. */
const answerRead = <A, E extends CatalogueError, R>(
  rootName: string,
  read: (principal: Principal) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const value = yield* read(yield* CurrentPrincipal)
    return {
      status: 200,
      headers: { vary: "accept" },
      ...yield* Answer.encode(rootName, value, restType(headers["accept"]))
    }
  }).pipe(Effect.catch(Answer.refuse), Effect.map(Answer.toResponse))

const documents = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "documents",
    (handlers) =>
      Effect.map(
        Documents.makeHandler(config),
        (submit) => handlers.handleRaw("submitDocument", ({ query }) => submit(query))
      )
  )

const pallets = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "pallets",
    (handlers) =>
      Effect.map(
        PalletEvents.makeHandler(config),
        (record) => handlers.handleRaw("recordPalletEvent", () => record)
      )
  )

const shipments = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "shipments",
    Effect.fnUntraced(function*(handlers) {
      const { get, list, listOrders } = yield* Shipments
      const steps = yield* ShipmentSteps.makeHandlers(config)
      return handlers
        .handle("getShipment", ({ params: { id } }) =>
          answerRead("Shipment", (principal) =>
            Effect.andThen(Parameters.only(), get(id, principal))))
        .handle("listShipments", ({ query }) =>
          answerRead("ShipmentPage", (principal) =>
            list(query, principal)))
        .handle("listOrders", ({ query }) =>
          answerRead("OrderPage", (principal) =>
            listOrders(query, principal)))
        .handleRaw("arriveShipment", ({ params: { id } }) =>
          steps.arrive(id))
        .handleRaw("departShipment", ({ params: { id } }) =>
          steps.depart(id))
        .handleRaw("linkShipments", ({ params: { id } }) =>
          steps.link(id))
    })
  )

const tokens = HttpApiBuilder.group(
  Api,
  "tokens",
  (handlers) =>
    Effect.map(
      TokenEndpoint,
      ({ handle }) => handlers.handleRaw("requestToken", ({ request }) => handle(request))
    )
)

const keys = HttpApiBuilder.group(
  Api,
  "keys",
  (handlers) =>
    Effect.map(Tokens, ({ jwks, metadata }) => {
      const describe = ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
        metadata === undefined
          ? Effect.succeed(Problems.toResponse(notFound(pathOf(request.url))))
          : answer(Effect.succeed(metadata))
      return handlers
        .handleRaw("describeAuthorizationServer", describe)
        .handleRaw("describeOpenIdProvider", describe)
        .handle("listKeys", () => answer(jwks))
    })
)

const health = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "health",
    Effect.fnUntraced(function*(handlers) {
      const ready = yield* Readiness
      const metrics = yield* Metrics.makeHandler(config)
      return handlers
        .handle("healthz", () => Effect.succeed({ status: "ok" as const }))
        .handle("readyz", () => answer(Effect.as(ready, { status: "ok" })))
        .handleRaw("metrics", ({ request }) => metrics(request))
    })
  )

/** The groups of every interface. */
const groups = (config: HttpConfig) =>
  Layer.mergeAll(
    documents(config),
    pallets(config),
    shipments(config),
    health(config),
    Operator.businesses(config),
    Operator.facilities(config),
    Operator.clients(config),
    OperatorWebhooks.webhookEndpoints(config),
    OperatorWebhooks.deliveries(config),
    Operator.messageLogs(config)
  ).pipe(Layer.provide(Idempotency.layer))

/** All routes of the REST interface. */
export const layer = (config: HttpConfig) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([groups(config), tokens, keys]),
      Layer.provide(Authorization.layer)
    ),
    Reference.layer(config, true),
    Boundary.layer(RouteTable.make([...RouteTable.patternsOf(Api), ...Reference.routes]))
  )

/**
 * All routes but those of tokens and their keys, for a service whose `Authenticator` is its own: 404 there, and nothing
 * of them in the reference.
 */
export const layerWithoutTokens = (config: HttpConfig) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(ApiWithoutTokens).pipe(
      Layer.provide(groups(config)),
      Layer.provide(Authorization.layer)
    ),
    Reference.layer(config, false),
    Boundary.layer(RouteTable.make([...RouteTable.patternsOf(ApiWithoutTokens), ...Reference.routes]))
  )
