/** D9.1, D11: webhook endpoints as operators set them up, over real sockets. */
import type { NewEndpointView } from "@dockline/core/operator/OperatorView"
import { OutboundUrls } from "@dockline/core/webhooks/OutboundUrls"
import { plainSettings } from "@dockline/core/webhooks/WebhookEndpoint"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerMemory, refusalOf, TestServer } from "../../support/TestServer.ts"
import { palletMessages } from "../facility/Facility.ts"
import {
  allOf,
  basic,
  bodyOf,
  endpointNow,
  endpointOf,
  get,
  makeEndpoint,
  operate,
  token,
  vault,
  without
} from "./Operator.ts"

const tokenDefaults = {
  usernameField: "username",
  passwordField: "password",
  tokenPath: "access_token",
  lifetimePath: "expires_in",
  scheme: "Bearer",
  loginFormat: "json"
}

const day = 86_400_000

layer(layerMemory({ vault }), { excludeTestServices: true })(
  "D11 webhook endpoints",
  (it) => {
    it.effect("an endpoint is created with a signing secret that is shown once, and read at its Location", () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const { ids } = yield* palletMessages(1)
        const created = yield* operate("POST", "webhook-endpoints", endpointOf("acme"))
        const { signingSecret, ...view } = bodyOf<NewEndpointView>(created, 201)
        assert.match(signingSecret, /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.strictEqual(created.headers["cache-control"], "no-store")
        assert.strictEqual(created.headers.location, `/v1/operator/webhook-endpoints/${view.id}`)
        assert.deepStrictEqual(without(view, "createdAt"), {
          id: view.id,
          business: "acme",
          facility: null,
          baseUrl: "https://hooks.example",
          messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
          authentication: { type: "none" },
          ...plainSettings,
          enabled: true,
          disabledReason: "",
          cursorId: ids[0]!,
          failingSince: null,
          login: null,
          expiredUpTo: null,
          backlog: 0,
          signingSecrets: [{ validUntil: null }]
        })
        const read = yield* server.get(created.headers.location!, { client: "operator" })
        assert.deepStrictEqual(bodyOf(read, 200), view)
      }))

    const schemes: ReadonlyArray<readonly [name: string, given: object, shown: object]> = [
      ["none", { type: "none" }, { type: "none" }],
      ["basic", basic, without(basic, "password")],
      ["token, with the defaults of what is left out", token, {
        ...without(token, "password"),
        ...tokenDefaults
      }],
      ["token, all of it", { ...token, ...tokenDefaults, scheme: "", loginFormat: "form" }, {
        ...without(token, "password"),
        ...tokenDefaults,
        scheme: "",
        loginFormat: "form"
      }]
    ]
    for (const [name, authentication, shown] of schemes) {
      it.effect(`authentication ${name}: all but its secrets is shown`, () =>
        Effect.gen(function*() {
          const made = yield* makeEndpoint("acme", { authentication })
          assert.deepStrictEqual(made.authentication, shown)
          assert.deepStrictEqual((yield* endpointNow(made.id)).authentication, shown)
        }))
    }

    it.effect("a facility, a path, a secret of one's own and a beginning are taken as given", () =>
      Effect.gen(function*() {
        const { ids } = yield* palletMessages(3)
        const signingSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
        const made = yield* makeEndpoint("acme", {
          facility: "east",
          baseUrl: "https://hooks.example:8443/in/",
          messageTypes: ["PALLET_EVENT"],
          signingSecret,
          enabled: false,
          fromId: ids[1]!
        })
        assert.deepStrictEqual(
          [made.facility, made.baseUrl, made.messageTypes, made.signingSecret, made.enabled],
          ["east", "https://hooks.example:8443/in", ["PALLET_EVENT"], signingSecret, false]
        )
        assert.deepStrictEqual([made.cursorId, made.backlog], [ids[1]! - 1, 2])
        assert.strictEqual((yield* palletMessages(1)).ids.length, 1)
        assert.strictEqual((yield* endpointNow(made.id)).backlog, 3)
      }))

    it.effect("a rotation makes a new signing secret, and the old one is valid for 24 hours more", () =>
      Effect.gen(function*() {
        const { id, signingSecret: first } = yield* makeEndpoint("acme")
        const rotate = Effect.map(
          operate("POST", `webhook-endpoints/${id}/rotate-secret`),
          (reply) => bodyOf<{ readonly signingSecret: string }>(reply, 200).signingSecret
        )
        const from = Date.now()
        const second = yield* rotate
        assert.match(second, /^whsec_/)
        const [newest, old, ...more] = (yield* endpointNow(id)).signingSecrets
        assert.deepStrictEqual([newest?.validUntil, more], [null, []])
        const validFor = Date.parse(old!.validUntil!) - from
        assert.isTrue(validFor >= day && validFor < day + 60_000, String(validFor))
        const third = yield* rotate
        assert.lengthOf(new Set([first, second, third]), 3)
        assert.lengthOf((yield* endpointNow(id)).signingSecrets, 3)
      }))

    it.effect("a deleted endpoint is gone", () =>
      Effect.gen(function*() {
        const { id } = yield* makeEndpoint("acme")
        const deleted = yield* operate("DELETE", `webhook-endpoints/${id}`)
        assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
        const again = yield* operate("DELETE", `webhook-endpoints/${id}`)
        assert.deepStrictEqual(refusalOf(again), [404, "WEBHOOK_ENDPOINT_NOT_FOUND"])
      }))

    it.effect("an unknown endpoint is 404, whatever is asked of it", () =>
      Effect.gen(function*() {
        for (const id of ["999999999", "0", "-1", "1.5", "x", "99999999999999999999"]) {
          const path = `webhook-endpoints/${id}`
          for (
            const reply of [
              get(path),
              operate("PATCH", path, {}),
              operate("DELETE", path),
              operate("POST", `${path}/rotate-secret`),
              get(`${path}/deliveries`),
              operate("POST", `${path}/deliveries/1/replay`),
              operate("POST", `${path}/replay`, { fromId: 1, toId: 2 })
            ]
          ) assert.deepStrictEqual(refusalOf(yield* reply), [404, "WEBHOOK_ENDPOINT_NOT_FOUND"], id)
        }
      }))
  }
)

layer(layerMemory(), { excludeTestServices: true })(
  "D11 a service without a key for secrets",
  (it) => {
    it.effect("makes no endpoint, as it could not keep its signing secret: 409 with the remedy", () =>
      Effect.gen(function*() {
        const reply = yield* operate("POST", "webhook-endpoints", endpointOf("acme"))
        assert.deepStrictEqual(refusalOf(reply), [409, "SECRETS_KEY_MISSING"])
        assert.include(reply.text, "set SECRETS_KEY")
        assert.deepStrictEqual(yield* allOf("webhook-endpoints", 100), [])
      }))
  }
)

layer(
  layerMemory({ vault, outboundUrls: Layer.succeed(OutboundUrls, { fault: () => undefined }) }),
  { excludeTestServices: true }
)("D9.7 an open outbound policy", (it) => {
  it.effect("takes what another refuses", () =>
    Effect.gen(function*() {
      const made = yield* makeEndpoint("acme", { baseUrl: "http://127.0.0.1:8080" })
      assert.strictEqual(made.baseUrl, "http://127.0.0.1:8080")
    }))
})
