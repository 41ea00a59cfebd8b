/**
 * The common part of the tests of tenant isolation: entities of one business, marked in every text that only the business knows, and an
 * intruder with all permissions at another business.
 */
import type { Grant } from "@dockline/core/access/Access"
import type { DocumentRecordView } from "@dockline/core/document/DocumentRecord"
import type { IntakeResult } from "@dockline/core/document/Outcome"
import type { ReportAnswer } from "@dockline/core/exceptions/ShipmentException"
import type { PalletAnswer } from "@dockline/core/movement/Pallet"
import type { Page } from "@dockline/core/values/Page"
import { Effect } from "effect"
import { assert } from "vitest"
import { label, palletEvent, post, record } from "../../http/facility/Facility.ts"
import { get, makeClient, makeEndpoint } from "../../http/operator/Operator.ts"
import { GraphqlServer } from "../../support/GraphqlServer.ts"
import { TestServer, unique } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import { exchange, keepMapping } from "./Everywhere.ts"
import type { Made } from "./Everywhere.ts"

/** A mark in every text of the victim that an intruder could not know. */
export const mark = "Zq7Marked"

/** The victim's data that an intruder may have learned: slugs, ids, numbers. */
export interface Victim extends Made {
  readonly messageId: number
  readonly clientId: string
  readonly endpointId: string
}

/** A grant of all permissions at globex, and nothing elsewhere. */
export const everythingAtGlobex: Grant = {
  business: "globex",
  facilities: "*",
  permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write", "operator"]
}

/** A document of acme west, marked wherever the intruder does not choose the text. */
export const markedDocument = (orderNumber: string) => ({
  business: "acme",
  facility: "west",
  direction: "OUTBOUND",
  orderNumber,
  carrier: `${mark} carrier`,
  driverName: `${mark} driver`,
  supplier: `${mark} supplier`,
  items: [{ lpn: `${mark}-${orderNumber}`, sku: `${mark}-sku`, quantity: 3, quantityUnit: "CASE" }]
})

/** Makes all kinds of entities of acme. */
export const makeVictim = Effect.gen(function*() {
  const server = yield* TestServer
  const orderNumber = unique("VICTIM")
  const { shipment } = yield* server.submit(markedDocument(orderNumber))
  const other: IntakeResult = yield* server.submit(markedDocument(unique("VICTIM")))
  const labels = [label("lpn", `${mark}-${orderNumber}`), label("lot", `${mark} lot`)]
  const event = palletEvent({ facility: "west", shipmentId: shipment.id, labels })
  const recorded = yield* record(event)
  assert.strictEqual(recorded.status, 201, recorded.text)
  const client = yield* makeClient({ business: "acme", facilities: "*", permissions: ["documents:write"] })
  const endpoint = yield* makeEndpoint("acme", { baseUrl: `https://${mark.toLowerCase()}.example` })
  const exception = yield* post(`/v1/shipments/${shipment.id}/exceptions`, {
    kind: "OTHER",
    priority: "LOW",
    description: `${mark} exception`
  })
  assert.strictEqual(exception.status, 201, exception.text)
  yield* keepMapping("acme", `${mark} column`)
  const { body } = yield* server.get(`/v1/documents?orderNumber=${orderNumber}`)
  const documents = body as Page<DocumentRecordView>
  return {
    place: "acme/west",
    business: "acme",
    facility: "west",
    id: shipment.id,
    otherId: other.shipment.id,
    number: orderNumber,
    messageId: (yield* server.messages("acme")).at(-1)!.id,
    palletId: (recorded.body as PalletAnswer).servicePalletId,
    lpn: `${mark}-${orderNumber}`,
    clientId: client.id,
    endpointId: endpoint.id,
    exceptionId: (exception.body as ReportAnswer).exceptionId,
    documentId: documents.items[0]!.id,
    ...yield* exchange("acme", "west", `ISA ${mark}`)
  } satisfies Victim
})

/** The visible state of the victim, for clients that may see it. */
export const stateOf = Effect.fnUntraced(
  function*({ clientId, ediFileId, endpointId, id, otherId }: Victim) {
    const server = yield* TestServer
    const replies = yield* Effect.all([
      server.get(`/v1/shipments/${id}`),
      server.get(`/v1/shipments/${otherId}`),
      server.get(`/v1/shipments/${id}/exceptions`),
      server.get("/v1/documents?business=acme&facility=west"),
      server.get(`/v1/edi/files/${ediFileId}`),
      server.get("/v1/packing-lists/mappings?business=acme"),
      get("businesses/acme"),
      get("businesses/acme/field-map"),
      get("businesses/acme/facilities"),
      get("businesses/acme/facilities/west/docks"),
      get(`clients/${clientId}`),
      get(`webhook-endpoints/${endpointId}`),
      get(`webhook-endpoints/${endpointId}/deliveries`)
    ])
    for (const { status, text } of replies) assert.strictEqual(status, 200, text)
    return [...replies.map(({ text }) => text), JSON.stringify(yield* server.messages("acme"))]
  }
)

/** Sends an operation of GraphQL as any client. */
export const graphql = Effect.fnUntraced(function*(
  as: RequestOptions,
  body: unknown,
  accept = "application/json"
) {
  const { fetch } = yield* GraphqlServer
  return yield* fetch({
    method: "POST",
    headers: { "content-type": "application/json", accept, ...as.headers },
    body: JSON.stringify(body)
  }, null)
})
