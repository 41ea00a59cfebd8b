/**
 * The whole REST interface as one layer of routes; `RestHandler.ts` makes a fetch-style handler of it.
 *
 * ```ts
 * HttpRouter.serve(HttpAdapter.layer(config)).pipe(Layer.provide(stores), Layer.provide(NodeHttpServer.layer(...)))
 * ```
 */
import type { Principal } from "@dockline/core/Access"
import { Exceptions } from "@dockline/core/Exceptions"
import { Intake } from "@dockline/core/Intake"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { csv, listType, restType } from "@dockline/core/internal/wire/Accept"
import type { RestType } from "@dockline/core/internal/wire/Accept"
import { pathOf } from "@dockline/core/internal/wire/Path"
import { Messages } from "@dockline/core/Messages"
import type { Page } from "@dockline/core/Page"
import { Pallets } from "@dockline/core/Pallets"
import { Readiness } from "@dockline/core/Readiness"
import { ResourceNotFound } from "@dockline/core/RequestErrors"
import { Shipments } from "@dockline/core/Shipments"
import * as Timestamp from "@dockline/core/Timestamp"
import { messageTypes } from "@dockline/core/Vocabulary"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Answer from "./answer/Answer.ts"
import * as Boundary from "./answer/Boundary.ts"
import * as Csv from "./answer/Csv.ts"
import * as Parameters from "./answer/Parameters.ts"
import { RepeatedRequests } from "./answer/RepeatedRequests.ts"
import * as RouteTable from "./answer/RouteTable.ts"
import { tables } from "./answer/Tables.ts"
import { Api, ApiWithoutTokens } from "./api/Api.ts"
import { CurrentPrincipal } from "./api/Authorization.ts"
import * as Documents from "./handlers/Documents.ts"
import * as ExceptionReports from "./handlers/ExceptionReports.ts"
import * as MetricsPage from "./handlers/MetricsPage.ts"
import * as OperatorHandlers from "./handlers/OperatorHandlers.ts"
import * as PalletEvents from "./handlers/PalletEvents.ts"
import * as RequestAuthorization from "./handlers/RequestAuthorization.ts"
import * as ShipmentSteps from "./handlers/ShipmentSteps.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import * as ReferenceRoutes from "./reference/ReferenceRoutes.ts"
import { TokenEndpoint } from "./tokens/TokenEndpoint.ts"
import { Tokens } from "./tokens/Tokens.ts"

/** Answers in JSON, and its errors as problems. */
const answer = <A, E extends CatalogueError, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.map((value) => HttpServerResponse.jsonUnsafe(value)), Effect.catch(Answer.respond))

/** Answers a read in the form that the client prefers, in XML under this root element, and its errors as problems. */
const answerRead = <A, E extends CatalogueError, R>(
  rootName: string,
  read: (principal: Principal) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    return yield* encoded(rootName, yield* read(yield* CurrentPrincipal), restType(headers["accept"]))
  }).pipe(Effect.catch(Answer.respond))

const encoded = (rootName: string, value: unknown, type: RestType) =>
  Effect.map(
    Answer.encode(rootName, value, type),
    (answer) => Answer.toResponse({ status: 200, headers: { vary: "accept" }, ...answer })
  )

/** Answers a read of a list, in CSV too. */
const answerList = <Query extends { readonly limit?: number | undefined }, Row, E extends CatalogueError, R>(
  rootName: string,
  table: Csv.Table<Row>,
  query: Query,
  read: (query: Query, principal: Principal) => Effect.Effect<Page<Row>, E, R>,
  at: Csv.List<Query, Row, E, R>["at"]
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    const type = listType(headers["accept"])
    return type === csv
      ? yield* Csv.respond({ table, query, read: (query) => read(query, principal), at }, { vary: "accept" })
      : yield* encoded(rootName, yield* read(query, principal), type)
  }).pipe(Effect.catch(Answer.respond))

/** Lists in id order begin after an id. */
const afterId = (next: string) => ({ after: Number(next) })

const documents = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "documents",
    Effect.fnUntraced(function*(handlers) {
      const { record, records } = yield* Intake
      const submit = yield* Documents.makeHandler(config)
      return handlers
        .handleRaw("submitDocument", ({ query }) => submit(query))
        .handle("listDocuments", ({ query }) =>
          answerList("DocumentPage", tables.listDocuments, query, records, afterId))
        .handle("getDocument", ({ params: { id } }) =>
          answerRead("DocumentRecord", (principal) =>
            Effect.andThen(Parameters.only(), record(id, principal))))
    })
  )

