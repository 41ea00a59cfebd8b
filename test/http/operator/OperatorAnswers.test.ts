/** D11: the answers to operators over HTTP: the locations of new entities, and caching. `OperatorAccess` covers every operation. */
import type { NewClientView, NewEndpointView, NewSecretView } from "@dockline/core/operator/OperatorView"
import { assert } from "@effect/vitest"
import { layerMemory, refusalOf, unique } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import { serving } from "../Serving.ts"
import {
  bodyOf,
  endpointOf,
  faultsOf,
  get,
  makeClient,
  makeEndpoint,
  operate,
  operatorOf,
  vault
} from "./Operator.ts"

serving("D11 answers to operators", layerMemory({ vault }), (test) => {
  test("say where what was made is, and show its secret there alone", function*(server) {
    const business = unique("biz")
    const made = [
      ["businesses", { slug: business, name: "A" }],
      [`businesses/${business}/facilities`, { slug: "north", name: "North" }],
      ["clients", { name: "WMS", grants: [operatorOf(business)] }],
      ["webhook-endpoints", endpointOf(business)]
    ] as const
    for (const [path, body] of made) {
      const created = yield* operate("POST", path, body)
      assert.strictEqual(created.headers["cache-control"], "no-store")
      const { clientSecret, signingSecret, ...view } = bodyOf<Partial<NewClientView & NewEndpointView>>(
        created,
        201
      )
      if (path === "clients") assert.match(clientSecret!, /^[\w-]{43}$/)
      if (path === "webhook-endpoints") assert.match(signingSecret!, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const read = yield* server.get(created.headers.location!, { client: "operator" })
      assert.deepStrictEqual(bodyOf(read, 200), view)
    }
    const { id } = yield* makeClient(operatorOf(business))
    const second = yield* operate("POST", `clients/${id}/secrets`)
    const { secretId } = bodyOf<NewSecretView>(second, 201)
    assert.strictEqual(second.headers.location, `/v1/operator/clients/${id}/secrets/${secretId}`)
    const deleted = yield* operate("DELETE", `clients/${id}/secrets/${secretId}`)
    assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
  })

  test("name what is wrong: fields, parameters, a key, and ids that are none", function*() {
    const { id } = yield* makeEndpoint("acme")
    const endpoint = `webhook-endpoints/${id}`
    const key = { headers: { "idempotency-key": unique("key") } }
    const refusals = [
      [operate("POST", "businesses", { slug: "A b", name: "A" }), 422, "INVALID_REQUEST", ["slug"]],
      [operate("POST", "clients", { name: "A", grants: [], secret: "s" }), 400, "MALFORMED_REQUEST", [
        "secret"
      ]],
      [operate("PATCH", endpoint, { business: "acme" }), 400, "MALFORMED_REQUEST", ["business"]],
      [operate("POST", `${endpoint}/replay`, { fromId: 2, toId: 1 }), 422, "INVALID_REQUEST", ["toId"]],
      [operate("POST", "webhook-endpoints", endpointOf("acme"), key), 400, "MALFORMED_REQUEST", [
        "Idempotency-Key"
      ]],
      [get(`${endpoint}/deliveries?status=LOST`), 400, "INVALID_PARAMETER", ["status"]],
      [operate("DELETE", `${endpoint}?force=1`), 400, "INVALID_PARAMETER", ["force"]],
      [get("webhook-endpoints/1.5"), 404, "WEBHOOK_ENDPOINT_NOT_FOUND", []],
      [get("clients/%00"), 404, "CLIENT_NOT_FOUND", []],
      [get("businesses/No"), 404, "BUSINESS_NOT_FOUND", []]
    ] as const
    for (const [request, status, code, faults] of refusals) {
      const reply = yield* request
      assert.deepStrictEqual([...refusalOf(reply), Object.keys(faultsOf(reply))], [status, code, faults])
    }
  })

  test("D9.6 count what is sent again, and have no body where one message is", function*() {
    const { ids } = yield* palletMessages(2)
    const { id } = yield* makeEndpoint("acme", { enabled: false })
    const path = `webhook-endpoints/${id}`
    const range = yield* operate("POST", `${path}/replay`, { fromId: ids[0], toId: ids[1] })
    assert.deepStrictEqual(bodyOf(range, 202), { count: 2 })
    const one = yield* operate("POST", `${path}/deliveries/${ids[0]}/replay`)
    assert.deepStrictEqual([one.status, one.text], [202, ""])
  })
})

serving("D11 a service without a key for secrets", layerMemory(), (test) => {
  test("makes no endpoint, as it could not keep its signing secret: 409 with the remedy", function*() {
    const reply = yield* operate("POST", "webhook-endpoints", endpointOf("acme"))
    assert.deepStrictEqual(refusalOf(reply), [409, "SECRETS_KEY_MISSING"])
    assert.include(reply.text, "set SECRETS_KEY")
  })
})
