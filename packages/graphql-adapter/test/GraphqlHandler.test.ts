/**
 * The GraphQL interface over what is built already, without the HTTP adapter: operations, uploads, event streams and web
 * sockets, and the end of each.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import * as Capability from "@dockline/core/capability/Capability"
import { DocumentReader } from "@dockline/core/document/DocumentReader"
import { append } from "@dockline/core/document/Strategy"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { recently } from "@dockline/testing/generators/Given"
import { Effect, Layer } from "effect"
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql"
import { createClient } from "graphql-ws"
import { once } from "node:events"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { WebSocket } from "ws"
import * as GraphqlHandler from "../src/GraphqlHandler.ts"
import type { GraphqlPart } from "../src/schema/Schema.ts"

const everything = {
  clientId: "everything",
  grants: [{
    business: "acme",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write"]
  }]
} as const

const authenticator = Authenticator.layerPromise(async (header) => header === "Key" ? everything : null)

const open = async (options: Partial<Dockline.Options> = {}) => {
  const dockline = await Dockline.open({ storage: Memory.layer, ...options })
  await dockline.places([
    { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East", docks: ["D1"] }] }
  ])
  return dockline
}

/** What the interface is made from, without the HTTP adapter. */
const services = ({ layer }: Dockline.Dockline, authorization = authenticator) =>
  Layer.mergeAll(
    layer,
    authorization,
    RequestLimits.layerNone,
    DocumentReader.layerJson().pipe(Layer.provide(layer))
  )

const item = { lpn: "P1", sku: "S", quantity: 1, quantityUnit: "CASE" }

const order = {
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber: "O-1",
  dockSlug: "D1",
  items: [item]
}

const event = {
  eventId: "e1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: recently("17:00:00Z"),
  labels: [{ name: "lpn", value: "P1" }]
}

const url = "http://dockline.test/public_graphql"

const post = (
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
  init: RequestInit = {}
) =>
  new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Key", ...headers },
    body: JSON.stringify({ query, variables }),
    ...init
  })

const submit = `mutation ($input: DocumentInput!) {
  submitDocument(input: $input) { created { type } shipment { scheduledAt } }
}`

const follow = "subscription { pushMessage(filter: { businessSlug: \"acme\", afterId: 0 }) { id message } }"

const events = { accept: "text/event-stream" }

