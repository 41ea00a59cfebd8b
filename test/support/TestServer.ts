/**
 * The REST interface served on a real socket, on memory or on a PostgreSQL database of its own, with the demo data
 * (D12.2), and a client whose every answer is held against the OpenAPI document.
 *
 * A server must not log an error that its tests do not take: the layer fails when one is left as it closes.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { Intake } from "@dockline/core/Intake"
import { IntakeStore } from "@dockline/core/IntakeStore"
import * as Memory from "@dockline/core/Memory"
import type { Stores } from "@dockline/core/Memory"
import type { IntakeResult, LocatedOrderView, ShipmentView } from "@dockline/core/View"
import { BearerAuth } from "@dockline/http-adapter/BearerAuth"
import { Clients } from "@dockline/http-adapter/Clients"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import * as NodeServer from "@dockline/http-adapter/NodeServer"
import type { Problem } from "@dockline/http-adapter/Problems"
import { Readiness } from "@dockline/http-adapter/Readiness"
import { TokenEndpoint } from "@dockline/http-adapter/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/Tokens"
import * as Database from "@dockline/sql-storage/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { NodeHttpServer } from "@effect/platform-node"
import { Cause, Clock, Context, Deferred, Effect, Layer, Logger, References, Schedule, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { assert } from "vitest"
import * as DemoData from "../../examples/server/src/DemoData.ts"
import * as Wire from "../http/Wire.ts"
import type { Reply } from "../http/Wire.ts"
import * as TestDatabase from "./TestDatabase.ts"

/** The demo clients. */
export type DemoClient = "acme-client" | "acme-east-client" | "globex-client" | "tower" | "operator"

/** How a request differs from one of `acme-client` with nothing special about it. */
export interface RequestOptions {
  /** Whose token is sent; none with `null`. */
  readonly client?: DemoClient | null
  /** Further headers, or others than the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A line that the server logged. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A document that is kept from being processed. */
export interface Hold {
  /** Completes when a document waits. */
  readonly waiting: Effect.Effect<void>
  /** Lets it go on. */
  readonly release: Effect.Effect<void>
}

/** Limits that differ from the defaults. */
export interface TestServerOptions {
  readonly bodyLimit?: number
  readonly itemLimit?: number
}

/** A running server. */
export class TestServer extends Context.Service<TestServer, {
  readonly port: number
  /** An access token of a demo client, asked for once. */
  readonly token: (client: DemoClient) => Effect.Effect<string>
  /** Sends any request. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Effect.Effect<Reply>
  readonly get: (path: string, options?: RequestOptions) => Effect.Effect<Reply>
  /** Posts a document: a value as JSON, text and bytes as they are. */
  readonly post: (
    document: unknown,
    options?: RequestOptions & { readonly query?: string }
  ) => Effect.Effect<Reply>
  /** Posts a document that is processed. */
  readonly submit: (document: unknown, options?: RequestOptions) => Effect.Effect<IntakeResult>
  /** Opens a connection for bytes of one's own. */
  readonly connect: Effect.Effect<Wire.Connection, never, Scope.Scope>
  /** The lines of level error logged since they were taken last. */
  readonly takeErrors: Effect.Effect<ReadonlyArray<LogLine>>
  /** Runs an effect before each document is processed, until the scope ends. */
  readonly intercept: (
    effect: Effect.Effect<void, StorageUnavailable>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Keeps documents of a shipment that is there from being processed: on PostgreSQL by a lock on its row. */
  readonly hold: (shipmentNumber: string) => Effect.Effect<Hold, never, Scope.Scope>
  /** Moves the server's clock forward. */
  readonly advance: (millis: number) => Effect.Effect<void>
}>()("test/TestServer") {}

const baseUrl = "http://dockline.test"

/** What a request for a token says. */
export const tokenRequest = (client: DemoClient) => ({
  client_id: client,
  client_secret: DemoData.secretOf(client),
  audience: audienceOf(baseUrl),
  grant_type: "client_credentials"
})

interface Control {
  intercept: Effect.Effect<void, StorageUnavailable>
  offset: number
  errors: Array<LogLine>
}

const authentication = Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer()).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Clients.layer(),
    Tokens.layer({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) })
  ))
)

const intercepted = (control: Control) =>
  Layer.effect(
    IntakeStore,
    Effect.map(IntakeStore, (store) =>
      IntakeStore.of({
        transact: (...args) =>
          Effect.andThen(Effect.suspend(() => control.intercept), store.transact(...args))
      }))
  )

const logger = (control: Control) =>
  Logger.layer([
    Logger.make(({ logLevel, message, cause, fiber }) => {
      if (logLevel !== "Error" && logLevel !== "Fatal") return
      control.errors.push({
        level: logLevel,
        message: Array.isArray(message) ? message.join(" ") : String(message),
        cause: Cause.pretty(cause),
        annotations: fiber.getRef(References.CurrentLogAnnotations)
      })
    })
  ])

const movableClock = (control: Control) =>
  Layer.effect(
    Clock.Clock,
    Clock.clockWith((clock) => {
      const nanos = () => BigInt(control.offset) * 1_000_000n
      return Effect.succeed<Clock.Clock>({
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + control.offset,
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + control.offset),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanos(),
        currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + nanos()),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + nanos(),
        monotonicTimeNanos: Effect.map(clock.monotonicTimeNanos, (now) => now + nanos()),
        sleep: (duration) => clock.sleep(duration)
      })
    })
  )

