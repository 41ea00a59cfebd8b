/**
 * The service as clients of Kargo find it: REST, tokens and both schemas of GraphQL on one socket, with the demo data and a
 * shipment whose only pallet has been unloaded.
 */
import { kargoPath } from "@dockline/wire/internal/Path"
import { Effect } from "effect"
import * as TestServer from "../support/TestServer.ts"

/** The address of the schema for clients of Kargo, as a token is asked for it. */
export const audience = `${TestServer.baseUrl}${kargoPath}`

/** What a client of the demo data puts into a request for a token. */
export const credentials = { ...TestServer.tokenRequest("acme-client"), audience }

/** Where the tests find the service. */
export const places = Effect.map(TestServer.TestServer, ({ port }) => ({
  rest: `http://127.0.0.1:${port}`,
  token: `http://127.0.0.1:${port}/oauth/token`,
  graphql: `http://127.0.0.1:${port}${kargoPath}`
}))

/** Records the arrival of a shipment with one pallet, and has the pallet unloaded; the id of the shipment. */
export const unloaded = Effect.fnUntraced(function*(number: string) {
  const server = yield* TestServer.TestServer
  const lpn = `${number}-P1`
  const { shipment } = yield* server.submit({
    business: "acme",
    facility: "east",
    direction: "INBOUND",
    orderNumber: number,
    expectedArrivalAt: "2026-06-15T10:00:00Z",
    items: [{ lpn, sku: "SKU-1", quantity: 4, quantityUnit: "CASE" }]
  })
  const headers = { "content-type": "application/json" }
  const step = (path: string, body: unknown) =>
    server.request("POST", path, { client: "tower", headers, body: JSON.stringify(body) })
  yield* step(`/v1/shipments/${shipment.id}/arrive`, { dockSlug: "D1" })
  yield* pass(number, lpn)
  return shipment.id
})

/** Has a tower see a pallet of a shipment. */
export const pass = Effect.fnUntraced(function*(shipmentNumber: string, lpn: string, eventId = lpn) {
  const server = yield* TestServer.TestServer
  yield* server.request("POST", "/v1/pallet-events", {
    client: "tower",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      eventId,
      business: "acme",
      facility: "east",
      dockSlug: "D1",
      direction: "UNLOADING",
      occurredAt: "2026-06-15T11:00:00Z",
      shipmentNumber,
      labels: [{ name: "lpn", value: lpn }]
    })
  })
})
