/**
 * The database goes away and comes back (D12.3): between the server and PostgreSQL is a proxy that the tests cut.
 */
import { assert } from "@effect/vitest"
import { Clock, Effect, Layer, Schedule } from "effect"
import * as DatabaseWay from "../../support/database/DatabaseWay.ts"
import { whileAway } from "../../support/database/DatabaseWay.ts"
import { layerSql, refusalOf, tokenRequest } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const environment = layerSql().pipe(Layer.provideMerge(DatabaseWay.layer))

/** Repeats a request until it is no longer 503; fails after the ten seconds of D12.3. */
const untilBack = <R>(request: Effect.Effect<{ readonly status: number }, never, R>) =>
  Effect.gen(function*() {
    const since = yield* Clock.currentTimeMillis
    const reply = yield* request.pipe(
      Effect.repeat({ until: ({ status }) => status !== 503, schedule: Schedule.spaced("50 millis") })
    )
    assert.isBelow((yield* Clock.currentTimeMillis) - since, 10_000)
    return reply
  })

serving("D12.3 the database is away", environment, (test) => {
  test(
    "everything but the health probe is 503 with Retry-After, and works again after its return",
    function*(server) {
      const document = order()
      const { shipment } = yield* server.submit(document)
      yield* server.token("tower")
      const operated = server.get("/v1/operator/businesses", { client: "operator" })
      assert.strictEqual((yield* operated).status, 200)
      const tokenBody = JSON.stringify(tokenRequest("globex-client"))
      const token = server.request("POST", "/oauth/token", {
        client: null,
        headers: { "content-type": "application/json" },
        body: tokenBody
      })
      yield* whileAway(Effect.gen(function*() {
        // Faults of a request itself are still reported, while the grants of its client are cached.
        assert.strictEqual((yield* server.post("{")).status, 400)
        for (
          const reply of [
            yield* server.post(document),
            yield* server.post(order(), { headers: { "idempotency-key": "away" } }),
            yield* server.post(order(), { query: "?dryRun=true" }),
            yield* server.get(`/v1/shipments/${shipment.id}`),
            yield* server.get("/v1/shipments"),
            yield* server.get("/v1/orders?business=acme"),
            yield* operated,
            yield* server.get("/readyz", { client: null }),
            // A client whose grants are not cached: its token is good, and 401 would make it throw the token away.
            yield* server.get("/v1/shipments", { client: "tower" })
          ]
        ) assert.deepStrictEqual(refusalOf(reply), [503, "STORAGE_UNAVAILABLE"])
        const refused = yield* token
        assert.strictEqual(refused.status, 503)
        assert.deepInclude(refused.body, { error: "temporarily_unavailable" })
        assert.strictEqual(refused.headers["cache-control"], "no-store")
        assert.strictEqual((yield* server.get("/healthz", { client: null })).status, 200)
        assert.strictEqual((yield* server.get("/v1/shipments", { client: null })).status, 401)
        assert.strictEqual((yield* server.get("/nowhere")).status, 404)
      }))
      assert.strictEqual((yield* untilBack(server.post(document))).status, 200)
      assert.strictEqual((yield* untilBack(token)).status, 200)
      assert.strictEqual((yield* untilBack(server.get("/readyz", { client: null }))).status, 200)
      const key = { headers: { "idempotency-key": "away" } }
      const keyed = yield* server.post(order(), key)
      assert.deepStrictEqual([keyed.status, keyed.headers["idempotency-replayed"]], [201, undefined])
    }
  )
})
