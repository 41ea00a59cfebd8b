import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  layerPostgres,
  ordersOf,
  problemOf,
  refusalOf,
  resultOf,
  shipmentsOf,
  TestServer,
  unique
} from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"

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

const shipmentsNamed = Effect.fnUntraced(function*(number: string) {
  const server = yield* TestServer
  return shipmentsOf(yield* server.get(`/v1/shipments?shipmentNumber=${number}`)).items
})

const ordersNamed = Effect.fnUntraced(function*(number: string) {
  const server = yield* TestServer
  return ordersOf(yield* server.get(`/v1/orders?orderNumber=${number}`)).items
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

  it.effect("D3.5 each order has its strategy: its own, else the document's", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [a, b, c] = [unique("O"), unique("O"), unique("O")]
      const first = several([
        { orderNumber: a, items: [item("A-1")] },
        { orderNumber: b, items: [item("B-1")] },
        { orderNumber: c, items: [item("C-1")] }
      ])
      yield* server.submit(first)
      const { shipment, created, removed } = yield* server.submit({
        ...first,
        orderItemUpdateStrategy: "APPEND",
        orders: [
          { orderNumber: a, items: [item("A-2")] },
          { orderNumber: b, orderItemUpdateStrategy: "OVERWRITE", items: [item("B-2")] },
          { orderNumber: c, orderItemUpdateStrategy: "DELETE", items: [{ lpn: "C-1", sku: "SKU" }] }
        ]
      })
      assert.deepStrictEqual(shipment.orders.map(({ items }) => items.map(({ lpn }) => lpn)), [
        ["A-1", "A-2"],
        ["B-2"],
        []
      ])
      assert.deepStrictEqual(created.map(({ reference }) => reference), ["A-2", "B-2"])
      assert.deepStrictEqual(removed.map(({ reference }) => reference), ["B-1", "C-1"])
    }))

  it.effect("an order that the document does not name stays as it is", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [a, b] = [unique("O"), unique("O")]
      const first = several([{ orderNumber: a, items: [item("A")] }, {
        orderNumber: b,
        items: [item("B")]
      }])
      const before = yield* server.submit(first)
      const after = yield* server.submit({ ...first, orders: [{ orderNumber: b, items: [] }] })
      assert.deepStrictEqual(after.shipment, before.shipment)
      assert.deepStrictEqual(after.updated.map(({ reference }) => reference), [first.shipmentNumber, b])
    }))

  it.effect("a document is all or nothing: a conflict in its last order leaves the others unwritten", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [a, b] = [unique("O"), unique("O")]
      const first = several([{ orderNumber: b, items: [item("B")] }], { orderItemUpdateStrategy: "APPEND" })
      const before = yield* server.submit(first)
      const reply = yield* server.post({
        ...first,
        carrier: "NEW",
        orders: [{ orderNumber: a, items: [item("A")] }, { orderNumber: b, items: [item("B")] }]
      })
      assert.deepStrictEqual(refusalOf(reply), [409, "DUPLICATE_ORDER_ITEM_KEY"])
      assert.deepStrictEqual(yield* shipmentsNamed(first.shipmentNumber), [before.shipment])
    }))

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
        "an order twice",
        several([{ orderNumber: "A" }, { orderNumber: "A" }]),
        409,
        "DUPLICATE_ORDER_IN_REQUEST"
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

  it.effect("a fault names the order it is in", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const problem = problemOf(
        yield* server.post(
          several([{ orderNumber: "A" }, {
            orderNumber: "B",
            items: [item("L"), item("M", { quantity: -1 })]
          }])
        )
      )
      assert.deepStrictEqual(problem.errors?.map(({ path }) => path), ["orders[1].items[1].quantity"])
    }))
})

