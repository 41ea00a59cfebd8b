import { payloadOf } from "@dockline/core/Message"
import type { PalletAnswer } from "@dockline/core/Pallet"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerPostgres, problemOf, refusalOf, unique } from "../../support/TestServer.ts"
import { item } from "../Sample.ts"
import type { Reply } from "../Wire.ts"
import { label, messagesOf, palletEvent, record, scheduled } from "./Facility.ts"

const answerOf = (reply: Reply, status = 201): PalletAnswer => {
  assert.strictEqual(reply.status, status, reply.text)
  return reply.body as PalletAnswer
}

layer(layerPostgres(), { excludeTestServices: true })("D6.1 pallet events", (it) => {
  it.effect("201 with the ids and orders, and one message of the contract's fields and the customer's (D6.4)", () =>
    Effect.gen(function*() {
      const [lpn, sku] = [unique("L"), unique("S")]
      const shipment = yield* scheduled({ items: [item(lpn), item(unique("L"))] })
      const labels = [
        label("lpn", lpn),
        label("sku", sku),
        label("sku", "S-2"),
        label("lot", ""),
        label("lot", "L-47")
      ]
      const occurredAt = "2026-11-20T18:00:00.5+01:00"
      const { result, messages } = yield* messagesOf("acme", record(palletEvent({ occurredAt, labels })))
      const answer = answerOf(result)
      assert.deepStrictEqual(Object.keys(answer), [
        "messageId",
        "serviceShipmentId",
        "servicePalletId",
        "orders",
        "verdict"
      ])
      assert.deepStrictEqual(answer.verdict, {
        kind: "EXPECTED",
        shipmentId: shipment.id,
        shipmentNumber: shipment.shipmentNumber,
        dockSlug: "D1",
        text: `Shipment ${shipment.shipmentNumber} expects the pallet.`
      })
      assert.strictEqual(answer.serviceShipmentId, String(shipment.id))
      assert.deepStrictEqual(answer.orders, [shipment.orders[0]!.orderNumber])
      assert.deepStrictEqual(messages.map(({ id }) => id), [answer.messageId])
      const [message] = messages
      assert.strictEqual(message!.type, "PALLET_EVENT")
      const { url, dockId, ...payload } = payloadOf(message!)
      assert.deepStrictEqual(payload, {
        businessSlug: "acme",
        facilitySlug: "east",
        serviceShipmentId: answer.serviceShipmentId,
        servicePalletId: answer.servicePalletId,
        occurredAt: "2026-11-20T17:00:00.500Z",
        direction: "LOADING",
        orders: answer.orders,
        LPN: lpn,
        SKUs: [sku, "S-2"],
        LotNumber: "L-47",
        ExpirationDate: ""
      })
      assert.match(String(url), new RegExp(`/shipments/${shipment.id}/pallets/${answer.servicePalletId}$`))
      assert.match(String(dockId), /^\d+$/)
    }))

  it.effect("a repeat is 200 with the same answer and no second message, however it is written", () =>
    Effect.gen(function*() {
      const { id: shipmentId } = yield* scheduled()
      const event = palletEvent({ shipmentId })
      const first = yield* record(event)
      answerOf(first)
      const sameTime = { ...event, occurredAt: "2026-11-20T18:00:00.000+01:00", shipmentNumber: null }
      const reordered = JSON.stringify(Object.fromEntries(Object.entries(sameTime).toReversed()), null, 2)
      const { messages } = yield* messagesOf(
        "acme",
        Effect.gen(function*() {
          for (const body of [event, reordered]) {
            const repeat = yield* record(body)
            assert.deepStrictEqual([repeat.status, repeat.text], [200, first.text])
          }
        })
      )
      assert.deepStrictEqual(messages, [])
    }))

  const others: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
    ["direction", { direction: "UNLOADING" }],
    ["dock", { dockSlug: "D2" }],
    ["time", { occurredAt: "2026-11-20T17:00:00.001Z" }],
    ["labels", { labels: [label("lot", "1")] }],
    ["shipment", { shipmentId: undefined, shipmentNumber: "any" }]
  ]
  for (const [name, fields] of others) {
    it.effect(`409 EVENT_ID_REUSED for the id with another ${name}, which is not recorded`, () =>
      Effect.gen(function*() {
        const { id: shipmentId } = yield* scheduled()
        const event = palletEvent({ shipmentId })
        const first = yield* record(event)
        const { result: other, messages } = yield* messagesOf("acme", record({ ...event, ...fields }))
        assert.deepStrictEqual(refusalOf(other), [409, "EVENT_ID_REUSED"])
        assert.include(problemOf(other).detail, event.eventId)
        assert.deepStrictEqual(messages, [])
        assert.deepStrictEqual((yield* record(event)).text, first.text)
      }))
  }

  it.effect("ids may hold any character, and differ by case and by every character", () =>
    Effect.gen(function*() {
      const { id: shipmentId } = yield* scheduled()
      for (
        const eventId of [
          "x'; drop table pallet;--",
          "É",
          "é",
          "e\u0301",
          " e",
          "e ",
          "%00",
          "\ud83d\ude9a"
        ]
      ) {
        answerOf(yield* record(palletEvent({ shipmentId, eventId })))
      }
    }))

  it.effect("XML on request (D2.8)", () =>
    Effect.gen(function*() {
      const shipment = yield* scheduled()
      const event = palletEvent({ shipmentId: shipment.id })
      const first = yield* record(event, { headers: { accept: "application/xml" } })
      assert.include(String(first.headers["content-type"]), "application/xml")
      assert.match(first.text, /^<\?xml [^>]*\?>\n<PalletAnswer><messageId>\d+<\/messageId>/)
      assert.deepStrictEqual(answerOf(yield* record(event), 200), answerOf(first))
    }))
})

layer(layerPostgres(), { excludeTestServices: true })("D6.2, D6.3 matching", (it) => {
  it.effect("409 PALLET_NOT_MATCHED stores nothing: the same event is recorded once it fits", () =>
    Effect.gen(function*() {
      const lpn = unique("L")
      const event = palletEvent({ business: "globex", facility: "main", labels: [label("lpn", lpn)] })
      const { result, messages } = yield* messagesOf("globex", record(event))
      assert.deepStrictEqual(refusalOf(result), [409, "PALLET_NOT_MATCHED"])
      assert.match(problemOf(result).detail, new RegExp(`^PALLET_NOT_MATCHED: lpn=${lpn}, dockSlug=D1`))
      assert.deepStrictEqual(messages, [])
      const shipment = yield* scheduled({ business: "globex", facility: "main" }, lpn)
      assert.strictEqual(answerOf(yield* record(event)).serviceShipmentId, String(shipment.id))
    }))
})
