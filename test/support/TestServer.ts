/**
 * The REST interface served on a real socket, on memory or on a PostgreSQL database of its own, with the demo data (D12.2), and a client
 * that checks every answer by the OpenAPI document.
 *
 * A server must not log an error that its tests do not take: the layer fails if one is left when it closes.
 */
import type { Authenticator } from "@dockline/core/access/Authenticator"
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import * as Capability from "@dockline/core/capability/Capability"
import * as Words from "@dockline/core/capability/DeclaredOperations"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { Intake } from "@dockline/core/document/Intake"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import * as Memory from "@dockline/core/memory/Memory"
import type { Stores } from "@dockline/core/memory/Memory"
import type { Message } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Messages } from "@dockline/core/messages/Messages"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Search } from "@dockline/core/search/Search"
import type { LocatedOrderView, ShipmentView } from "@dockline/core/shipment/View"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { MessageType } from "@dockline/core/values/Vocabulary"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import * as BearerAuth from "@dockline/http-adapter/tokens/BearerAuth"
import { Clients } from "@dockline/http-adapter/tokens/Clients"
import { TokenEndpoint } from "@dockline/http-adapter/tokens/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/tokens/Tokens"
import {
  capabilities,
  capabilityNames,
  graphqlParts,
  intakesOf,
  restParts,
  sqlCapabilities
} from "@dockline/server/Capabilities"
import * as DemoData from "@dockline/server/lifecycle/DemoData"
import { NodeServer } from "@dockline/server/NodeServer"
import * as Postgres from "@dockline/sql-storage/Postgres"
import * as Sql from "@dockline/sql-storage/Sql"
import type { Problem } from "@dockline/wire/Problem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Scope } from "effect"
import type { Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { assert } from "vitest"
import * as Wire from "../http/Wire.ts"
import type { Reply } from "../http/Wire.ts"
import * as OperatorServices from "./OperatorServices.ts"
import * as ServerControl from "./ServerControl.ts"
import type { Control, Hold, LogLine } from "./ServerControl.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** The demo clients. */
export type DemoClient = "acme-client" | "acme-east-client" | "globex-client" | "tower" | "operator"

/** The differences of a request from a plain one of `acme-client`. */
export interface RequestOptions {
  /** The client whose token is sent; none with `null`. */
  readonly client?: DemoClient | null
  /** Further headers, or replacements of the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** The ports of the capabilities. */
type Ports = Capability.PortsOf<typeof capabilities>

/** The services for additional routes: the stores, core over them, and the authentication. */
export type TestServices =
  | Stores
  | Intake
  | Pallets
  | Capability.ServicesOf<typeof capabilities>
  | Ports
  | Search
  | Shipments
  | Messages
  | Authenticator
  | RequestLimits
  | OperationRegistry

/** Limits other than the defaults, and additions to the REST interface. */
export interface TestServerOptions extends OperatorServices.OperatorOptions {
  readonly bodyLimit?: number
  readonly itemLimit?: number
  /** Whether the same machine sees the metrics without their token; `true` by default. */
  readonly metricsLocally?: boolean
  /** The token with which anyone sees the metrics. */
  readonly metricsToken?: Redacted.Redacted
  /** The limits of clients' requests; none by default. */
  readonly limits?: Layer.Layer<RequestLimits>
  /** Further routes, such as those of another adapter. */
  readonly routes?: Layer.Layer<never, never, HttpRouter.HttpRouter | HttpServer.HttpServer | TestServices>
  /** Called with every line that the server logs, at any level. */
  readonly onLog?: (line: string) => void
  /** Makes the `node:http` server, for tests that attach something to it. */
  readonly createServer?: () => NodeServer
}

/** A running server. */
export class TestServer extends Context.Service<TestServer, {
  readonly port: number
  /** An access token of a demo client, requested once. */
  readonly token: (client: DemoClient) => Effect.Effect<string>
  /** Sends any request. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Effect.Effect<Reply>
  readonly get: (path: string, options?: RequestOptions) => Effect.Effect<Reply>
  /** Posts a document: a value as JSON, text and bytes unchanged. */
  readonly post: (
    document: unknown,
    options?: RequestOptions & { readonly query?: string }
  ) => Effect.Effect<Reply>
  /** Posts a document that must be processed. */
  readonly submit: (document: unknown, options?: RequestOptions) => Effect.Effect<IntakeResult>
  /** Opens a connection over which the test sends its own bytes. */
  readonly connect: Effect.Effect<Wire.Connection, never, Scope.Scope>
  /** The lines of level error logged since they were taken last. */
  readonly takeErrors: Effect.Effect<ReadonlyArray<LogLine>>
  /** The messages of a business after an id, in id order: by default those of pallets and departures. */
  readonly messages: (
    business: string,
    afterId?: number,
    types?: ReadonlyArray<MessageType>
  ) => Effect.Effect<ReadonlyArray<Message>>
  /** Runs an effect before each document, pallet event and step is processed, until the scope ends. */
  readonly intercept: (
    effect: Effect.Effect<void, StorageUnavailable>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Holds documents of an existing shipment before they are processed: on PostgreSQL by a lock on its row. */
  readonly hold: (shipmentNumber: string) => Effect.Effect<Hold, never, Scope.Scope>
  /** A port of a capability, for writing as the capability itself does. */
  readonly portOf: <Id extends Ports, Port>(key: Context.Key<Id, Port>) => Port
  /** Moves the server's clock forward. */
  readonly advance: (millis: number) => Effect.Effect<void>
}>()("test/TestServer") {}

/** The address that the server has for its clients. */
export const baseUrl = "http://dockline.test"

/** The body of a request for a token. */
export const tokenRequest = (client: DemoClient) => ({
  client_id: client,
  client_secret: DemoData.secretOf(client),
  audience: audienceOf(baseUrl),
  grant_type: "client_credentials"
})

const authentication = Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer()).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Clients.layer,
    Tokens.layer({
      ...defaultTokensConfig,
      issuer: baseUrl,
      audience: audienceOf(baseUrl),
      otherAudiences: graphqlParts.map(({ path }) => `${baseUrl}${path}`)
    })
  ))
)

