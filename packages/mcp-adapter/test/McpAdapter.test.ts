/** The Model Context Protocol over a real socket (D16.3): the official client, refusals, limits and shares. */
import { OpenAnswerMemory, overloaded } from "@dockline/core/access/RequestLimits"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import * as RateLimits from "@dockline/http-adapter/tokens/RateLimits"
import { assert, layer } from "@effect/vitest"
import type { CallToolResult } from "@modelcontextprotocol/client"
import { Effect, Layer } from "effect"
import { item, order } from "../../../test/http/Sample.ts"
import { baseUrl, layerMemory, refusalOf, TestServer, unique } from "../../../test/support/TestServer.ts"
import { asking, call, connect, request, routes, send } from "./Setup.ts"

layer(layerMemory({ routes: routes() }))("D16.3 the official client", (it) => {
  for (const revision of ["legacy", "auto"] as const) {
    it.effect(`of ${revision} revisions lists the tools and calls them: a read, a list and a write`, () =>
      Effect.gen(function*() {
        const { get, submit } = yield* TestServer
        const orderNumber = unique("M")
        const { shipment: { id } } = yield* submit(
          order({ orderNumber, carrier: `"A\\B" 雪 & <Söhne>`, items: [item("P-1")] })
        )
        const client = yield* connect(revision, "tower")
        assert.strictEqual(
          client.getNegotiatedProtocolVersion(),
          revision === "legacy" ? "2025-11-25" : "2026-07-28"
        )
        assert.strictEqual(client.getServerVersion()?.name, "dockline")
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.includeMembers(tools.map(({ name }) => name), ["search", "getShipment", "listShipments"])
        const acme = yield* connect(revision, "acme-client")
        const answers = yield* Effect.promise(async () => [
          await acme.callTool({ name: "getShipment", arguments: { id: String(id) } }),
          await acme.callTool({ name: "listOrders", arguments: { orderNumber, limit: 1 } })
        ])
        const shipment = yield* get(`/v1/shipments/${id}`)
        const orders = yield* get(`/v1/orders?orderNumber=${orderNumber}&limit=1`)
        assert.deepStrictEqual(answers.map(({ structuredContent }) => structuredContent), [
          shipment.body as Record<string, unknown>,
          orders.body as Record<string, unknown>
        ])
        for (const { content, structuredContent } of answers) {
          assert.deepStrictEqual(content, [{ type: "text", text: JSON.stringify(structuredContent) }])
        }
        const arrived = yield* Effect.promise(() =>
          client.callTool({ name: "arriveShipment", arguments: { id: String(id), dockSlug: "D1" } })
        )
        assert.isUndefined(arrived.isError, JSON.stringify(arrived))
        assert.deepStrictEqual(
          arrived.structuredContent,
          (yield* get(`/v1/shipments/${id}`)).body as Record<string, unknown>
        )
        assert.strictEqual((arrived.structuredContent as { readonly status?: string }).status, "ARRIVED")
      }).pipe(Effect.scoped))
  }

  it.effect("submits a document as over REST, and under a key once", () =>
    Effect.gen(function*() {
      const { get } = yield* TestServer
      const input = order({ orderNumber: unique("M"), items: [item("P-1")] })
      const headers = { "idempotency-key": unique("key") }
      const first = yield* call("submitDocument", input, { headers })
      const { created, shipment } = first.result.structuredContent as unknown as {
        readonly created: ReadonlyArray<{ readonly type: string }>
        readonly shipment: { readonly id: number }
      }
      assert.deepStrictEqual(created.map(({ type }) => type), ["SHIPMENT", "ORDER", "ORDER_ITEM"])
      assert.deepStrictEqual((yield* get(`/v1/shipments/${shipment.id}`)).body, shipment)
      assert.deepStrictEqual(
        (yield* call("submitDocument", input, { headers })).result.structuredContent,
        first.result.structuredContent
      )
      const other = yield* call("submitDocument", { ...input, carrier: "DHL" }, { headers })
      assert.deepStrictEqual(codeOf(other), errorResult("IDEMPOTENCY_KEY_REUSED"))
      const bad = yield* call("submitDocument", { ...input, direction: "UP" })
      assert.deepStrictEqual(codeOf(bad), errorResult("INVALID_DOCUMENT"))
      const { body } = yield* get(`/v1/documents?orderNumber=${input.orderNumber}&outcome=REFUSED`)
      const { items } = body as { readonly items: ReadonlyArray<{ readonly code: string }> }
      assert.deepStrictEqual(items.map(({ code }) => code), ["INVALID_DOCUMENT"])
    }))
})

const errorResult = (code: string) => ({ isError: true, code })

const codeOf = ({ result }: { readonly result: CallToolResult }) => ({
  isError: result.isError,
  code: (result.structuredContent as { readonly code?: string } | undefined)?.code
})

