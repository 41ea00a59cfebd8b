/**
 * The whole REST interface as one layer of routes; `RestHandler.ts` makes a fetch-style handler of it.
 *
 * ```ts
 * HttpRouter.serve(HttpAdapter.layer(config)).pipe(Layer.provide(stores), Layer.provide(NodeHttpServer.layer(...)))
 * ```
 */
import type { Principal } from "@dockline/core/Access"
import { Keeping } from "@dockline/core/internal/access/Keeping"
import { handlers } from "@dockline/core/internal/operations/Handlers"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import type * as Operation from "@dockline/core/Operation"
import { operations } from "@dockline/core/Operations"
import type { MethodOf } from "@dockline/core/Operations"
import type { Page } from "@dockline/core/Page"
import { Readiness } from "@dockline/core/Readiness"
import { ResourceNotFound } from "@dockline/core/RequestErrors"
import { csv, listType, restType } from "@dockline/wire/internal/Accept"
import { KnownPaths } from "@dockline/wire/internal/KnownPaths"
import { pathOf } from "@dockline/wire/internal/Path"
import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Answer from "./answer/Answer.ts"
import * as Boundary from "./answer/Boundary.ts"
import * as Csv from "./answer/Csv.ts"
import * as Parameters from "./answer/Parameters.ts"
import * as RouteTable from "./answer/RouteTable.ts"
import { Api, ApiWithoutTokens } from "./api/Api.ts"
import { CurrentPrincipal } from "./api/Authorization.ts"
import * as Documents from "./handlers/Documents.ts"
import * as MetricsPage from "./handlers/MetricsPage.ts"
import * as OperatorAnswers from "./handlers/OperatorAnswers.ts"
import * as RequestAuthorization from "./handlers/RequestAuthorization.ts"
import * as Writes from "./handlers/Writes.ts"
import type { HttpConfig } from "./HttpConfig.ts"
import * as ReferenceRoutes from "./reference/ReferenceRoutes.ts"
import * as SiteFiles from "./reference/SiteFiles.ts"
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
    return Answer.show(rootName, yield* read(yield* CurrentPrincipal), restType(headers["accept"]), varying)
  }).pipe(Effect.catch(Answer.respond))

const varying = { vary: "accept" }

/** Answers a read of a list, in CSV too. */
const answerList = <Query extends { readonly limit?: number | undefined }, Row, E extends CatalogueError, R>(
  rootName: string,
  table: Operation.Table<Row>,
  query: Query,
  read: (query: Query, principal: Principal) => Effect.Effect<Page<Row>, E, R>,
  at: Csv.List<Query, Row, E, R>["at"]
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    const type = listType(headers["accept"])
    return type === csv
      ? yield* Csv.respond({ table, query, read: (query) => read(query, principal), at }, varying)
      : Answer.show(rootName, yield* read(query, principal), type, varying)
  }).pipe(Effect.catch(Answer.respond))

/** The parameter with which a page begins after the one before. */
const positions: {
  readonly [Of in Operation.Cursor]: (next: string) => Readonly<Record<string, number | string>>
} = {
  id: (next) => ({ after: Number(next) }),
  name: (after) => ({ after }),
  position: (after) => ({ after }),
  message: (next) => ({ afterId: Number(next) }),
  count: (next) => ({ after: Number(next) })
}

/** What a request holds, by its endpoint. */
interface Given {
  readonly params?: object
  readonly query?: object
}

/** Answers the operations that read, by the names of their methods. */
const reading = Effect.map(
  handlers,
  (handlers) => (method: MethodOf<Operation.AnyRead | Operation.AnyList>) => {
    const operation: Operation.AnyRead | Operation.AnyList = operations[method]
    const handle = <A>(input: object, principal: Principal) =>
      (handlers[method] as Operation.Handler<Operation.AnyRead>)(input as never, principal) as Effect.Effect<
        A,
        CatalogueError
      >
    return ({ params = {}, query }: Given) =>
      operation.kind === "list"
        ? answerList(
          operation.page,
          operation.columns,
          { ...params, ...query },
          handle<Page<never>>,
          positions[operation.cursor]
        )
        : answerRead(
          Answer.rootOf(operation.view),
          (principal) => Effect.andThen(Parameters.only(), handle(params, principal))
        )
  }
)

const documents = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "documents",
    Effect.fnUntraced(function*(handlers) {
      const answering = yield* reading
      const submit = yield* Documents.makeHandler(config)
      return handlers
        .handleRaw("submitDocument", ({ query }) => submit(query))
        .handle("listDocuments", answering("documents"))
        .handle("getDocument", answering("document"))
    })
  )

const pallets = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "pallets",
    Effect.fnUntraced(function*(handlers) {
      const answering = yield* reading
      const writing = yield* Writes.make(config)
      return handlers
        .handleRaw("recordPalletEvent", writing("recordPallet"))
        .handle("listShipmentPallets", answering("shipmentPallets"))
        .handle("getPallet", answering("pallet"))
        .handle("listPallets", answering("pallets"))
    })
  )

const shipments = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "shipments",
    Effect.fnUntraced(function*(handlers) {
      const answering = yield* reading
      const writing = yield* Writes.make(config)
      return handlers
        .handle("getShipment", answering("shipment"))
        .handle("listItems", answering("items"))
        .handle("listDiscrepancies", answering("discrepancies"))
        .handle("listShipments", answering("shipments"))
        .handle("listOrders", answering("orders"))
        .handle("search", answering("search"))
        .handleRaw("arriveShipment", writing("arrive"))
        .handleRaw("departShipment", writing("depart"))
        .handleRaw("linkShipments", writing("link"))
        .handleRaw("cancelShipment", writing("cancel"))
    })
  )

const exceptions = (config: HttpConfig) =>
  HttpApiBuilder.group(
    Api,
    "exceptions",
    Effect.fnUntraced(function*(handlers) {
      const answering = yield* reading
      const writing = yield* Writes.make(config)
      return handlers
        .handle("listExceptions", answering("exceptions"))
        .handle("listShipmentExceptions", answering("shipmentExceptions"))
        .handleRaw("reportException", writing("reportException"))
        .handleRaw("resolveException", writing("resolveException"))
    })
  )

const messages = HttpApiBuilder.group(
  Api,
  "messages",
  (handlers) => Effect.map(reading, (answering) => handlers.handle("listMessages", answering("messages")))
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
    OperatorAnswers.layer(config)
  ).pipe(Layer.provide(Keeping.layer))

/** Judges paths: those that are asked for, and those to which others lead requests. */
const routing = (table: RouteTable.RouteTable) =>
  Layer.merge(Boundary.layer(table), Layer.succeed(KnownPaths, table))

/** All routes of the REST interface. */
export const layer = (config: HttpConfig) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide([groups(config), tokens, keys]),
      Layer.provide(RequestAuthorization.layer)
    ),
    ReferenceRoutes.layer(config, true),
    SiteFiles.layer(config),
    routing(RouteTable.make([...RouteTable.patternsOf(Api), ...ReferenceRoutes.routes, ...SiteFiles.routes]))
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
    SiteFiles.layer(config),
    routing(
      RouteTable.make([
        ...RouteTable.patternsOf(ApiWithoutTokens),
        ...ReferenceRoutes.routes,
        ...SiteFiles.routes
      ])
    )
  )