/** Reads a stream until it holds a text, or ends. */
const readUntil = async (reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> => {
  let read = ""
  while (!read.includes(text)) {
    const { value, done } = await reader.read()
    if (done) return read
    read += new TextDecoder().decode(value)
  }
  return read
}

describe("the GraphQL interface over a façade", () => {
  it("shares its state, its strategies and its time", async () => {
    await using dockline = await open({ strategies: { ADD: append }, clock: { now: () => 0 } })
    await using graphql = await GraphqlHandler.make(services(dockline))
    const input = { ...order, orderItemUpdateStrategy: "ADD" }
    const response = await graphql.handler(post(submit, { input }, { "correlation-id": "mine" }))
    assert.strictEqual(response.headers.get("correlation-id"), "mine")
    const { data } = await response.json() as { readonly data: { readonly submitDocument: unknown } }
    assert.deepStrictEqual(data.submitDocument, {
      created: [{ type: "SHIPMENT" }, { type: "ORDER" }, { type: "ORDER_ITEM" }],
      shipment: { scheduledAt: "1970-01-01T00:00:00.000Z" }
    })
    const page = await dockline.orders({ orderNumber: "O-1" }, everything)
    assert.strictEqual(page.ok && page.value.items.length, 1)
  })

  it("names the strategies that a document may name", async () => {
    await using dockline = await open({ strategies: { ADD: append } })
    await using graphql = await GraphqlHandler.make(services(dockline))
    const query = "{ __type(name: \"DocumentInput\") { inputFields { name description } } }"
    const response = await graphql.handler(post(query))
    assert.include(await response.text(), "\\\"DELETE\\\", \\\"OVERWRITE\\\", \\\"ADD\\\"")
  })

  it("takes files in JSON without the HTTP adapter, and says what others are to be", async () => {
    await using dockline = await open({ strategies: { ADD: append } })
    await using graphql = await GraphqlHandler.make(services(dockline))
    const upload = async (content: string, type: string) => {
      const form = new FormData()
      const query =
        `mutation ($file: Upload!) { uploadDocument(input: { file: $file }) { created { type } } }`
      form.append("operations", JSON.stringify({ query, variables: { file: null } }))
      form.append("map", JSON.stringify({ 0: ["variables.file"] }))
      form.append("0", new Blob([content], { type }), "document")
      const headers = { authorization: "Key", "graphql-require-preflight": "1" }
      const response = await graphql.handler(new Request(url, { method: "POST", headers, body: form }))
      return await response.text()
    }
    const text = JSON.stringify({ ...order, orderItemUpdateStrategy: "ADD" })
    assert.include(await upload(text, "application/json"), "\"ORDER_ITEM\"")
    assert.include(await upload(text, "application/xml"), "UNSUPPORTED_MEDIA_TYPE")
    assert.include(
      await upload("{", "application/json; charset=utf-8"),
      "line 1, column 2: expected a key in double quotes"
    )
  })

  it("is served at the path that it is given", async () => {
    await using dockline = await open()
    await using graphql = await GraphqlHandler.make(services(dockline), { path: "/dockline/graphql" })
    assert.isTrue(graphql.serves({ url: "/dockline/graphql?query=x" }))
    assert.isTrue(graphql.serves(new Request("http://x/dockline/graphql/graphiql/page.js")))
    assert.isFalse(graphql.serves({ url: "/public_graphql" }))
    assert.isFalse(graphql.serves({ url: undefined }))
    // What a request line may hold as well.
    for (const url of ["//", "/\\", "*", "", "http://["]) assert.isFalse(graphql.serves({ url }), url)
    const query = "http://dockline.test/dockline/graphql?query={__typename}"
    const response = await graphql.handler(new Request(query, { headers: { authorization: "Key" } }))
    assert.deepStrictEqual(await response.json(), { data: { __typename: "Query" } })
  })
})

describe("the schema of a capability", () => {
  const weather = Capability.make("weather", {
    title: "Weather",
    description: "What the weather is",
    operations: {},
    services: Layer.empty,
    handlers: Effect.succeed({}),
    memory: Layer.empty,
    answers: {}
  })
  const part: GraphqlPart = {
    name: "weather",
    path: "/weather/graphql",
    schemaOf: () =>
      new GraphQLSchema({
        query: new GraphQLObjectType({
          name: "Query",
          fields: { sky: { type: GraphQLString, resolve: () => "clear" } }
        })
      })
  }
  const request = () =>
    new Request("http://dockline.test/weather/graphql?query={sky}", { headers: { authorization: "Key" } })

  it("is served at its path beside the other", async () => {
    await using dockline = await open({ capabilities: [weather] })
    await using graphql = await GraphqlHandler.make(services(dockline), { path: "/graphql", parts: [part] })
    assert.isTrue(graphql.serves({ url: part.path }))
    assert.deepStrictEqual(await (await graphql.handler(request())).json(), { data: { sky: "clear" } })
  })

  it("is not there where the service leaves the capability out", async () => {
    await using dockline = await open()
    await using graphql = await GraphqlHandler.make(services(dockline), { path: "/graphql", parts: [part] })
    assert.isFalse(graphql.serves({ url: part.path }))
    assert.strictEqual((await graphql.handler(request())).status, 404)
  })
})

describe("event streams", () => {
  it("follow the log, and end with the request that is given up", async () => {
    const leave = Promise.withResolvers<void>()
    const watching = Layer.effect(
      MessageLog,
      Effect.map(MessageLog, (log) =>
        MessageLog.of({
          ...log,
          follow: (...args) =>
            Effect.andThen(Effect.addFinalizer(() => Effect.sync(() => leave.resolve())), log.follow(...args))
        }))
    )
    await using dockline = await open({ storage: watching.pipe(Layer.provideMerge(Memory.layer)) })
    await using graphql = await GraphqlHandler.make(services(dockline))
    const controller = new AbortController()
    const response = await graphql.handler(post(follow, {}, events, { signal: controller.signal }))
    const reader = response.body!.getReader()
    await dockline.submit(order, everything)
    const recording = dockline.recordPallet(event, everything)
    assert.include(await readUntil(reader, "O-1"), "\"orders\":[\"O-1\"]")
    assert.isTrue((await recording).ok)
    controller.abort()
    await leave.promise
    await reader.cancel().catch(() => undefined)
  })

  it("end as the interface is closed, and what comes later is answered 503", async () => {
    await using dockline = await open()
    const graphql = await GraphqlHandler.make(services(dockline))
    const response = await graphql.handler(post(follow, {}, events))
    const reader = response.body!.getReader()
    await readUntil(reader, ":\n\n")
    const rest = readUntil(reader, "event: complete")
    await graphql.close()
    // A stream that ends without being complete is what clients connect again after.
    assert.notInclude(await rest, "complete")
    const later = await graphql.handler(post("{ __typename }", {}, { "correlation-id": "late-1" }))
    assert.strictEqual(later.status, 503)
    assert.strictEqual(later.headers.get("correlation-id"), "late-1")
    assert.isTrue((await dockline.shipments({}, everything)).ok)
  })
})

describe("web sockets", () => {
  it("are taken as upgrades of a server, and closed when that is asked for", async () => {
    await using dockline = await open()
    await using graphql = await GraphqlHandler.make(services(dockline))
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    server.on("upgrade", graphql.handleUpgrade)
    const client = createClient({
      url: `ws://127.0.0.1:${port}/public_graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: "Key" }
    })
    const closed = new Promise((resolve) =>
      client.on("closed", (closing) => resolve((closing as CloseEvent).code))
    )
    const messages = client.iterate({ query: follow })
    const next = messages.next()
    await dockline.submit(order, everything)
    await dockline.recordPallet(event, everything)
    assert.include(JSON.stringify((await next).value), "O-1")
    await graphql.closeAll()
    assert.strictEqual(await closed, 1001)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await messages.return?.().catch(() => undefined)
  })

  it("are refused once the interface is closed", async () => {
    await using dockline = await open()
    const graphql = await GraphqlHandler.make(services(dockline))
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    server.on("upgrade", graphql.handleUpgrade)
    await graphql.close()
    const { port } = server.address() as AddressInfo
    const socket = new WebSocket(`ws://127.0.0.1:${port}/public_graphql`, "graphql-transport-ws")
    const [, response] = await once(socket, "unexpected-response") as [unknown, IncomingMessage]
    assert.strictEqual(response.statusCode, 503)
    response.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})