/** Core over the stores with the demo data, and the authentication. */
const services = (control: Control, options: TestServerOptions) =>
  OperationRegistry.layer(capabilities).pipe(Layer.provideMerge(Layer.mergeAll(
    Layer.provide(Capability.servicesOf(capabilities), OperatorServices.ports(options)),
    Intake.layer({ itemLimit: options.itemLimit ?? defaultHttpConfig.itemLimit }),
    Pallets.layer(),
    Search.layer,
    Shipments.layer(),
    Messages.layer(),
    OperatorServices.layer(options),
    options.limits ?? RequestLimits.layerNone,
    authentication,
    Layer.effectDiscard(DemoData.install)
  ))).pipe(
    Layer.provideMerge(Words.layer(capabilities)),
    Layer.provide(ServerControl.intercepted(control))
  )

/** The server on its stores. */
const serving = <E, R>(
  stores: Layer.Layer<Stores | Ports, E, R>,
  control: Control,
  { createServer = () => new NodeServer(), routes = Layer.empty, onLog, ...options }: TestServerOptions
) =>
  HttpRouter.serve(
    Layer.mergeAll(
      HttpAdapter.layer({ ...defaultHttpConfig, baseUrl, metricsLocally: true, ...options }, restParts),
      routes
    ).pipe(
      Layer.provide(Layer.provideMerge(intakesOf(capabilityNames), services(control, options)))
    ),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(createServer, {
        host: "127.0.0.1",
        port: 0,
        gracefulShutdownTimeout: "2 seconds"
      })
    ),
    Layer.provideMerge(stores),
    Layer.provide([ServerControl.logger(control, onLog), ServerControl.clock(control)])
  )

