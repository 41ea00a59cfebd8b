import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerPostgres, refusalOf, resultOf, TestServer, unique } from "../../support/TestServer.ts"
import { asXml, item, xml } from "../Sample.ts"

/** A document of several orders, whose numbers no other test uses. */
const several = (
  orders: ReadonlyArray<Readonly<Record<string, unknown>>>,
  fields: Readonly<Record<string, unknown>> = {}
) => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  shipmentNumber: unique("S"),
  ...fields,
  orders
})

layer(layerPostgres(), { excludeTestServices: true })("D2.1 several orders", (it) => {
  for (const form of ["JSON", "XML"]) {
    it.effect(`one document in ${form} makes one shipment with all its orders`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        const [a, b] = [unique("O"), unique("O")]
        const document = several([
          { orderNumber: a, purchaseOrder: "OWN", items: [item("A-1"), item("A-2", { identifier: "I" })] },
          { orderNumber: b, items: [item("B-1")] }
        ], { purchaseOrder: "ALL", supplier: "SUP", carrier: "CAR" })
        const reply = yield* form === "JSON"
          ? server.post(document)
          : server.post(xml(document), { headers: asXml })
        const { shipment, created } = resultOf(reply)
        assert.strictEqual(reply.status, 201)
        assert.strictEqual(shipment.carrier, "CAR")
        const fields = shipment.orders.map(({ orderNumber, purchaseOrder, supplier, carrier, items }) => ({
          orderNumber,
          purchaseOrder,
          supplier,
          carrier,
          items: items.map(({ lpn }) => lpn)
        }))
        assert.deepStrictEqual(fields, [
          { orderNumber: a, purchaseOrder: "OWN", supplier: "SUP", carrier: "CAR", items: ["A-1", "A-2"] },
          { orderNumber: b, purchaseOrder: "ALL", supplier: "SUP", carrier: "CAR", items: ["B-1"] }
        ])
        assert.sameMembers(created.map(({ type, reference }) => `${type} ${reference}`), [
          `SHIPMENT ${document.shipmentNumber}`,
          `ORDER ${a}`,
          "ORDER_ITEM A-1",
          "ORDER_ITEM I",
          `ORDER ${b}`,
          "ORDER_ITEM B-1"
        ])
      }))
  }

  for (
    const [name, document, status, code] of [
      [
        "an item in two orders",
        several([
          { orderNumber: "A", items: [item("L")] },
          { orderNumber: "B", items: [item("L")] }
        ]),
        409,
        "DUPLICATE_ITEM_IN_REQUEST"
      ],
      [
        "orders beside orderNumber",
        several([{ orderNumber: "A" }], { orderNumber: "A" }),
        422,
        "INVALID_DOCUMENT"
      ],
      [
        "orders beside items",
        several([{ orderNumber: "A" }], { items: [item("L")] }),
        422,
        "INVALID_DOCUMENT"
      ],
      [
        "orders without shipmentNumber",
        several([{ orderNumber: "A" }], { shipmentNumber: "" }),
        422,
        "INVALID_DOCUMENT"
      ],
      ["no order", several([]), 422, "INVALID_DOCUMENT"],
      ["an order without a number", several([{}]), 422, "INVALID_DOCUMENT"],
      ["an order with a carrier", several([{ orderNumber: "A", carrier: "C" }]), 400, "MALFORMED_DOCUMENT"]
    ] as const
  ) {
    it.effect(`${status}: ${name}`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer
        assert.deepStrictEqual(refusalOf(yield* server.post(document)), [status, code])
      }))
  }
})
