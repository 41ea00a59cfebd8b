import { payloadOf } from "@dockline/core/Message"
import type { PalletAnswer } from "@dockline/core/Pallet"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layerPostgres,
  problemOf,
  refusalOf,
  shipmentOf,
  TestServer,
  unique
} from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import type { Reply } from "../Wire.ts"
import { arrive, depart, label, messagesOf, palletEvent, record, scheduled } from "./Facility.ts"

const answerOf = (reply: Reply, status = 201): PalletAnswer => {
  assert.strictEqual(reply.status, status, reply.text)
  return reply.body as PalletAnswer
}

const statusOf = (id: number) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    return shipmentOf(yield* server.get(`/v1/shipments/${id}`)).status
  })

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
        "orders"
      ])
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

  it.effect("50 repeats at once are one 201 and 49 × 200 with the same answer, and one message", () =>
    Effect.gen(function*() {
      const lpn = unique("L")
      const shipment = yield* scheduled({}, lpn)
      const event = palletEvent({ labels: [label("lpn", lpn)] })
      const { result: replies, messages } = yield* messagesOf(
        "acme",
        Effect.all(Array.from({ length: 50 }, () => record(event)), { concurrency: "unbounded" })
      )
      const statuses = replies.map(({ status }) => status).sort()
      assert.deepStrictEqual(statuses, [...Array<number>(49).fill(200), 201])
      assert.strictEqual(new Set(replies.map(({ text }) => text)).size, 1)
      assert.deepStrictEqual(messages.map(({ id }) => id), [
        answerOf(replies[0]!, replies[0]!.status).messageId
      ])
      assert.strictEqual(yield* statusOf(shipment.id), "ARRIVED")
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

  it.effect("an event id is its facility's own", () =>
    Effect.gen(function*() {
      const [east, west] = [yield* scheduled(), yield* scheduled({ facility: "west" })]
      const event = palletEvent({ shipmentId: east.id })
      const first = answerOf(yield* record(event))
      const second = answerOf(yield* record({ ...event, facility: "west", shipmentId: west.id }))
      assert.notStrictEqual(first.messageId, second.messageId)
      assert.strictEqual(second.serviceShipmentId, String(west.id))
    }))

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

  for (const field of ["shipmentId", "shipmentNumber"] as const) {
    it.effect(`404 for an unknown ${field}, and for that of another facility or business`, () =>
      Effect.gen(function*() {
        const west = yield* scheduled({ facility: "west" })
        const globex = yield* scheduled({ business: "globex", facility: "main" })
        const given = field === "shipmentId"
          ? [999_999_999, west.id, globex.id]
          : ["nowhere", west.shipmentNumber, globex.shipmentNumber]
        for (const value of given) {
          const { result, messages } = yield* messagesOf("acme", record(palletEvent({ [field]: value })))
          assert.deepStrictEqual(refusalOf(result), [404, "SHIPMENT_NOT_FOUND"])
          assert.include(problemOf(result).detail, String(value))
          assert.deepStrictEqual(messages, [])
        }
      }))
  }

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

  it.effect("the given shipment, else that of the lpn, else that which arrived last at the dock", () =>
    Effect.gen(function*() {
      const lpn = unique("L")
      const [given, older, byLpn, atDock] = [
        yield* scheduled(),
        yield* scheduled({}, lpn),
        yield* scheduled({}, lpn),
        yield* scheduled()
      ]
      yield* arrive(atDock.id, { dockSlug: "D2" })
      const at = { dockSlug: "D2" }
      const labels = [label("lpn", lpn)]
      const matched = (fields: object) =>
        Effect.map(record(palletEvent({ ...at, ...fields })), (reply) => answerOf(reply).serviceShipmentId)
      assert.strictEqual(yield* matched({ labels, shipmentId: given.id }), String(given.id))
      assert.strictEqual(yield* matched({ labels, shipmentNumber: older.shipmentNumber }), String(older.id))
      assert.strictEqual(yield* matched({ labels }), String(byLpn.id))
      yield* arrive(byLpn.id)
      yield* depart(byLpn.id)
      assert.strictEqual(yield* matched({ labels }), String(older.id))
      const last = yield* scheduled()
      yield* arrive(last.id, { dockSlug: "D2" })
      assert.strictEqual(yield* matched({ labels: [label("lpn", unique("L"))] }), String(last.id))
      assert.strictEqual(yield* matched({}), String(last.id))
    }))

  it.effect("the first pallet of a SCHEDULED shipment makes it ARRIVED, then and there", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const { id } = yield* scheduled({ dockSlug: "D1" })
      answerOf(
        yield* record(palletEvent({ shipmentId: id, dockSlug: "D2", occurredAt: "2026-11-20T17:00:00Z" }))
      )
      answerOf(
        yield* record(palletEvent({ shipmentId: id, dockSlug: "D1", occurredAt: "2026-11-20T17:30:00Z" }))
      )
      const shipment = shipmentOf(yield* server.get(`/v1/shipments/${id}`))
      assert.deepStrictEqual([shipment.status, shipment.dockSlug], ["ARRIVED", "D2"])
      assert.strictEqual(shipment.statusEvents[1]!.completedAt, "2026-11-20T17:00:00.000Z")
    }))

  it.effect("409 SHIPMENT_DEPARTED for a departed shipment", () =>
    Effect.gen(function*() {
      const { id: shipmentId } = yield* scheduled()
      yield* arrive(shipmentId)
      yield* depart(shipmentId)
      const { result, messages } = yield* messagesOf("acme", record(palletEvent({ shipmentId })))
      assert.deepStrictEqual(refusalOf(result), [409, "SHIPMENT_DEPARTED"])
      assert.deepStrictEqual(messages, [])
    }))

  it.effect("an event repeated after the departure still gets its answer", () =>
    Effect.gen(function*() {
      const { id: shipmentId } = yield* scheduled()
      const event = palletEvent({ shipmentId })
      const first = yield* record(event)
      yield* depart(shipmentId)
      const repeat = yield* record(event)
      assert.deepStrictEqual([repeat.status, repeat.text], [200, first.text])
    }))

  it.effect("D6.3 a pallet is known by shipment and lpn; without an lpn each event is one of its own", () =>
    Effect.gen(function*() {
      const [first, second] = [yield* scheduled(), yield* scheduled()]
      const labels = [label("lpn", unique("L"))]
      const palletOf = (shipmentId: number, labels: ReadonlyArray<object>) =>
        Effect.map(
          record(palletEvent({ shipmentId, labels })),
          (reply) => answerOf(reply).servicePalletId
        )
      const pallet = yield* palletOf(first.id, labels)
      assert.strictEqual(yield* palletOf(first.id, [label("lpn", ""), ...labels]), pallet)
      const others = [
        yield* palletOf(second.id, labels),
        yield* palletOf(first.id, []),
        yield* palletOf(first.id, []),
        yield* palletOf(first.id, [label("lpn", "")])
      ]
      assert.strictEqual(new Set([pallet, ...others]).size, 5)
    }))

  it.effect("D6.3 orders: those that hold the lpn, else the only one, else none", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const [both, one] = [unique("L"), unique("L")]
      const [a, b] = [unique("O"), unique("O")]
      const document = {
        ...order({ orderNumber: undefined, shipmentNumber: unique("S") }),
        orders: [
          { orderNumber: a, items: [item(both), item(one)] },
          { orderNumber: b, items: [item(both, { sku: "OTHER" })] }
        ]
      }
      const { shipment } = yield* server.submit(document)
      const single = yield* scheduled()
      const ordersOf = (shipmentId: number, lpn: string) =>
        Effect.map(
          record(palletEvent({ shipmentId, labels: [label("lpn", lpn)] })),
          (reply) => answerOf(reply).orders
        )
      assert.deepStrictEqual(yield* ordersOf(shipment.id, both), [a, b])
      assert.deepStrictEqual(yield* ordersOf(shipment.id, one), [a])
      assert.deepStrictEqual(yield* ordersOf(shipment.id, unique("L")), [])
      assert.deepStrictEqual(yield* ordersOf(single.id, unique("L")), [single.orders[0]!.orderNumber])
    }))
})
