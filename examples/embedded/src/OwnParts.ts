/**
 * Dockline with parts of one's own in place of its: who is asking, what time it is, what calls customers, what sees each
 * document before the storage does, and one more strategy for items.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { noItemChanges } from "@dockline/core/document/Strategy"
import type { Strategy } from "@dockline/core/document/Strategy"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { itemKey } from "@dockline/core/shipment/Shipment"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { OutboundHttp } from "@dockline/webhook-adapter/outbound/OutboundHttp"
import * as WebhookSender from "@dockline/webhook-adapter/WebhookSender"
import { getRequestListener } from "@hono/node-server"
import { Effect, Layer, Result } from "effect"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { announce, onStop, port } from "./Service.ts"

/** The users of the embedding service, by the key that they send. */
const users: Readonly<Record<string, Principal>> = {
  "key-of-ann": {
    clientId: "ann",
    grants: [{
      business: "*",
      facilities: "*",
      permissions: ["documents:write", "messages:read", "operator"]
    }]
  },
  "key-of-gate": {
    clientId: "gate",
    grants: [{ business: "acme", facilities: "*", permissions: ["pallets:write", "shipments:write"] }]
  }
}

/** Our own idea of who is asking: `Authorization: ApiKey <key>`. */
const authenticator = Authenticator.layerPromise(async (header) =>
  users[header?.replace(/^ApiKey /, "") ?? ""] ?? null
)

/** A time of our own: everything that is written is a year ahead. */
const clock = { now: () => Date.now() + 365 * 86_400_000 }

/** Storage of our own: here the one in memory, and a line for each document that it takes. */
const audited = Layer.effect(
  IntakeStore,
  Effect.map(IntakeStore, (store) =>
    IntakeStore.of({
      ...store,
      transact: (document, decide, options) => {
        console.log(`document of ${document.business}: ${document.shipmentNumber}`)
        return store.transact(document, decide, options)
      }
    }))
).pipe(Layer.provideMerge(Memory.layer))

/** A strategy of our own: adds the items that are new, and leaves those alone that are there. */
const addMissing: Strategy = {
  requiredFields: ["lpn", "sku", "quantity", "quantityUnit"],
  apply: (stored, incoming) => {
    const known = new Set(stored.map(itemKey))
    return Result.succeed({ ...noItemChanges, created: incoming.filter((item) => !known.has(itemKey(item))) })
  }
}

/** Calls to customers of our own: here they are shown, and always succeed. */
const outboundHttp = OutboundHttp.layerPromise(async ({ url, body }) => {
  console.log(`webhook to ${url}: ${(JSON.parse(body) as { readonly orders: unknown }).orders}`)
  return { status: 204 }
})

const dockline = await Dockline.open({
  storage: audited,
  clock,
  strategies: { ADD_MISSING: addMissing },
  webhooks: WebhookSender.setup({ secretsKey: randomBytes(32).toString("base64") })
})
const known = await dockline.places([
  { slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "Acme East", docks: ["D1"] }] }
])
if (!known.ok) throw known.error

const rest = await RestHandler.make(dockline.layer, { authenticator })
const graphql = await GraphqlHandler.make(rest.layer)
const webhooks = await WebhookSender.start(dockline.layer, { outboundHttp })

const listener = getRequestListener(
  (request) => (graphql.serves(request) ? graphql : rest).handler(request),
  { overrideGlobalObjects: false }
)
const server = createServer(listener)
announce(server)
server.on("upgrade", graphql.handleUpgrade)
server.listen(port)

onStop({
  close: async () => {
    await webhooks.close()
    await graphql.close()
    await rest.close()
    await dockline.close()
  }
}, server)
