/** D10.5: the rate limit, over real sockets: one count for a client's requests in REST and GraphQL. */
import * as RateLimits from "@dockline/http-adapter/tokens/RateLimits"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { socketClient } from "../../graphql/Sockets.ts"
import * as GraphqlServer from "../../support/GraphqlServer.ts"
import { problemOf, refusalOf, TestServer } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { serving } from "../Serving.ts"
import type { Reply } from "../Wire.ts"

const perMinute = 6

const query = { query: "{ __typename }" }

const told = ({ headers }: Reply) => [
  headers["ratelimit-policy"],
  headers["ratelimit"],
  headers["retry-after"]
]

/** The number of remaining requests in a `RateLimit` header, near the beginning of a minute; how near depends on the machine. */
const leftBy = (header: unknown): number => {
  const [, left, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(String(header)) ?? []
  assert.isTrue(Number(seconds) > 40 && Number(seconds) <= 60, String(header))
  return Number(left)
}

/** A new minute: every client may send again. */
const newMinute = Effect.flatMap(TestServer, ({ advance }) => advance(60_000))

serving(
  "D10.5 the rate limit",
  GraphqlServer.layerMemory({ limits: RateLimits.layer({ perMinute, clientCapacity: 100 }) }),
  (test) => {
    test("every answer to an authenticated client says what is left, whatever the answer", function*() {
      yield* newMinute
      const { get, post, request } = yield* TestServer
      const replies = [
        yield* get("/v1/shipments"),
        yield* get("/v1/shipments/999999999"),
        yield* get("/v1/shipments?limit=x"),
        yield* post("{"),
        yield* post("<a", { headers: { "content-type": "text/plain" } }),
        yield* request("GET", "/v1/operator/clients")
      ]
      assert.deepStrictEqual(replies.map(({ status }) => status), [200, 404, 400, 400, 415, 403])
      assert.deepStrictEqual(
        replies.map(told).map(([policy, left, retryAfter]) => [policy, leftBy(left), retryAfter]),
        [5, 4, 3, 2, 1, 0].map((left) => ["\"default\";q=6;w=60", left, undefined])
      )
    })

    test("beyond it everything is 429 until the minute is over, before the body is looked at", function*() {
      yield* newMinute
      const { advance, get, post, request } = yield* TestServer
      for (let sent = 0; sent < perMinute; sent++) {
        assert.strictEqual((yield* get("/v1/shipments")).status, 200)
      }
      yield* advance(20_000)
      for (
        const refused of [
          yield* get("/v1/shipments"),
          yield* post(order()),
          yield* post("{", { headers: { "content-type": "text/plain" } }),
          yield* request("POST", "/v1/operator/businesses")
        ]
      ) {
        assert.deepStrictEqual(refusalOf(refused), [429, "RATE_LIMITED"])
        const [policy, left, retryAfter] = told(refused)
        assert.deepStrictEqual([policy, left], ["\"default\";q=6;w=60", `"default";r=0;t=${retryAfter}`])
        assert.isTrue(Number(retryAfter) > 30 && Number(retryAfter) <= 40, String(retryAfter))
        assert.strictEqual(
          problemOf(refused).detail,
          `More than 6 requests in 60 seconds; go on after ${retryAfter} second${
            Number(retryAfter) === 1 ? "" : "s"
          }`
        )
      }
      yield* advance(40_000)
      assert.strictEqual((yield* post(order())).status, 201)
    })

    test("another client is not affected, nor is what needs no token, and neither counts", function*() {
      yield* newMinute
      const { get, request } = yield* TestServer
      for (let sent = 0; sent <= perMinute; sent++) yield* get("/v1/shipments")
      assert.strictEqual((yield* get("/v1/shipments")).status, 429)
      const other = yield* get("/v1/shipments", { client: "globex-client" })
      assert.deepStrictEqual([other.status, leftBy(told(other)[1])], [200, 5])
      for (
        const open of [
          yield* get("/healthz"),
          yield* get("/.well-known/jwks.json"),
          yield* get("/v1/shipments", { client: null }),
          yield* request("DELETE", "/v1/shipments"),
          yield* get("/nowhere")
        ]
      ) {
        assert.notStrictEqual(open.status, 429)
        assert.deepStrictEqual(told(open), [undefined, undefined, undefined])
      }
    })

    // @threat load.2
    test("REST, GraphQL and the operations of sockets are one count", function*() {
      yield* newMinute
      const rest = yield* TestServer
      const graphql = yield* GraphqlServer.GraphqlServer
      const client = yield* socketClient()
      const ask = () =>
        Effect.promise(async () => {
          try {
            for await (const result of client.iterate(query)) return result
          } catch (error) {
            return error
          }
          return undefined
        })
      assert.strictEqual(leftBy((yield* rest.get("/v1/shipments")).headers["ratelimit"]), 5)
      const posted = yield* graphql.execute(query)
      assert.deepStrictEqual([posted.status, leftBy(posted.headers.get("ratelimit"))], [200, 4])
      assert.deepStrictEqual(yield* ask(), { data: { __typename: "Query" } })
      const streamed = yield* graphql.fetch({
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify(query)
      })
      assert.deepStrictEqual([streamed.status, leftBy(streamed.headers.get("ratelimit"))], [200, 2])
      yield* ask()
      assert.strictEqual(leftBy((yield* rest.get("/v1/shipments")).headers["ratelimit"]), 0)
      const refused = yield* graphql.execute(query)
      assert.deepStrictEqual([refused.status, leftBy(refused.headers.get("ratelimit"))], [429, 0])
      assert.isAbove(Number(refused.headers.get("retry-after")), 40)
      assert.strictEqual(refused.errors?.[0]?.extensions.code, "RATE_LIMITED")
      assert.containSubset(yield* ask(), [{ extensions: { code: "RATE_LIMITED" } }])
      assert.strictEqual((yield* rest.get("/v1/shipments")).status, 429)
      yield* newMinute
      assert.deepStrictEqual(yield* ask(), { data: { __typename: "Query" } })
    })
  }
)