const client = Effect.fnUntraced(function*(control: Control, hold: ServerControl.MakeHold) {
  const { address } = yield* HttpServer.HttpServer
  assert(address._tag === "InetAddressV4")
  const { port } = address
  const send = yield* Wire.makeSender(port)
  const log = yield* MessageLog
  const ports = yield* Effect.context<Ports>()
  const tokens = new Map<DemoClient, string>()

  const token = Effect.fnUntraced(function*(client: DemoClient) {
    const known = tokens.get(client)
    if (known !== undefined) return known
    const reply = yield* send({
      method: "POST",
      path: "/oauth/token",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(tokenRequest(client))
    })
    assert.strictEqual(reply.status, 200, reply.text)
    const { access_token } = reply.body as { readonly access_token: string }
    tokens.set(client, access_token)
    return access_token
  })

  const request = Effect.fnUntraced(function*(method: string, path: string, options: RequestOptions = {}) {
    const { client = "acme-client", headers = {}, body } = options
    const authorization = client === null ? {} : { authorization: `Bearer ${yield* token(client)}` }
    return yield* send({ method, path, headers: { ...authorization, ...headers }, body })
  })

  const post: TestServer["Service"]["post"] = (document, { query = "", ...options } = {}) =>
    request("POST", `/v1/documents${query}`, {
      ...options,
      headers: { "content-type": "application/json", ...options.headers },
      body: typeof document === "string" || document instanceof Uint8Array
        ? document
        : JSON.stringify(document)
    })

  return TestServer.of({
    port,
    token,
    request,
    post,
    get: (path, options) => request("GET", path, options),
    submit: (document, options) => Effect.map(post(document, options), resultOf),
    connect: Wire.connect(port),
    takeErrors: Effect.sync(() => control.errors.splice(0)),
    messages: (business, afterId = 0, types = ["PALLET_EVENT", "SHIPMENT_COMPLETE"]) =>
      log.read({ business, facility: undefined, types }, { afterId }, 10_000).pipe(
        Effect.map(({ messages }) => messages),
        Effect.orDie
      ),
    intercept: (effect) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => (control.intercept = effect)),
        () => Effect.sync(() => (control.intercept = Effect.void))
      )),
    portOf: (key) => Context.get(ports, key),
    hold,
    advance: (millis) =>
      Effect.sync(() => {
        control.offset += millis
        tokens.clear()
      })
  })
})

const serverLayer = <E, R, R2>(
  stores: Layer.Layer<Stores | Ports, E, R>,
  options: TestServerOptions,
  makeHold: (control: Control) => Effect.Effect<ServerControl.MakeHold, never, R2>
) =>
  Layer.unwrap(Effect.gen(function*() {
    const control = ServerControl.make()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => assert.deepStrictEqual(control.errors, [], "errors that the server logged"))
    )
    return Layer.effect(TestServer, Effect.flatMap(makeHold(control), (hold) => client(control, hold))).pipe(
      Layer.provide(serving(stores, control, options))
    )
  }))

/** A server on memory. */
export const layerMemory = (options: TestServerOptions = {}): Layer.Layer<TestServer> =>
  Layer.orDie(serverLayer(Memory.layerWith(capabilities), options, ServerControl.holdInMemory))

/** A server on the database of the `SqlClient`, whose schema must be migrated. */
export const layerSql = (
  options: TestServerOptions = {}
): Layer.Layer<TestServer, never, SqlClient.SqlClient> =>
  Layer.orDie(serverLayer(Sql.layerWith(sqlCapabilities), options, () => ServerControl.holdByLock)).pipe(
    Layer.provide(Postgres.readinessWith(sqlCapabilities))
  )

/** A server on a PostgreSQL database of its own, which the tests may read. */
export const layerPostgres = (
  options: TestServerOptions = {}
): Layer.Layer<TestServer | SqlClient.SqlClient> =>
  Layer.orDie(Layer.provideMerge(layerSql(options), TestDatabase.layer))

const bodyOf = (reply: Reply, ...statuses: ReadonlyArray<number>): unknown => {
  assert.include(statuses, reply.status, reply.text)
  return reply.body
}

/** The body of a processed document. */
export const resultOf = (reply: Reply): IntakeResult => bodyOf(reply, 200, 201) as IntakeResult

/** The problem of a refusal. */
export const problemOf = (reply: Reply): Problem => {
  assert.isAtLeast(reply.status, 400, reply.text)
  return reply.body as Problem
}

/** The identity of a refusal: its status and code. */
export const refusalOf = (reply: Reply): readonly [status: number, code: string | undefined] => [
  reply.status,
  problemOf(reply).code
]

/** The body of a read of a shipment. */
export const shipmentOf = (reply: Reply): ShipmentView => bodyOf(reply, 200) as ShipmentView

/** A page of shipments or of orders. */
export interface PageView<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/** The body of a list of shipments. */
export const shipmentsOf = (reply: Reply): PageView<ShipmentView> =>
  bodyOf(reply, 200) as PageView<ShipmentView>

/** The body of a list of orders. */
export const ordersOf = (reply: Reply): PageView<LocatedOrderView> =>
  bodyOf(reply, 200) as PageView<LocatedOrderView>

let made = 0

/** An effect that runs once, for the first test that needs it: others share the result, and do not change it. */
export const once = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.runSync(Effect.cached(self))

/** A name that no other test of the run uses on the same server. */
export const unique = (prefix: string): string => `${prefix}-${++made}`
