/**
 * What holds for the headers and the rate of webhook endpoints, whatever they are stored in.
 */
import * as assert from "@dockline/testing/Assert"
import { aBusiness, faultsOf } from "@dockline/testing/worlds/OperatorWorld"
import { Effect } from "effect"
import { AuditLog } from "../../src/access/AuditLog.ts"
import type { Part } from "./OperatorServices.ts"
import { create, openedSecrets, storedEndpoint, update } from "./WebhooksWorld.ts"

const again = "must be sent again: an address changes, and a stored secret is never sent to another address"

/** The cases of headers and rates. */
export const webhookHeaders: Part = (test, describe) => {
  describe("D15.3 headers", () => {
    test(
      "are sealed, shown as names only, and kept or replaced one by one",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const headers = [{ name: "X-Key", value: "canary-1" }, { name: "X-Zone", value: "canary-2" }]
        const { signingSecret: _, ...endpoint } = yield* create(business, { headers })
        assert.deepStrictEqual(endpoint.headers, [{ name: "X-Key" }, { name: "X-Zone" }])
        assert.deepStrictEqual((yield* openedSecrets(endpoint.id)).headers, headers)
        assert.notInclude(JSON.stringify([endpoint, yield* storedEndpoint(endpoint.id)]), "canary")
        assert.deepStrictEqual(yield* update(endpoint.id, { messageTypes: ["PALLET_EVENT"] }), endpoint)
        yield* update(endpoint.id, { headers: [{ name: "x-zone" }, { name: "X-New", value: "canary-3" }] })
        assert.deepStrictEqual((yield* openedSecrets(endpoint.id)).headers, [
          { name: "x-zone", value: "canary-2" },
          { name: "X-New", value: "canary-3" }
        ])
        assert.deepStrictEqual((yield* update(endpoint.id, { headers: [] })).headers, [])
      })
    )

    test(
      "need a value where none is stored",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const bare = { headers: [{ name: "X-Key", value: "v" }, { name: "X-Zone" }] }
        const missing = [{ path: "headers[1].value", detail: "is required" }]
        assert.deepStrictEqual((yield* faultsOf(create(business, bare))).errors, missing)
        const { id } = yield* create(business)
        assert.deepStrictEqual((yield* faultsOf(update(id, bare))).errors, missing)
        assert.deepStrictEqual((yield* storedEndpoint(id)).headers, [])
      })
    )

    test(
      "go to no other address than they were given for",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business, { headers: [{ name: "X-Key", value: "canary-1" }] })
        const baseUrl = "https://other.example"
        assert.deepStrictEqual((yield* faultsOf(update(id, { baseUrl }))).errors, [
          { path: "headers", detail: again }
        ])
        const keeping = update(id, { baseUrl, headers: [{ name: "X-Key" }] })
        assert.deepStrictEqual((yield* faultsOf(keeping)).errors, [{
          path: "headers[0].value",
          detail: again
        }])
        assert.strictEqual((yield* storedEndpoint(id)).version, 1)
        yield* update(id, { baseUrl, headers: [{ name: "X-Key", value: "canary-2" }] })
        assert.deepStrictEqual((yield* openedSecrets(id)).headers, [{ name: "X-Key", value: "canary-2" }])
        const endpointAfter = yield* update(id, { baseUrl: "https://third.example", headers: [] })
        assert.deepStrictEqual([endpointAfter.baseUrl, endpointAfter.headers], ["https://third.example", []])
      })
    )
  })

  describe("D15.3 signatures by the service's keys", () => {
    test(
      "are refused where it has no key, and nothing changes",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business)
        const refusal = update(id, { signatures: ["v1", "v1a"], ratePerSecond: 9 })
        assert.strictEqual((yield* faultsOf(refusal)).code, "SECRETS_KEY_MISSING")
        const { ratePerSecond, signatures } = yield* storedEndpoint(id)
        assert.deepStrictEqual([signatures, ratePerSecond], [["v1"], 0])
        const endpointAfter = yield* update(id, { signatures: ["v1"], payloadProfile: "dockline" })
        assert.deepStrictEqual([endpointAfter.signatures, endpointAfter.payloadProfile], [["v1"], "dockline"])
      })
    )
  })

  describe("D15.3 the rate", () => {
    test(
      "is none unless it is set, and stays until it is changed",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const endpoint = yield* create(business)
        assert.strictEqual(endpoint.ratePerSecond, 0)
        assert.strictEqual((yield* update(endpoint.id, { ratePerSecond: 40 })).ratePerSecond, 40)
        assert.strictEqual((yield* update(endpoint.id, { enabled: false })).ratePerSecond, 40)
        assert.strictEqual((yield* update(endpoint.id, { ratePerSecond: 0 })).ratePerSecond, 0)
        const { list } = yield* AuditLog
        const all = { clientId: undefined, subject: undefined, from: undefined, to: undefined }
        const { items } = yield* list([business], all, { limit: 9, after: undefined })
        assert.deepStrictEqual(
          items.filter(({ action }) => action === "WEBHOOK_CHANGED").map(({ details }) => details)
            .toReversed(),
          [{ ratePerSecond: 40 }, { enabled: false }, { ratePerSecond: 0 }]
        )
      })
    )
  })
}