layer(layerMemory({ routes: routes({ bodyLimit: 2000 }) }))("what is refused", (it) => {
  it.effect("a request without a token is told where to look for one", () =>
    Effect.gen(function*() {
      const reply = yield* send(asking("tools/list"), { client: null })
      assert.deepStrictEqual(refusalOf(reply), [401, "UNAUTHENTICATED"])
      const address = `${baseUrl}/.well-known/oauth-protected-resource/mcp`
      assert.strictEqual(reply.headers["www-authenticate"], `Bearer resource_metadata="${address}"`)
      const forgery = yield* send(asking("tools/list"), {
        client: null,
        headers: { authorization: "Bearer forged" }
      })
      assert.match(
        forgery.headers["www-authenticate"]!,
        /^Bearer error="invalid_token", .*, resource_metadata="http/
      )
      for (
        const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]
      ) {
        const { body, status } = yield* request("GET", path, { client: null })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body, {
          resource: `${baseUrl}/mcp`,
          authorization_servers: [baseUrl],
          bearer_methods_supported: ["header"],
          resource_name: "Dockline"
        })
      }
    }))

  // @threat requests.13
  it.effect("requests that are no messages are problems (D4.2)", () =>
    Effect.gen(function*() {
      const cases = [
        [yield* request("GET", "/mcp"), 405, "METHOD_NOT_ALLOWED"],
        [yield* request("DELETE", "/mcp"), 405, "METHOD_NOT_ALLOWED"],
        [yield* send("{}", { headers: { "content-type": "text/plain" } }), 415, "UNSUPPORTED_MEDIA_TYPE"],
        [yield* send(`{"jsonrpc": "2.0", "jsonrpc": "2.0"}`), 400, "MALFORMED_REQUEST"],
        [yield* send([asking("ping"), asking("ping")]), 400, "MALFORMED_REQUEST"],
        [yield* send(asking("ping", { padding: "x".repeat(2000) })), 413, "PAYLOAD_TOO_LARGE"],
        [yield* request("POST", "/MCP", { body: "{}" }), 404, "RESOURCE_NOT_FOUND"],
        [yield* request("POST", "/mcp/", { body: "{}" }), 404, "RESOURCE_NOT_FOUND"]
      ] as const
      for (const [reply, ...refusal] of cases) assert.deepStrictEqual(refusalOf(reply), refusal, reply.text)
      assert.strictEqual(cases[0][0].headers["allow"], "POST")
    }))

  it.effect("pages of another site are refused", () =>
    Effect.gen(function*() {
      const foreign = yield* send(asking("ping"), { headers: { origin: "https://evil.example" } })
      assert.strictEqual(foreign.status, 403)
      const own = yield* send(asking("ping"), { headers: { origin: baseUrl } })
      assert.strictEqual(own.status, 200)
    }))

  // @threat requests.13
  it.effect("nothing is streamed: neither batches nor what clients listen to", () =>
    Effect.gen(function*() {
      const client = yield* connect("auto")
      const refusal = yield* Effect.promise(() =>
        client.listen({ toolsListChanged: true }).then(() => "listening", () => "refused")
      )
      assert.strictEqual(refusal, "refused")
      const { headers } = yield* send(asking("tools/list"))
      assert.strictEqual(headers["content-type"], "application/json")
    }).pipe(Effect.scoped))

  it.effect("a tool that is none is an error of the protocol", () =>
    Effect.gen(function*() {
      const { error } = yield* call("deleteEverything", {})
      assert.deepStrictEqual(error, { code: -32602, message: "Unknown tool: deleteEverything" })
    }))

  it.effect("a call is refused as over REST, with the code and the faults", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        codeOf(yield* call("getShipment", { id: "999999" })),
        errorResult("SHIPMENT_NOT_FOUND")
      )
      const bad = yield* call("listShipments", { status: "LOST", colour: "red" })
      assert.deepStrictEqual(codeOf(bad), errorResult("MALFORMED_REQUEST"))
      assert.include(JSON.stringify(bad.result.content), "colour")
      assert.deepStrictEqual(
        codeOf(yield* call("linkShipments", { id: "1" })),
        errorResult("INVALID_REQUEST")
      )
      assert.deepStrictEqual(codeOf(yield* call("search", {})), errorResult("INVALID_REQUEST"))
      assert.deepStrictEqual(codeOf(yield* call("getShipment", { id: 1 })), errorResult("MALFORMED_REQUEST"))
    }))

  it.effect("tools that a client has no permission for are not listed, and refused by their rule", () =>
    Effect.gen(function*() {
      const namesOf = (client: "acme-client" | "tower") =>
        Effect.map(
          send(asking("tools/list"), { client }),
          ({ body }) =>
            (body as { readonly result: { readonly tools: ReadonlyArray<{ readonly name: string }> } }).result
              .tools
              .map(({ name }) => name)
        )
      const writes = ["arriveShipment", "departShipment", "linkShipments", "recordPalletEvent"]
      const ofTower = yield* namesOf("tower")
      const ofAcme = yield* namesOf("acme-client")
      assert.includeMembers(ofTower, ["cancelShipment", ...writes])
      assert.deepStrictEqual(ofTower.filter((name) => !ofAcme.includes(name)).sort(), writes)
      const { submit } = yield* TestServer
      const { shipment: { id } } = yield* submit(order())
      const arrived = yield* call("arriveShipment", { id: String(id) })
      assert.deepStrictEqual(codeOf(arrived), errorResult("FORBIDDEN"))
    }))

  it.effect("a storage that is away is told as such, and a defect by its correlation id alone", () =>
    Effect.gen(function*() {
      const { intercept, submit, takeErrors } = yield* TestServer
      const { shipment: { id } } = yield* submit(order())
      const arrive = call("arriveShipment", { id: String(id) }, {
        client: "tower",
        headers: { "correlation-id": "my-call" }
      })
      const away = Effect.andThen(intercept(Effect.fail(new StorageUnavailable({ cause: "away" }))), arrive)
      assert.deepStrictEqual(codeOf(yield* Effect.scoped(away)), errorResult("STORAGE_UNAVAILABLE"))
      const failure = Effect.andThen(intercept(Effect.die(new Error("a secret"))), arrive)
      const defect = yield* Effect.scoped(failure)
      assert.deepStrictEqual(codeOf(defect), errorResult("INTERNAL_ERROR"))
      assert.include(JSON.stringify(defect), "my-call")
      assert.notInclude(JSON.stringify(defect), "a secret")
      assert.lengthOf(yield* takeErrors, 1)
    }))
})

