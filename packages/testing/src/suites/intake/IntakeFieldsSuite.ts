/** The rule that every storage of intake keeps every field unchanged. */
import { emptyOrderFields } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf, without } from "../../generators/Given.ts"
import { aWorld, everyItemField, everyOrderField, look } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"
import { at } from "../../worlds/MessageLogWorld.ts"

/** Texts that a storage may misinterpret. */
const hostileTexts = [
  "\u{1F4E6} \u{10FFFF} é e\u0301 \u202E",
  "\u0001\u001F\u007F\u2028\u2029\uFEFF\r\n\t\v",
  "\" ' ` \\ \\\\ \\n \\u0000 \\x00 %00",
  "$1 :name ? @p1 %s {} {0} ${x} -- ; /* */ '); drop table shipment; --",
  "null",
  "NaN",
  "[1,2]",
  "{\"a\":1}",
  "\\N",
  "0x10",
  "1e400",
  "<![CDATA[ &amp; ]]>",
  "__proto__",
  "constructor",
  "  blanks around  ",
  "\u{1F69A}".repeat(980)
]

/** Every field is read back as it was written. */
export const fields = (test: AddTest): void => {
  const roundTrip = (text: string) =>
    Effect.gen(function*() {
      const { document, submit } = yield* aWorld
      const store = yield* ShipmentStore
      const header = {
        shipmentNumber: `shipment ${text}`,
        expectedArrivalAt: Timestamp.of("0001-01-01T00:00:00.001Z"),
        trailerNumber: `trailer ${text}`,
        carrier: `carrier ${text}`,
        dockSlug: "D2",
        additionalFields: Array.from(new Set(["z", text, "a", "10", "9", "__proto__"]), (name) => ({
          name,
          value: `${name} ${text}`
        }))
      }
      const orders = [
        orderOf(`order ${text}`, "APPEND", [everyItemField(text), anItem(`other ${text}`, "S")], {
          ...everyOrderField(text)
        }),
        orderOf(`${text} order`)
      ]
      const { shipment } = yield* submit(header, ...orders)
      const current = assert.present(yield* store.find(Number(shipment.id), [])).shipment
      assert.deepStrictEqual(current, shipment)
      assert.deepStrictEqual((yield* look(document(header))).target, shipment)
      // The fields are read back from the storage, not only from the answer.
      const { shipmentNumber, dockSlug, ...fields } = header
      assert.deepStrictEqual(
        {
          ...without(current, "id", "orders", "pallets", "dock", "scheduledAt"),
          dock: assert.present(current.dock).slug
        },
        {
          ...fields,
          number: shipmentNumber,
          dock: dockSlug,
          status: "SCHEDULED",
          direction: "OUTBOUND",
          arrivedAt: null,
          departedAt: null,
          cancelledAt: null,
          linkedShipmentIds: [],
          checkIn: {},
          stepClients: {},
          version: 1
        }
      )
      assert.deepStrictEqual(
        current.orders.map(({ items, ...order }) => ({
          ...without(order, "id"),
          items: items.map((item) => without(item, "id"))
        })),
        orders.map(({ orderNumber, fields, items }) => ({
          number: orderNumber,
          status: "CREATED",
          direction: "OUTBOUND",
          ...fields,
          items
        }))
      )
    })

  test("what a document says in every field is what is read back", roundTrip("x"))

  test(
    "text is text, whatever it looks like",
    Effect.forEach(hostileTexts, (text) => roundTrip(text), { discard: true })
  )

  test("what a document leaves out is absent, and its time of processing is scheduledAt", function*() {
    const { submit, shipments } = yield* aWorld
    const time = "2026-11-20T17:00:00.007Z"
    yield* at(Date.parse(time))(
      submit({}, orderOf("O1", "APPEND", [anItem("L", "S", { quantity: 0, quantityUnit: "" })]))
    )
    const [shipment] = yield* shipments
    assert.deepStrictEqual(
      [
        assert.present(shipment).scheduledAt,
        assert.present(shipment).expectedArrivalAt,
        assert.present(shipment).trailerNumber,
        assert.present(shipment).carrier
      ],
      [time, time, "", ""]
    )
    assert.deepStrictEqual([assert.present(shipment).dock, assert.present(shipment).additionalFields], [
      null,
      []
    ])
    const [order] = assert.present(shipment).orders
    assert.deepStrictEqual(
      without(assert.present(order), "id", "number", "status", "direction", "items"),
      emptyOrderFields
    )
    assert.deepStrictEqual(
      without(assert.at(assert.present(order).items, 0), "id"),
      anItem("L", "S", { quantity: 0, quantityUnit: "" })
    )
  })
}
