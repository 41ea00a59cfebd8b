/**
 * Browsers as a confused deputy: browsers add no cookie and no login by themselves, requests that a page may send without a preflight
 * change nothing, and no other site may read an answer.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { submit } from "../graphql/Sample.ts"
import { rawSocket } from "../graphql/Sockets.ts"
import { order } from "../http/Sample.ts"
import { layerMemory } from "../support/GraphqlServer.ts"
import { TestServer, tokenRequest } from "../support/TestServer.ts"

const origin = "https://evil.example"

/** The types that a page may send to another site without a preflight (Fetch, CORS-safelisted request headers). */
const simpleTypes = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]

const paths = [
  "/v1/documents",
  "/v1/pallet-events",
  "/v1/shipments/1/arrive",
  "/v1/operator/businesses",
  "/v1/operator/clients",
  "/public_graphql"
]

const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) =>
  Effect.flatMap(TestServer, ({ port }) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { origin, ...headers },
        redirect: "manual",
        ...(body === undefined ? {} : { body })
      })
      await response.arrayBuffer()
      return response
    }))

/** No answer sets anything that a browser sends again, or lets another site read it. */
const isClosedToOthers = ({ headers }: Response) => {
  assert.isNull(headers.get("set-cookie"))
  for (const name of headers.keys()) assert.notMatch(name, /^access-control-/)
}

layer(layerMemory(), { excludeTestServices: true })("another site in the browser", (it) => {
  // @threat browsers.1
  it.effect("what a page may send without asking is refused, with the user's cookies and without a token", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const before = (yield* server.get("/v1/shipments")).text
      // Even if a cookie contained a token.
      const cookie = `a=b; access_token=${yield* server.token("acme-client")}`
      for (const path of paths) {
        for (const type of simpleTypes) {
          const document = path === "/public_graphql" ? submit(order()) : order()
          const body = JSON.stringify(document)
          const response = yield* send("POST", path, { "content-type": type, cookie }, body)
          assert.strictEqual(response.status, 401, `${path} ${type}`)
          isClosedToOthers(response)
        }
      }
      assert.strictEqual((yield* server.get("/v1/shipments")).text, before)
    }))

  // @threat browsers.1
  it.effect("even with a token, text and forms are no documents and no operations", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const authorization = `Bearer ${yield* server.token("acme-client")}`
      const before = (yield* server.get("/v1/shipments")).text
      for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
        const document = yield* send(
          "POST",
          "/v1/documents",
          { "content-type": type, authorization },
          JSON.stringify(order())
        )
        assert.strictEqual(document.status, 415)
        isClosedToOthers(document)
        const operation = JSON.stringify(submit(order()))
        const graphql = yield* send(
          "POST",
          "/public_graphql",
          { "content-type": type, authorization },
          operation
        )
        assert.include([400, 415], graphql.status)
        isClosedToOthers(graphql)
      }
      const query = encodeURIComponent(`mutation { arriveShipment(input: { shipmentId: 1 }) { id } }`)
      assert.strictEqual(
        (yield* send("GET", `/public_graphql?query=${query}`, { authorization })).status,
        405
      )
      assert.strictEqual((yield* server.get("/v1/shipments")).text, before)
    }))

  // @threat browsers.2
  it.effect("a preflight request allows no other site anything", () =>
    Effect.gen(function*() {
      for (
        const path of [
          ...paths,
          "/oauth/token",
          "/v1/docs/",
          "/.well-known/jwks.json",
          "/healthz",
          "/metrics"
        ]
      ) {
        for (const asked of ["POST", "GET", "DELETE"]) {
          const response = yield* send("OPTIONS", path, {
            "access-control-request-method": asked,
            "access-control-request-headers": "authorization,content-type",
            "access-control-request-private-network": "true"
          })
          assert.isAtLeast(response.status, 400, path)
          isClosedToOthers(response)
        }
      }
    }))

  // @threat browsers.2
  it.effect("no answer sets a cookie or may be read elsewhere, and a token is kept by no cache", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const authorization = `Bearer ${yield* server.token("acme-client")}`
      for (const origin of ["https://evil.example", "null", "http://dockline.test"]) {
        for (const path of ["/v1/shipments", "/v1/docs/", "/public_graphql", "/nowhere", "/healthz"]) {
          isClosedToOthers(yield* send("GET", path, { authorization, origin, accept: "text/html" }))
        }
        const json = { "content-type": "application/json", origin }
        const token = yield* send("POST", "/oauth/token", json, JSON.stringify(tokenRequest("acme-client")))
        assert.deepStrictEqual([token.status, token.headers.get("cache-control")], [200, "no-store"])
        isClosedToOthers(token)
        const wrong = yield* send("POST", "/oauth/token", json, "{}")
        assert.strictEqual(wrong.status, 400)
        isClosedToOthers(wrong)
        const document = yield* send("POST", "/v1/documents", { ...json, authorization }, "{}")
        assert.strictEqual(document.status, 422)
        isClosedToOthers(document)
      }
    }))

  // @threat browsers.1
  it.effect("a socket that another site opens has no token of the user, and is closed", () =>
    Effect.scoped(Effect.gen(function*() {
      const socket = yield* rawSocket({ origin, cookie: "access_token=x" })
      socket.send({ type: "connection_init" })
      assert.strictEqual((yield* socket.closed).code, 4403)
      assert.deepStrictEqual(socket.frames, [])
    })))
})