layer(layerMemory({ routes: routes(), limits: RateLimits.layer({ perMinute: 3, clientCapacity: 10 }) }))(
  "one client",
  (it) => {
    // @threat load.2
    it.effect("has one count of requests over REST and MCP (D10.5)", () =>
      Effect.gen(function*() {
        const { get } = yield* TestServer
        assert.strictEqual((yield* get("/v1/shipments")).status, 200)
        const second = yield* send(asking("tools/list"))
        assert.strictEqual(second.headers["ratelimit"], `"default";r=1;t=60`)
        assert.strictEqual((yield* get("/v1/shipments")).status, 200)
        const fourth = yield* send(asking("tools/list"))
        assert.deepStrictEqual(refusalOf(fourth), [429, "RATE_LIMITED"])
        assert.strictEqual(fourth.headers["ratelimit"], `"default";r=0;t=60`)
        assert.deepStrictEqual(refusalOf(yield* get("/v1/shipments")), [429, "RATE_LIMITED"])
        assert.strictEqual((yield* send(asking("tools/list"), { client: "tower" })).status, 200)
      }))
  }
)

/** What answers have asked for, in characters; there is room for none beyond 10,000. */
const reservations: Array<number> = []

const memory = Layer.succeed(OpenAnswerMemory, () => ({
  memory: {
    reserve: (characters) => {
      reservations.push(characters)
      return characters > 10_000 ? Effect.fail(overloaded()) : Effect.void
    },
    reserveNow: () => true
  },
  release: () => reservations.push(0)
}))

layer(layerMemory({ routes: Layer.provide(routes(), memory) }))("the room of answers (D12.3)", (it) => {
  it.effect("is taken, given back, and its refusal is that of the call", () =>
    Effect.gen(function*() {
      const { submit } = yield* TestServer
      const items = Array.from({ length: 100 }, (_, at) => item(`L-${at}`))
      const large = yield* submit(order({ items }))
      const small = yield* submit(order())
      reservations.length = 0
      yield* call("getShipment", { id: String(small.shipment.id) })
      assert.strictEqual(reservations.at(-1), 0)
      assert.isAbove(reservations[0]!, 0)
      const { result } = yield* call("getShipment", { id: String(large.shipment.id) })
      assert.deepStrictEqual(codeOf({ result }), errorResult("OVERLOADED"))
    }))

  it.effect("holds a long answer, which is written in pieces", () =>
    Effect.gen(function*() {
      const { get, submit } = yield* TestServer
      const items = Array.from({ length: 3000 }, (_, at) => item(`Ł-${at}`))
      const { shipment: { id } } = yield* submit(order({ items }))
      const reply = yield* send(
        asking("tools/call", { name: "arriveShipment", arguments: { id: String(id) } }),
        { client: "tower" }
      )
      assert.isUndefined(reply.headers["content-length"])
      const { result } = reply.body as { readonly result: CallToolResult }
      assert.deepStrictEqual(result.content, [
        { type: "text", text: JSON.stringify(result.structuredContent) }
      ])
      assert.deepStrictEqual<unknown>(result.structuredContent, (yield* get(`/v1/shipments/${id}`)).body)
    }))
})
