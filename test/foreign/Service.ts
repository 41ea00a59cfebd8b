/**
 * The service as clients of Kargo use it: REST, tokens and both schemas of GraphQL on one socket, with the demo data and a shipment whose
 * only pallet has been unloaded.
 */
import { kargoPath } from "@dockline/kargo/KargoGraphql"
import { recently } from "@dockline/testing/generators/Given"
import { Effect } from "effect"
import { arrive, label, palletEvent, record, scheduled } from "../http/facility/Facility.ts"
import { item } from "../http/Sample.ts"
import * as TestServer from "../support/TestServer.ts"

/** The address of the schema for clients of Kargo, the audience in requests for tokens. */
export const audience = `${TestServer.baseUrl}${kargoPath}`

/** The body of a demo client's request for a token. */
export const credentials = { ...TestServer.tokenRequest("acme-client"), audience }

/** The addresses of the service for the tests. */
export const places = Effect.map(TestServer.TestServer, ({ port }) => ({
  rest: `http://127.0.0.1:${port}`,
  token: `http://127.0.0.1:${port}/oauth/token`,
  graphql: `http://127.0.0.1:${port}${kargoPath}`
}))

/** Records the arrival of a shipment with one pallet, and unloads the pallet; returns the id of the shipment. */
export const unloaded = Effect.fnUntraced(function*(number: string) {
  const lpn = `${number}-P1`
  const { id } = yield* scheduled({
    direction: "INBOUND",
    orderNumber: number,
    expectedArrivalAt: "2026-06-15T10:00:00Z",
    items: [item(lpn, { sku: "SKU-1", quantity: 4 })]
  })
  yield* arrive(id, { dockSlug: "D1" })
  yield* pass(number, lpn)
  return id
})

/** Reports a pallet of a shipment as a tower does. */
export const pass = (shipmentNumber: string, lpn: string) =>
  record(palletEvent({
    eventId: lpn,
    direction: "UNLOADING",
    occurredAt: recently("11:00:00Z"),
    shipmentNumber,
    labels: [label("lpn", lpn)]
  }))
