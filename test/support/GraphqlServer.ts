/**
 * The REST and the GraphQL interface on one real socket, including web sockets, on memory or PostgreSQL, with the demo data (D12.2), and
 * the stores behind it for tests.
 */
import { ClientStore } from "@dockline/core/access/Principals"
import type { Stores } from "@dockline/core/memory/Memory"
import type { Message, MessageDraft } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { GraphqlEngine } from "@dockline/graphql-adapter/engine/Engine"
import * as GraphqlAdapter from "@dockline/graphql-adapter/GraphqlAdapter"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import type { GraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { WebSockets } from "@dockline/graphql-adapter/socket/WebSockets"
import * as DocumentFiles from "@dockline/http-adapter/handlers/DocumentFiles"
import { graphqlParts } from "@dockline/server/Capabilities"
import * as DemoData from "@dockline/server/lifecycle/DemoData"
import { NodeServer } from "@dockline/server/NodeServer"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { Socket } from "node:net"
import { assert } from "vitest"
import * as TestServer from "./TestServer.ts"
import type { DemoClient, TestServerOptions } from "./TestServer.ts"

/** An error as GraphQL shows it. */
export interface ShownError {
  readonly message: string
  readonly path?: ReadonlyArray<string | number>
  readonly extensions: {
    readonly code: string
    readonly reason?: string
    readonly newestId?: number
    readonly errors?: ReadonlyArray<{ readonly path: string; readonly detail: string }>
  }
}

/** The result of an operation. */
export interface Result<Data = unknown> {
  readonly data?: Data | null
  readonly errors?: ReadonlyArray<ShownError>
}

/** An answer to an operation over HTTP. */
export interface Answer<Data = unknown> extends Result<Data> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** An operation to be sent. */
export interface Operation {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

/** The differences of the server under test from the default. */
export interface GraphqlServerOptions extends Omit<TestServerOptions, "routes"> {
  readonly graphql?: Partial<GraphqlConfig>
}

/** A running server with GraphQL on it. */
export class GraphqlServer extends Context.Service<GraphqlServer, {
  readonly url: string
  readonly socketUrl: string
  readonly stores: Context.Context<Stores>
  /** The connections of the server, of all kinds. */
  readonly connections: ReadonlySet<Socket>
  /** The engine of the server, for inspection. */
  readonly engine: typeof GraphqlEngine.Service
  /** Sends an operation as a client, by default `acme-client`; `null` sends no token. */
  readonly execute: <Data = unknown>(
    operation: Operation,
    client?: DemoClient | null
  ) => Effect.Effect<Answer<Data>>
  /** Sends any request with the token of a client. */
  readonly fetch: (
    init: RequestInit & { readonly query?: string },
    client?: DemoClient | null
  ) => Effect.Effect<Answer>
  /** Appends messages without REST, as fast as the log accepts them. */
  readonly append: (...drafts: ReadonlyArray<MessageDraft>) => Effect.Effect<ReadonlyArray<Message>>
  /** Changes the permissions of a client; they are restored to the demo data when the scope closes. */
  readonly change: (
    client: DemoClient,
    change: Partial<{ readonly enabled: boolean; readonly grants: (typeof DemoData.grants)[string] }>
  ) => Effect.Effect<void>
}>()("test/GraphqlServer") {}

interface Inside {
  readonly connections: ReadonlySet<Socket>
  readonly stores: Context.Context<Stores>
  readonly engine: typeof GraphqlEngine.Service
}

const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  // Answers that are the same for everybody have a caching rule of their own.
  if (!/\/(?:graphiql\/|schema\.graphql)/.test(response.url)) {
    assert.strictEqual(response.headers.get("cache-control"), "no-store", `no cache keeps it: ${text}`)
  }
  const isJson = text !== "" && response.headers.get("content-type")?.includes("json") === true
  const body: unknown = isJson ? JSON.parse(text) : {}
  return { ...(body as Result), status: response.status, headers: response.headers, text }
}

const make = Effect.fnUntraced(function*(inside: Inside) {
  const { port, token } = yield* TestServer.TestServer
  const url = `http://127.0.0.1:${port}${defaultGraphqlConfig.path}`
  const log = Context.get(inside.stores, MessageLog)
  const clients = Context.get(inside.stores, ClientStore)

  const send = Effect.fnUntraced(function*(
    { query = "", ...init }: RequestInit & { readonly query?: string },
    client: DemoClient | null = "acme-client"
  ) {
    const headers = new Headers(init.headers)
    if (client !== null) headers.set("authorization", `Bearer ${yield* token(client)}`)
    return yield* Effect.promise(async () => answerOf(await fetch(`${url}${query}`, { ...init, headers })))
  })

  return GraphqlServer.of({
    url,
    socketUrl: url.replace("http:", "ws:"),
    ...inside,
    fetch: send,
    execute: <Data>(operation: Operation, client?: DemoClient | null) =>
      Effect.map(
        send(
          {
            method: "POST",
            headers: { "content-type": "application/json", accept: "application/json" },
            body: JSON.stringify(operation)
          },
          client
        ),
        (answer) => answer as Answer<Data>
      ),
    append: (...drafts) => Effect.orDie(log.append(drafts)),
    change: (client, change) =>
      Effect.gen(function*() {
        const known = yield* clients.find(client)
        assert(known !== null)
        yield* clients.put([{ ...known, ...change }])
      }).pipe(Effect.orDie)
  })
})

/** GraphQL over HTTP and web sockets, on the server, with the schemas of all capabilities that ship. */
const mounted = (server: NodeServer, config: GraphqlConfig) =>
  Layer.effectDiscard(WebSockets.useSync((sockets) => server.upgrades.register(sockets))).pipe(
    Layer.merge(GraphqlAdapter.routes(config)),
    Layer.provideMerge(GraphqlAdapter.layer(config, graphqlParts)),
    Layer.provide(DocumentFiles.layer(config))
  )

const serverLayer = <Success extends TestServer.TestServer, E, R>(
  storage: (options: TestServerOptions) => Layer.Layer<Success, E, R>,
  { graphql, createServer = () => new NodeServer(), ...options }: GraphqlServerOptions
) =>
  Layer.unwrap(Effect.sync(() => {
    const server = createServer()
    const connections = new Set<Socket>()
    server.on("connection", (socket) => {
      connections.add(socket)
      socket.once("close", () => connections.delete(socket))
    })
    let inside: Inside | undefined
    const capture = Layer.effectDiscard(Effect.gen(function*() {
      inside = { connections, stores: yield* Effect.context<Stores>(), engine: yield* GraphqlEngine }
    }))
    const routes = capture.pipe(Layer.provideMerge(mounted(server, { ...defaultGraphqlConfig, ...graphql })))
    return Layer.effect(GraphqlServer, Effect.suspend(() => make(inside!))).pipe(
      Layer.provideMerge(storage({ ...options, routes, createServer: () => server }))
    )
  }))

/** A server on memory. */
export const layerMemory = (options: GraphqlServerOptions = {}) =>
  serverLayer(TestServer.layerMemory, options)

/** A server on the database of the `SqlClient`, whose schema must be migrated. */
export const layerSql = (
  options: GraphqlServerOptions = {}
): Layer.Layer<GraphqlServer | TestServer.TestServer, never, SqlClient.SqlClient> =>
  serverLayer(TestServer.layerSql, options)

/** A server on a PostgreSQL database of its own. */
export const layerPostgres = (options: GraphqlServerOptions = {}) =>
  serverLayer(TestServer.layerPostgres, options)
