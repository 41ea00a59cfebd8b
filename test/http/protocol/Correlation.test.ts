import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, TestServer, tokenRequest } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const json = { "content-type": "application/json" }

/** One request of each kind of answer. */
const requests = [
  { name: "201", method: "POST", path: "/v1/documents", headers: json, document: true },
  { name: "400", method: "POST", path: "/v1/documents", headers: json, body: "{" },
  { name: "401", method: "GET", path: "/v1/shipments", client: null },
  { name: "404 of a shipment", method: "GET", path: "/v1/shipments/0" },
  { name: "404 of the router", method: "GET", path: "/nowhere", client: null },
  { name: "405", method: "DELETE", path: "/v1/documents", client: null },
  { name: "415", method: "POST", path: "/v1/documents", body: "x" },
  { name: "a list", method: "GET", path: "/v1/orders" },
  {
    name: "a token",
    method: "POST",
    path: "/oauth/token",
    client: null,
    headers: json,
    body: JSON.stringify(tokenRequest("tower"))
  },
  { name: "a refused token", method: "POST", path: "/oauth/token", client: null, headers: json, body: "{}" },
  { name: "the keys", method: "GET", path: "/.well-known/jwks.json", client: null },
  { name: "a probe", method: "GET", path: "/healthz", client: null }
] as const

const send = (given: typeof requests[number], correlation: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    return yield* server.request(given.method, given.path, {
      ...("client" in given ? { client: given.client } : {}),
      ...("body" in given
        ? { body: given.body }
        : "document" in given
        ? { body: JSON.stringify(order()) }
        : {}),
      headers: { ...("headers" in given ? given.headers : {}), ...correlation }
    })
  })

layer(layerMemory(), { excludeTestServices: true })("D4.5 correlation ids", (it) => {
  for (const given of requests) {
    it.effect(`${given.name}: the client's own is returned`, () =>
      Effect.gen(function*() {
        const reply = yield* send(given, { "correlation-id": "a b/ç=\"1\"" })
        assert.strictEqual(reply.headers["correlation-id"], "a b/ç=\"1\"")
      }))

    it.effect(`${given.name}: one is made, a new one each time`, () =>
      Effect.gen(function*() {
        const first = yield* send(given, {})
        const second = yield* send(given, {})
        assert.match(String(first.headers["correlation-id"]), uuid)
        assert.match(String(second.headers["correlation-id"]), uuid)
        assert.notStrictEqual(first.headers["correlation-id"], second.headers["correlation-id"])
      }))
  }

  it.effect("128 characters are returned, 129 are replaced", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const get = (id: string) => server.get("/healthz", { client: null, headers: { "correlation-id": id } })
      assert.strictEqual((yield* get("x".repeat(128))).headers["correlation-id"], "x".repeat(128))
      assert.match(String((yield* get("x".repeat(129))).headers["correlation-id"]), uuid)
      assert.match(String((yield* get("")).headers["correlation-id"]), uuid)
    }))

  for (const [name, id] of [["a tab", "a\tb"], ["a C1 control character", "a\u0085b"]] as const) {
    it.effect(`${name} is replaced`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const connection = yield* server.connect
        yield* connection.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nCorrelation-Id: ${id}\r\n\r\n`)
        const reply = yield* connection.read({ method: "GET", path: "/healthz" })
        assert.match(String(reply.headers["correlation-id"]), uuid)
      }))
  }

  it.effect("several requests at once keep their own", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => `id-${index}`),
        (id) =>
          Effect.map(server.post(order(), { headers: { "correlation-id": id } }), ({ headers }) =>
            assert.strictEqual(headers["correlation-id"], id)),
        { concurrency: "unbounded" }
      )
    }))
})
