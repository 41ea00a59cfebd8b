/**
 * README.md: its example runs, and its table has every setting.
 */
import { Directory } from "@dockline/core/Directory"
import * as Memory from "@dockline/core/Memory"
import { MessageLog } from "@dockline/core/MessageLog"
import { plainSettings } from "@dockline/core/WebhookEndpoint"
import { Webhooks } from "@dockline/core/Webhooks"
import * as OutboundPolicy from "@dockline/webhook-adapter/outbound/OutboundPolicy"
import * as SecretsKey from "@dockline/webhook-adapter/SecretsKey"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
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
      let received: (request: IncomingMessage) => void = () => {}
      const first = new Promise<IncomingMessage>((resolve) => (received = resolve))
      const server = createServer((request, response) => {
        request.resume().once("end", () => response.writeHead(204).end())
        received(request)
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () =>
          Effect.sync(() => {
            server.closeAllConnections()
            server.close()
          })
      )
      const { port } = server.address() as AddressInfo
      const request = yield* Effect.gen(function*() {
        yield* (yield* Directory).put([{
          slug: "acme",
          name: "Acme",
          fieldMap: [],
          facilities: [{ slug: "east", name: "East", docks: [] }]
        }])
        yield* (yield* Webhooks).createWebhookEndpoint({
          body: {
            business: "acme",
            facility: null,
            baseUrl: `http://127.0.0.1:${port}`,
            messageTypes: ["PALLET_EVENT"],
            authentication: { type: "apiKey", settings: {}, secrets: { key: Redacted.make("agreed") } },
            signingSecret: undefined,
            ...plainSettings,
            enabled: true,
            fromId: null
          }
        }, operator)
        yield* (yield* MessageLog).append([{
          business: "acme",
          facility: "east",
          type: "PALLET_EVENT",
          payload: {},
          shipmentId: 1
        }])
        return yield* Effect.promise(() => first)
      }).pipe(Effect.provide(services))
      assert.strictEqual(request.url, "/api/palletEvent")
      assert.strictEqual(request.headers.authorization, "ApiKey agreed")
    }))
})
