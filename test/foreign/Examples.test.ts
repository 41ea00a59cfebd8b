/**
 * The 24 requests that Kargo publishes as examples of `POST /documents` (api-evangelist/kargo, `examples/kargo-request-examples.yml`):
 * eight documents, each as JSON, application/xml and text/xml. They are written anew, field for field, because that repository has no
 * licence for copies; each is accepted, in memory and on PostgreSQL (D17).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { xml } from "../http/Sample.ts"
import * as GraphqlServer from "../support/GraphqlServer.ts"
import * as TestServer from "../support/TestServer.ts"

type Value = string | number | { readonly [name: string]: Value } | ReadonlyArray<Value>

const item = (lpn: string, sku: string, quantity: number, quantityUnit = "CASE") => ({
  lpn,
  sku,
  quantity,
  quantityUnit
})

const serials = { caseSerials: [{ id: "00000000000123456789", quantity: 10 }] }

/** The documents, in their order: later ones change the results of earlier ones. */
const documentsOf = (number: string): Readonly<Record<string, Readonly<Record<string, Value>>>> => {
  const shipment = {
    business: "acme",
    facility: "east",
    direction: "OUTBOUND",
    shipmentNumber: `${number}-SHIPMENT`
  }
  const [first, second] = [`${number}-ORDER-1`, `${number}-ORDER-2`]
  const order = { orderNumber: first, ...shipment }
  return {
    orderWithFivePallets: {
      ...order,
      items: [
        { ...item("P-A", "S-1", 10), ...serials },
        item("P-A", "S-4", 8),
        item("P-B", "S-7", 12),
        item("P-C", "S-1", 6),
        item("P-D", "S-9", 15)
      ]
    },
    appendOrderItem: {
      ...order,
      orderItemUpdateStrategy: "APPEND",
      items: [item("P-NEW", "S-APPEND", 1, "UNIT")]
    },
    mergeOrderItemByLpnAndSku: {
      ...order,
      orderItemUpdateStrategy: "MERGE",
      items: [item("P-A", "S-1", 5)]
    },
    deleteOrderItemByLpnAndSku: {
      ...order,
      orderItemUpdateStrategy: "DELETE",
      items: [{ lpn: "P-A", sku: "S-1" }]
    },
    overwriteOrderItems: {
      ...order,
      orderItemUpdateStrategy: "OVERWRITE",
      items: [item("P-R1", "S-R1", 2, "UNIT"), item("P-R2", "S-R2", 3)]
    },
    shipmentWithMultipleOrders: {
      ...shipment,
      orders: [
        { orderNumber: first, items: [{ ...item("P-M1", "S-M1", 10), ...serials }] },
        { orderNumber: second, items: [item("P-M2", "S-M2", 8)] }
      ]
    },
    shipmentWithMultipleOrdersShipmentLevelStrategy: {
      ...shipment,
      orderItemUpdateStrategy: "MERGE",
      orders: [
        { orderNumber: first, items: [item("P-M3", "S-M3", 10)] },
        { orderNumber: second, items: [item("P-M4", "S-M4", 8)] }
      ]
    },
    shipmentWithMultipleOrdersOrderLevelStrategies: {
      ...shipment,
      orders: [
        { orderNumber: first, orderItemUpdateStrategy: "APPEND", items: [item("P-M5", "S-M5", 4)] },
        { orderNumber: second, orderItemUpdateStrategy: "DELETE", items: [{ lpn: "P-M4", sku: "S-M4" }] }
      ]
    }
  }
}

/** The LPNs of the orders after each document. */
const expected: Readonly<Record<string, string>> = {
  orderWithFivePallets: "P-A P-A P-B P-C P-D",
  appendOrderItem: "P-A P-A P-B P-C P-D P-NEW",
  mergeOrderItemByLpnAndSku: "P-A P-A P-B P-C P-D P-NEW",
  deleteOrderItemByLpnAndSku: "P-A P-B P-C P-D P-NEW",
  overwriteOrderItems: "P-R1 P-R2",
  shipmentWithMultipleOrders: "P-M1|P-M2",
  shipmentWithMultipleOrdersShipmentLevelStrategy: "P-M1 P-M3|P-M2 P-M4",
  shipmentWithMultipleOrdersOrderLevelStrategies: "P-M1 P-M3 P-M5|P-M2"
}

const forms: Readonly<Record<string, (document: Readonly<Record<string, Value>>) => string>> = {
  "application/json": (document) => JSON.stringify(document),
  "application/xml": xml,
  "text/xml": xml
}

for (
  const [storage, server] of [
    ["memory", GraphqlServer.layerMemory()],
    ["PostgreSQL", GraphqlServer.layerPostgres()]
  ] as const
) {
  describe(`D17 the examples of Kargo, on ${storage}`, () => {
    layer(server, { excludeTestServices: true })((it) => {
      for (const [type, write] of Object.entries(forms)) {
        it.effect(`are taken as ${type}`, () =>
          Effect.gen(function*() {
            const { post } = yield* TestServer.TestServer
            const documents = Object.entries(documentsOf(type.replace("/", "-")))
            assert.strictEqual(documents.length, 8)
            for (const [name, document] of documents) {
              const headers = { "content-type": type, accept: "application/json" }
              const { shipment } = TestServer.resultOf(yield* post(write(document), { headers }))
              const lpns = shipment.orders.map(({ items }) => items.map(({ lpn }) => lpn).join(" ")).join("|")
              assert.strictEqual(`${name}: ${lpns}`, `${name}: ${expected[name]}`)
            }
          }))
      }
    })
  })
}
