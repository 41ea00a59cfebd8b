import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, problemOf, refusalOf } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const secret = "select * from secrets at /srv/app/store.ts:12"

serving("problems", layerMemory(), (test) => {
  test(
    "D4.2 a defect is 500, shows nothing but the correlation id, and is logged under it",
    function*(server) {
      yield* server.intercept(Effect.die(new Error(secret)))
      const reply = yield* server.post(order(), { headers: { "correlation-id": "trace-500" } })
      assert.deepStrictEqual(problemOf(reply), {
        type: "about:blank",
        title: "Internal Server Error",
        status: 500,
        detail: "The service failed to process the request; quote the correlation id to its operator",
        code: "INTERNAL_ERROR",
        instance: "trace-500"
      })
      assert.strictEqual(reply.headers["correlation-id"], "trace-500")
      const errors = yield* server.takeErrors
      assert.deepStrictEqual(errors.map(({ annotations }) => annotations["correlationId"]), ["trace-500"])
      assert.include(errors[0]!.cause, secret)
    }
  )

  test(
    "D4.2 the instance of a defect is the generated correlation id where none was sent",
    function*(server) {
      yield* server.intercept(Effect.die(secret))
      const reply = yield* server.post(order())
      assert.strictEqual(problemOf(reply).instance, reply.headers["correlation-id"])
      assert.notInclude(reply.text, "secrets")
      assert.strictEqual((yield* server.takeErrors).length, 1)
    }
  )

  test("D4.2 a defect does not spoil the connection or the requests after it", function*(server) {
    yield* Effect.scoped(Effect.gen(function*() {
      yield* server.intercept(Effect.die(secret))
      yield* server.post(order())
      yield* server.takeErrors
    }))
    assert.strictEqual((yield* server.post(order())).status, 201)
  })

  for (
    const path of [
      "/",
      "/v1/documents/1/2",
      "/v1/shipments/1/2",
      "/favicon.png",
      "/..%2f..%2fetc/passwd",
      "/%00",
      "/%E0%A4%A",
      "/<script>",
      "/v1/%64ocuments"
    ]
  ) {
    test(`D4.2 404 without a token: ${path}`, function*(server) {
      const reply = yield* server.get(path, { client: null })
      assert.deepStrictEqual(refusalOf(reply), [404, "RESOURCE_NOT_FOUND"])
    })
  }

  for (
    const id of [
      "0",
      "-1",
      "01",
      "x",
      "9007199254740993",
      "%00",
      "1%2F2",
      "%ff",
      "%E0%A4%A",
      "1".repeat(101)
    ]
  ) {
    test(`D4.2 404 for the shipment ${id.slice(0, 30)}`, function*(server) {
      const reply = yield* server.get(`/v1/shipments/${id}`)
      assert.strictEqual(reply.status, 404, reply.text)
    })
  }

  for (
    const [method, path, allow] of [
      ["POST", "/v1/shipments", "GET, HEAD"],
      ["DELETE", "/v1/shipments/1", "GET, HEAD"],
      ["PUT", "/v1/orders", "GET, HEAD"],
      ["GET", "/oauth/token", "POST"],
      ["POST", "/.well-known/jwks.json", "GET, HEAD"],
      ["POST", "/healthz", "GET, HEAD"],
      ["OPTIONS", "/readyz", "GET, HEAD"],
      ["PROPFIND", "/v1/orders", "GET, HEAD"],
      ["PUT", "/v1/documents", "GET, HEAD, POST"],
      ["HEAD", "/oauth/token", "POST"]
    ] as const
  ) {
    test(`D4.3 405 with Allow: ${method} ${path}`, function*(server) {
      const reply = yield* server.request(method, path, { client: null })
      assert.strictEqual(reply.status, 405)
      assert.strictEqual(reply.headers["allow"], allow)
    })
  }

  // @threat requests.3
  test("D4.3 a path is one as it is written: 404 in another spelling", function*(server) {
    const connection = yield* server.connect
    const asked = (path: string) =>
      Effect.map(
        Effect.andThen(
          connection.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
          connection.read("malformed")
        ),
        ({ status }) => [path, status]
      )
    const spellings = [
      "/v1/documents/",
      "//v1//documents",
      "/V1/Documents",
      "/v1/documents;x=1",
      "/v1/%64ocuments",
      "/%6detrics",
      "/HEALTHZ",
      "//healthz",
      "/v1/operator/",
      "/v1/Operator/businesses",
      "/v1/operator/businesses;x"
    ]
    for (const path of spellings) assert.deepStrictEqual(yield* asked(path), [path, 404])
    for (const path of ["/oauth/token?x=1", "http://example.com/oauth/token"]) {
      assert.deepStrictEqual(yield* asked(path), [path, 405])
    }
  })

  test("HEAD answers as GET does, without the body", function*(server) {
    for (const path of ["/v1/shipments?limit=1", "/healthz", "/nowhere", "/v1/shipments/0"]) {
      const head = yield* server.request("HEAD", path)
      const get = yield* server.get(path)
      assert.strictEqual(head.status, get.status)
      assert.strictEqual(head.headers["content-type"], get.headers["content-type"])
      assert.strictEqual(head.headers["content-length"], get.headers["content-length"])
    }
  })

  test("D12.3 healthz and readyz need no token", function*(server) {
    for (const path of ["/healthz", "/readyz"]) {
      assert.include((yield* server.get(path, { client: null })).body, { status: "ok" })
    }
  })
})