layer(layerPostgres(), { excludeTestServices: true })("D3.3 remapping", (it) => {
  it.effect("an order moves to the shipment of the new number, with its id and items; its old shipment stays", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order({ items: [item("L-1")] })
      const first = yield* server.submit(document)
      const [moved] = first.shipment.orders
      const shipmentNumber = unique("S")
      const second = yield* server.submit({
        ...document,
        shipmentNumber,
        orderItemUpdateStrategy: "APPEND",
        items: [item("L-2")]
      })
      assert.deepStrictEqual(second.created.map(({ type }) => type), ["SHIPMENT", "ORDER_ITEM"])
      assert.deepStrictEqual(second.updated, [{
        type: "ORDER",
        id: moved!.id,
        reference: document.orderNumber
      }])
      assert.deepStrictEqual(second.shipment.orders.map(({ id }) => id), [moved!.id])
      assert.deepStrictEqual(second.shipment.orders[0]?.items[0], moved!.items[0])
      assert.deepStrictEqual(yield* shipmentsNamed(document.orderNumber), [{
        ...first.shipment,
        orders: [],
        progress: { ...first.shipment.progress, expectedPallets: 0, missingPallets: 0 }
      }])
    }))

  it.effect("without a shipmentNumber it moves back to the shipment of its own number", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order()
      const first = yield* server.submit(document)
      yield* server.submit({ ...document, shipmentNumber: unique("S") })
      const reply = yield* server.post(document)
      assert.strictEqual(reply.status, 200)
      assert.deepStrictEqual(resultOf(reply).shipment, first.shipment)
      assert.strictEqual((yield* ordersNamed(document.orderNumber)).length, 1)
    }))

  it.effect("orders of another direction or facility are not candidates", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order()
      yield* server.submit(document)
      yield* server.submit({ ...document, direction: "INBOUND", shipmentNumber: unique("S") })
      yield* server.submit({ ...document, facility: "west", shipmentNumber: unique("S") })
      assert.strictEqual((yield* ordersNamed(document.orderNumber)).length, 3)
    }))

  it.effect("two shipments exchange their orders in two documents", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [a, b] = [unique("O"), unique("O")]
      const left = several([{ orderNumber: a, items: [item("A")] }])
      const right = several([{ orderNumber: b, items: [item("B")] }])
      yield* server.submit(left)
      yield* server.submit(right)
      yield* server.submit({ ...left, orders: [{ orderNumber: b }] })
      yield* server.submit({ ...right, orders: [{ orderNumber: a }] })
      const names = Effect.fnUntraced(function*(number: string) {
        const [shipment] = yield* shipmentsNamed(number)
        return shipment!.orders.map(({ orderNumber, items }) => [orderNumber, items[0]?.lpn])
      })
      assert.deepStrictEqual(yield* names(left.shipmentNumber), [[b, "B"]])
      assert.deepStrictEqual(yield* names(right.shipmentNumber), [[a, "A"]])
    }))
})

layer(layerPostgres(), { excludeTestServices: true })("shipments on their way", (it) => {
  const setStatus = Effect.fnUntraced(function*(id: number, status: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update dockline.shipment set status = ${status}, arrived_at = '2026-01-02T00:00:00Z',
      departed_at = case when ${status} = 'DEPARTED' then '2026-01-03T00:00:00Z'::timestamptz end where id = ${id}`
  })

  it.effect("D3.3 an order on an arrived shipment is not remapped: a new one is made", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order({ items: [item("L")] })
      const first = yield* server.submit(document)
      yield* setStatus(first.shipment.id, "ARRIVED")
      const second = yield* server.submit({ ...document, shipmentNumber: unique("S") })
      assert.notStrictEqual(second.shipment.orders[0]?.id, first.shipment.orders[0]?.id)
      const [old] = yield* shipmentsNamed(document.orderNumber)
      assert.deepStrictEqual(old!.orders, first.shipment.orders)
      assert.deepStrictEqual(
        old!.statusEvents.map(({ completed, completedAt }) => [completed, completedAt]),
        [
          [true, old!.scheduledAt],
          [true, "2026-01-02T00:00:00.000Z"],
          [false, ""]
        ]
      )
    }))

  it.effect("D3.2 a departed shipment is final, and a document that changes nothing of it is answered", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order({ carrier: "C" })
      const first = yield* server.submit(document)
      yield* setStatus(first.shipment.id, "DEPARTED")
      assert.strictEqual((yield* server.post(document)).status, 200)
      const problem = problemOf(yield* server.post({ ...document, carrier: "NEW" }))
      assert.deepStrictEqual([problem.status, problem.detail], [
        409,
        `SHIPMENT_CONFLICT: shipmentNumber=${document.orderNumber}, reason=DEPARTED`
      ])
    }))
})
