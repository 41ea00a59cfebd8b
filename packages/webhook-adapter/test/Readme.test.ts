/**
 * README.md: its example runs, and its table has every setting.
 */
import * as Memory from "@dockline/core/memory/Memory"
import { Webhooks } from "@dockline/core/operator/Webhooks"
import { plainSettings } from "@dockline/core/webhooks/WebhookEndpoint"
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import * as OutboundPolicy from "@dockline/webhook-adapter/outbound/OutboundPolicy"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import * as CustomerServer from "./CustomerServer.ts"
import { append, makeBusiness } from "./DispatchWorld.ts"
import { schemes, webhooks } from "./ReadmeExample.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

const operator = {
  clientId: "operator",
  grants: [{ business: "*", facilities: "*", permissions: ["operator"] }]
} as const

const allow = ["127.0.0.0/8"]

describe("README.md", () => {
  it("has a row for every setting", () => {
    for (const name of Object.keys(defaultWebhookConfig)) {
      assert.match(readme, new RegExp(`^\\| \`${name}\` +\\|`, "m"), name)
    }
  })

  it("shows the example that runs", () => {
    assert.include(readme, readFileSync(new URL("./ReadmeExample.ts", import.meta.url), "utf8").trim())
  })

  it.live("delivers with a scheme of its own", () =>
    Effect.gen(function*() {
      const secretsKey = Redacted.make(randomBytes(32).toString("base64"))
      const services = Layer.mergeAll(Webhooks.layer, webhooks({ secretsKey, allow })).pipe(
        Layer.provide([OutboundPolicy.layer({ allow }), SecretsKey.layer([secretsKey])]),
        Layer.provideMerge(Memory.layer),
        Layer.provideMerge(schemes)
      )
      const first = yield* Deferred.make<CustomerServer.CustomerRequest>()
      const server = yield* CustomerServer.http((customerRequest, response) => {
        response.writeHead(204).end()
        Deferred.doneUnsafe(first, Effect.succeed(customerRequest))
      })
      const request = yield* Effect.gen(function*() {
        yield* makeBusiness
        yield* (yield* Webhooks).createWebhookEndpoint({
          body: {
            business: "acme",
            facility: null,
            baseUrl: server.url,
            messageTypes: ["PALLET_EVENT"],
            authentication: { type: "apiKey", settings: {}, secrets: { key: Redacted.make("agreed") } },
            signingSecret: undefined,
            ...plainSettings,
            enabled: true,
            fromId: null
          }
        }, operator)
        yield* append([1])
        return yield* Deferred.await(first)
      }).pipe(Effect.provide(services))
      assert.strictEqual(request.url, "/api/palletEvent")
      assert.strictEqual(request.headers.authorization, "ApiKey agreed")
    }))
})