/** The server on its stores. */
const serving = <E, R>(stores: Layer.Layer<Stores, E, R>, control: Control, options: TestServerOptions) =>
  HttpRouter.serve(
    HttpAdapter.layer({ ...defaultHttpConfig, baseUrl, ...options }).pipe(
      Layer.provide([
        Intake.layer({ itemLimit: options.itemLimit ?? defaultHttpConfig.itemLimit }),
        authentication,
        Layer.effectDiscard(DemoData.install)
      ]),
      Layer.provide(intercepted(control)),
      Layer.provide(stores)
    ),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => NodeServer.create(), {
        host: "127.0.0.1",
        port: 0,
        gracefulShutdownTimeout: "2 seconds"
      })
    ),
    Layer.provide([logger(control), movableClock(control)])
  )

const client = Effect.fnUntraced(function*(control: Control, hold: TestServer["Service"]["hold"]) {
  const { address } = yield* HttpServer.HttpServer
  assert(address._tag === "InetAddressV4")
  const { port } = address
  const send = yield* Wire.makeSender(port)
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
    intercept: (effect) =>
      Effect.asVoid(Effect.acquireRelease(
        Effect.sync(() => (control.intercept = effect)),
        () => Effect.sync(() => (control.intercept = Effect.void))
      )),
    hold,
    advance: (millis) =>
      Effect.sync(() => {
        control.offset += millis
        tokens.clear()
      })
  })
})

const serverLayer = <E, R, R2>(
  stores: Layer.Layer<Stores, E, R>,
  options: TestServerOptions,
  makeHold: (control: Control) => Effect.Effect<TestServer["Service"]["hold"], never, R2>
) =>
  Layer.unwrap(Effect.gen(function*() {
    const control: Control = { intercept: Effect.void, offset: 0, errors: [] }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => assert.deepStrictEqual(control.errors, [], "errors that the server logged"))
    )
    return Layer.effect(TestServer, Effect.flatMap(makeHold(control), (hold) => client(control, hold))).pipe(
      Layer.provide(serving(stores, control, options))
    )
  }))

const holdInMemory = (control: Control): Effect.Effect<TestServer["Service"]["hold"]> =>
  Effect.succeed(() =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          control.intercept = Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(gate))
        }),
        () =>
          Effect.suspend(() => {
            control.intercept = Effect.void
            return Deferred.succeed(gate, undefined)
          })
      )
      return { waiting: Deferred.await(arrived), release: Effect.asVoid(Deferred.succeed(gate, undefined)) }
    })
  )

const holdByLock = Effect.map(
  SqlClient.SqlClient,
  (sql): TestServer["Service"]["hold"] =>
    Effect.fnUntraced(function*(shipmentNumber) {
      const locked = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      yield* Effect.addFinalizer(() => Deferred.succeed(gate, undefined))
      yield* Effect.forkScoped(
        sql.withTransaction(Effect.gen(function*() {
          yield* sql`select from dockline.shipment where number = ${shipmentNumber} for update`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(gate)
        }))
      )
      yield* Deferred.await(locked)
      const waiters = sql<{ readonly count: number }>`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
      return {
        waiting: waiters.pipe(
          Effect.flatMap(([row]) => row!.count > 0 ? Effect.void : Effect.fail("not yet")),
          Effect.retry(Schedule.spaced("5 millis")),
          Effect.orDie
        ),
        release: Effect.asVoid(Deferred.succeed(gate, undefined))
      }
    })
)

/** A server on memory. */
export const layerMemory = (options: TestServerOptions = {}): Layer.Layer<TestServer> =>
  Layer.orDie(serverLayer(Memory.layer, options, holdInMemory))

const readiness = Layer.effect(
  Readiness,
  Effect.map(SqlClient.SqlClient, (sql) => Effect.provideService(Database.ping, SqlClient.SqlClient, sql))
)

/** A server on the database of the `SqlClient`, whose schema must be migrated. */
export const layerSql = (
  options: TestServerOptions = {}
): Layer.Layer<TestServer, never, SqlClient.SqlClient> =>
  Layer.orDie(serverLayer(Sql.layer, options, () => holdByLock)).pipe(Layer.provide(readiness))

/** A server on a PostgreSQL database of its own, which the tests may look into. */
export const layerPostgres = (
  options: TestServerOptions = {}
): Layer.Layer<TestServer | SqlClient.SqlClient> =>
  Layer.orDie(Layer.provideMerge(layerSql(options), TestDatabase.layer))

/** The two storages, on which the same tests give the same answers. */
export const storages: ReadonlyArray<{
  readonly name: string
  readonly layer: (options?: TestServerOptions) => Layer.Layer<TestServer>
}> = [{ name: "memory", layer: layerMemory }, { name: "PostgreSQL", layer: layerPostgres }]

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

/** What a refusal is known by. */
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

/** A name that no other test of the run uses on the same server. */
export const unique = (prefix: string): string => `${prefix}-${++made}`