const pallets = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "pallets",
    Effect.fnUntraced(function*(handlers) {
      const { get, list, ofShipment } = yield* Pallets
      const record = yield* PalletEvents.makeHandler(config)
      return handlers
        .handleRaw("recordPalletEvent", () => record)
        .handle("listShipmentPallets", ({ params: { id }, query }) =>
          answerList("PalletPage", tables.listShipmentPallets, query, (page, principal) =>
            ofShipment(id, page, principal), afterId))
        .handle("getPallet", ({ params: { id, palletId } }) =>
          answerRead("Pallet", (principal) =>
            Effect.andThen(Parameters.only(), get(id, palletId, principal))))
        .handle("listPallets", ({ query }) =>
          answerList("PalletPage", tables.listPallets, query, list, afterId))
    })
  )

const shipments = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "shipments",
    Effect.fnUntraced(function*(handlers) {
      const { discrepancies, get, list, listOrders } = yield* Shipments
      const steps = yield* ShipmentSteps.makeHandlers(config)
      return handlers
        .handle("getShipment", ({ params: { id } }) =>
          answerRead("Shipment", (principal) =>
            Effect.andThen(Parameters.only(), get(id, principal))))
        .handle("listDiscrepancies", ({ params: { id }, query }) =>
          answerList("DiscrepancyPage", tables.listDiscrepancies, query, (page, principal) =>
            discrepancies(id, page, principal), afterId))
        .handle("listShipments", ({ query }) =>
          answerList("ShipmentPage", tables.listShipments, query, list, (after) => ({ after })))
        .handle("listOrders", ({ query }) =>
          answerList("OrderPage", tables.listOrders, query, listOrders, afterId))
        .handleRaw("arriveShipment", ({ params: { id } }) =>
          steps.arrive(id))
        .handleRaw("departShipment", ({ params: { id } }) =>
          steps.depart(id))
        .handleRaw("linkShipments", ({ params: { id } }) =>
          steps.link(id))
        .handleRaw("cancelShipment", ({ params: { id } }) =>
          steps.cancel(id))
    })
  )

const exceptions = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "exceptions",
    Effect.fnUntraced(function*(handlers) {
      const { ofShipment } = yield* Exceptions
      const { report, resolve } = yield* ExceptionReports.makeHandlers(config)
      return handlers
        .handle("listExceptions", ({ params: { id }, query }) =>
          answerList("ExceptionPage", tables.listExceptions, query, (page, principal) =>
            ofShipment(id, page, principal), afterId))
        .handleRaw("reportException", ({ params: { id } }) =>
          report(id))
        .handleRaw("resolveException", ({ params: { id, exceptionId } }) =>
          resolve(id, exceptionId))
    })
  )

const messages = HttpApiBuilder.group(
  Api,
  "messages",
  (handlers) =>
    Effect.map(
      Messages,
      ({ list }) =>
        handlers.handle("listMessages", ({ query: { facility, messageType, since = "", ...query } }) =>
          answerList(
            "MessagePage",
            tables.listMessages,
            {
              ...query,
              facility: facility === "" ? undefined : facility,
              types: messageTypes.filter((type) =>
                (messageType || type) === type
              ),
              since: Timestamp.parse(since)
            },
            list,
            (next) => ({ afterId: Number(next) })
          ))
    )
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
const groups = (config: HttpConfig) =>
  Layer.mergeAll(
    documents(config),
    pallets(config),
    shipments(config),
    exceptions(config),
    messages,
    health(config),
    OperatorHandlers.layer(config)
  ).pipe(Layer.provide(RepeatedRequests.layer))

/** All routes of the REST interface. */
export const layer = (config: HttpConfig) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([groups(config), tokens, keys]),
      Layer.provide(RequestAuthorization.layer)
    ),
    ReferenceRoutes.layer(config, true),
    Boundary.layer(RouteTable.make([...RouteTable.patternsOf(Api), ...ReferenceRoutes.routes]))
  )

/**
 * All routes but those of tokens and their keys, for a service whose `Authenticator` is its own: 404 there, and nothing
 * of them in the reference.
 */
export const layerWithoutTokens = (config: HttpConfig) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(ApiWithoutTokens).pipe(
      Layer.provide(groups(config)),
      Layer.provide(RequestAuthorization.layer)
    ),
    ReferenceRoutes.layer(config, false),
    Boundary.layer(RouteTable.make([...RouteTable.patternsOf(ApiWithoutTokens), ...ReferenceRoutes.routes]))
  )
