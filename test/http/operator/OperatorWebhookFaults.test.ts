/** D2.3, D2.4, D11: what is refused of webhook endpoints, over real sockets. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, refusalOf, unique } from "../../support/TestServer.ts"
import { endpointOf, faultsOf, get, makeEndpoint, operate, token, vault } from "./Operator.ts"

layer(layerMemory({ vault }), { excludeTestServices: true })(
  "D11 bad webhook endpoints",
  (it) => {
    /** One of each kind; `WebhookInput.test.ts` has them all. */
    const bad: ReadonlyArray<
      readonly [what: string, fields: object, status: number, faults: Readonly<Record<string, string>>]
    > = [
      ["a misspelt field", { messageType: [] }, 400, { messageType: "is not a field" }],
      ["no password", { authentication: { type: "basic", username: "a" } }, 422, {
        "authentication.password": "is required"
      }],
      [
        "addresses that must not be called",
        { baseUrl: "http://hooks.example", authentication: { ...token, loginUrl: "http://auth.example" } },
        422,
        { baseUrl: "must be an https address", "authentication.loginUrl": "must be an https address" }
      ]
    ]
    for (const [what, fields, status, faults] of bad) {
      it.effect(`${status} for ${what}, naming it`, () =>
        Effect.gen(function*() {
          const reply = yield* operate("POST", "webhook-endpoints", endpointOf("acme", fields as never))
          const code = status === 400 ? "MALFORMED_REQUEST" : "INVALID_REQUEST"
          assert.deepStrictEqual(refusalOf(reply), [status, code])
          const found = faultsOf(reply)
          assert.hasAllKeys(found, Object.keys(faults))
          for (const [path, text] of Object.entries(faults)) assert.include(found[path], text)
        }))
    }

    it.effect("of a place that is none: 404", () =>
      Effect.gen(function*() {
        const nowhere = yield* operate("POST", "webhook-endpoints", endpointOf("nowhere"))
        assert.deepStrictEqual(refusalOf(nowhere), [404, "BUSINESS_NOT_FOUND"])
        const north = yield* operate("POST", "webhook-endpoints", endpointOf("acme", { facility: "north" }))
        assert.deepStrictEqual(refusalOf(north), [404, "FACILITY_NOT_FOUND"])
      }))

    it.effect("business, facility, beginning and signing secret are no part of a change: 400", () =>
      Effect.gen(function*() {
        const { id } = yield* makeEndpoint("acme")
        const fields = { business: "acme", facility: "east", fromId: 1, signingSecret: "whsec_a" }
        const reply = yield* operate("PATCH", `webhook-endpoints/${id}`, fields)
        assert.deepStrictEqual(refusalOf(reply), [400, "MALFORMED_REQUEST"])
        assert.hasAllKeys(faultsOf(reply), Object.keys(fields))
      }))

    it.effect("what makes or replays takes no Idempotency-Key: 400", () =>
      Effect.gen(function*() {
        const { id } = yield* makeEndpoint("acme")
        const key = { headers: { "idempotency-key": unique("key") } }
        for (
          const [path, body] of [
            ["webhook-endpoints", endpointOf("acme")],
            [`webhook-endpoints/${id}/rotate-secret`, undefined],
            [`webhook-endpoints/${id}/deliveries/1/replay`, undefined],
            [`webhook-endpoints/${id}/replay`, { fromId: 1, toId: 1 }]
          ] as const
        ) {
          const reply = yield* operate("POST", path, body, key)
          assert.deepStrictEqual(refusalOf(reply), [400, "MALFORMED_REQUEST"], path)
          assert.hasAllKeys(faultsOf(reply), ["Idempotency-Key"])
        }
      }))

    it.effect("bad parameters are named: 400", () =>
      Effect.gen(function*() {
        const { id } = yield* makeEndpoint("acme")
        for (
          const [path, faults] of [
            ["webhook-endpoints?after=x", ["after"]],
            ["webhook-endpoints?limit=1000", ["limit"]],
            [`webhook-endpoints/${id}?status=DEAD`, ["status"]],
            [`webhook-endpoints/${id}/deliveries?status=LOST`, ["status"]],
            [`webhook-endpoints/${id}/deliveries?after=-1`, ["after"]]
          ] as const
        ) {
          const reply = yield* get(path)
          assert.deepStrictEqual(refusalOf(reply), [400, "INVALID_PARAMETER"], path)
          assert.hasAllKeys(faultsOf(reply), faults, path)
        }
      }))
  }
)
