/** D13.8: the record of operators' changes, over real sockets. */
import type { AuditView } from "@dockline/core/operator/OperatorView"
import { plainSettings } from "@dockline/core/webhooks/WebhookEndpoint"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, unique } from "../../support/TestServer.ts"
import type { PageView } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { bodyOf, get, makeBusiness, makeClient, operate, operatorOf, vault } from "./Operator.ts"

const list = (query: string, options?: Parameters<typeof get>[1]) =>
  Effect.map(get(`audit?${query}`, options), (reply) => bodyOf<PageView<AuditView>>(reply, 200).items)

const told = (entries: ReadonlyArray<AuditView>) =>
  entries.toReversed().map(({ action, subject, details }) => [action, subject, details])

serving("D13.8 the record of operators", layerMemory({ vault }), (test) => {
  test("has each change with who, when, what and from which address, and no secret", function*() {
    const business = yield* makeBusiness
    const me = yield* makeClient(operatorOf(business))
    const as = { ...me.as, headers: { ...me.as.headers, "x-forwarded-for": "203.0.113.9" } }
    const places = `businesses/${business}/facilities`
    const grants = [{ business, facilities: ["main"], permissions: ["messages:read"] }]
    yield* operate("PATCH", `businesses/${business}`, { name: "Renamed" }, as)
    yield* operate("PUT", `businesses/${business}/field-map`, [{ name: "Lot", label: "lot" }], as)
    yield* operate("POST", places, { slug: "north", name: "North" }, as)
    yield* operate("PATCH", `${places}/north`, { name: "Far north" }, as)
    yield* operate("PATCH", `${places}/north`, { timeZone: "Europe/Oslo" }, as)
    yield* operate("POST", `${places}/north/docks`, { slug: "D1" }, as)
    const client = bodyOf<{ readonly id: string; readonly clientSecret: string }>(
      yield* operate("POST", "clients", { name: "WMS", grants }, as),
      201
    )
    yield* operate("PATCH", `clients/${client.id}`, { enabled: false }, as)
    const second = bodyOf<{ readonly secretId: string; readonly clientSecret: string }>(
      yield* operate("POST", `clients/${client.id}/secrets`, undefined, as),
      201
    )
    yield* operate("DELETE", `clients/${client.id}/secrets/${second.secretId}`, undefined, as)
    const person = bodyOf<{ readonly id: string }>(
      yield* operate(
        "POST",
        "people",
        { name: "Ann", email: `${unique("ann")}@example.com`, grants },
        as
      ),
      201
    )
    const ann = { email: (person as { readonly email?: string }).email, subject: null, grants }
    yield* operate("PATCH", `people/${person.id}`, { name: "Anna" }, as)
    yield* operate("DELETE", `people/${person.id}`, undefined, as)
    const endpoint = bodyOf<{ readonly id: string; readonly signingSecret: string }>(
      yield* operate("POST", "webhook-endpoints", {
        business,
        baseUrl: "https://hooks.example",
        messageTypes: ["PALLET_EVENT"],
        authentication: { type: "basic", username: "dockline", password: "hunter2-planted" }
      }, as),
      201
    )
    const path = `webhook-endpoints/${endpoint.id}`
    yield* operate("PATCH", path, { enabled: false }, as)
    const rotated = bodyOf<{ readonly signingSecret: string }>(
      yield* operate("POST", `${path}/rotate-secret`, undefined, as),
      200
    )
    yield* operate("POST", `${path}/replay`, { fromId: 1, toId: 2 }, as)
    assert.strictEqual((yield* operate("DELETE", path, undefined, as)).status, 204)
    // Refusals change nothing, and make no entry.
    yield* operate("POST", places, { slug: "north", name: "Again" }, as)
    yield* operate("DELETE", path, undefined, as)

    const entries = yield* list(`clientId=${me.id}`)
    const authentication = { type: "basic", username: "dockline" }
    const settings = {
      facility: null,
      baseUrl: "https://hooks.example",
      messageTypes: ["PALLET_EVENT"],
      authentication,
      ...plainSettings,
      enabled: true
    }
    assert.deepStrictEqual(told(entries), [
      ["BUSINESS_CHANGED", `businesses/${business}`, { name: "Renamed" }],
      ["FIELD_MAP_CHANGED", `businesses/${business}/field-map`, {
        fields: [{ name: "Lot", label: "lot", list: false }]
      }],
      ["FACILITY_CREATED", `${places}/north`, { name: "North", timeZone: "UTC", detentionMinutes: 120 }],
      ["FACILITY_CHANGED", `${places}/north`, { name: "Far north" }],
      ["FACILITY_CHANGED", `${places}/north`, { timeZone: "Europe/Oslo" }],
      ["DOCK_CREATED", `${places}/north/docks/D1`, {}],
      ["CLIENT_CREATED", `clients/${client.id}`, { name: "WMS", enabled: true, grants }],
      ["CLIENT_CHANGED", `clients/${client.id}`, { enabled: false }],
      ["SECRET_ADDED", `clients/${client.id}/secrets/${second.secretId}`, {}],
      ["SECRET_REMOVED", `clients/${client.id}/secrets/${second.secretId}`, {}],
      ["PERSON_ADDED", `people/${person.id}`, { ...ann, name: "Ann" }],
      ["PERSON_CHANGED", `people/${person.id}`, { name: "Anna" }],
      ["PERSON_REMOVED", `people/${person.id}`, { ...ann, name: "Anna" }],
      ["WEBHOOK_CREATED", path, settings],
      ["WEBHOOK_CHANGED", path, { enabled: false }],
      ["WEBHOOK_SECRET_ROTATED", path, {}],
      ["DELIVERIES_REPLAYED", path, { fromId: 1, toId: 2, count: 0 }],
      ["WEBHOOK_REMOVED", path, { ...settings, enabled: false }]
    ])
    for (const { address, at, business: of, clientId } of entries) {
      // No proxy is trusted, so the header is ignored.
      assert.deepStrictEqual([address, of, clientId], ["127.0.0.1", business, me.id])
      assert.isAtMost(Math.abs(Date.parse(at) - Date.now()), 60_000)
    }
    const text = JSON.stringify(entries)
    const secrets = [
      "hunter2-planted",
      Buffer.from("hunter2-planted").toString("base64url"),
      me.secret,
      client.clientSecret,
      second.clientSecret,
      endpoint.signingSecret,
      rotated.signingSecret
    ]
    for (const secret of secrets) assert.notInclude(text, secret)
  })
})
