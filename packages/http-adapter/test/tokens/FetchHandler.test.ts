import { ApiClients } from "@dockline/core/ApiClients"
import { Businesses } from "@dockline/core/Businesses"
import { ClientStore } from "@dockline/core/ClientStore"
import { Deliveries } from "@dockline/core/Deliveries"
import { Directory } from "@dockline/core/Directory"
import { Intake } from "@dockline/core/Intake"
import * as Memory from "@dockline/core/Memory"
import { Messages } from "@dockline/core/Messages"
import { OutboundUrls } from "@dockline/core/OutboundUrls"
import { Pallets } from "@dockline/core/Pallets"
import { SecretsVault } from "@dockline/core/SecretsVault"
import { Shipments } from "@dockline/core/Shipments"
import { Webhooks } from "@dockline/core/Webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { audienceOf, defaultHttpConfig } from "../../src/api/HttpConfig.ts"
import * as FetchHandler from "../../src/FetchHandler.ts"
import * as HttpAdapter from "../../src/HttpAdapter.ts"
import * as BearerAuth from "../../src/tokens/BearerAuth.ts"
import { Clients, hashSecret } from "../../src/tokens/Clients.ts"
import * as RateLimits from "../../src/tokens/RateLimits.ts"
import { TokenEndpoint } from "../../src/tokens/TokenEndpoint.ts"
import { defaultTokensConfig, Tokens } from "../../src/tokens/Tokens.ts"

const { baseUrl } = defaultHttpConfig

const data = Layer.effectDiscard(Effect.gen(function*() {
  const directory = yield* Directory
  const clients = yield* ClientStore
  yield* directory.put([
    { slug: "acme", name: "Acme", fieldMap: [], facilities: [{ slug: "east", name: "East", docks: [] }] }
  ])
  yield* clients.put([{
    id: "wms",
    name: "WMS",
    enabled: true,
    secrets: [{ id: "1", hash: hashSecret("secret") }],
    grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
  }])
}))

const services = Layer.mergeAll(
  Intake.layer(),
  Messages.layer(),
  Pallets.layer(),
  Shipments.layer(),
  RateLimits.layer(),
  Layer.mergeAll(Businesses.layer, ApiClients.layer, Webhooks.layer, Deliveries.layer).pipe(
    Layer.provide([SecretsVault.layerWithoutKey, Layer.succeed(OutboundUrls, { fault: () => undefined })])
  ),
  BearerAuth.layer,
  TokenEndpoint.layer(),
  data
).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Clients.layer(),
    Tokens.layer({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) })
  )),
  Layer.provideMerge(Memory.layer)
)

const json = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(`${baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

describe("the REST interface as a fetch-style handler", () => {
  it("gives a token, takes a document and reads it back, without a server", async () => {
    await using dockline = FetchHandler.make(
      HttpAdapter.layer(defaultHttpConfig).pipe(Layer.provide(services))
    )
    const token = await dockline.handler(json("/oauth/token", {
      client_id: "wms",
      client_secret: "secret",
      audience: audienceOf(baseUrl),
      grant_type: "client_credentials"
    }))
    const { access_token } = await token.json() as { readonly access_token: string }
    const authorization = `Bearer ${access_token}`
    const document = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O-1" }
    const created = await dockline.handler(json("/v1/documents", document, { authorization }))
    assert.strictEqual(created.status, 201)
    const location = created.headers.get("location")!
    const read = await dockline.handler(new Request(`${baseUrl}${location}`, { headers: { authorization } }))
    assert.match(created.headers.get("ratelimit") ?? "", /^"default";r=5999;t=\d+$/)
    const { shipment } = await created.json() as { readonly shipment: unknown }
    assert.deepStrictEqual(await read.json(), shipment)
    assert.strictEqual((await dockline.handler(new Request(`${baseUrl}/nowhere`))).status, 404)
  })
})
