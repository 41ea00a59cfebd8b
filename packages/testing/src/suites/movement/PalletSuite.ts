/** The rules for pallet events, for every storage (D6.1–4). */
import type { Principal } from "@dockline/core/access/Access"
import { payloadOf } from "@dockline/core/messages/Message"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aPalletEvent, labelsOf, unique } from "../../generators/Given.ts"
import { at, aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

/** Cases of recording an event once or not at all. */
export const recording = (test: AddTest): void => {
  test("D6.1 pallets have ids of their own, though events are refused and repeated in between", function*() {
    const { submit, record } = yield* aWorld()
    const shipmentId = yield* submit("S1")
    const ids: Array<number> = []
    for (const [lpn, refusals] of [["L1", 2], ["L2", 0], ["L3", 1]] as const) {
      const event = { eventId: lpn, shipmentId, labels: labelsOf(["lpn", lpn]) }
      // Each scope is one run of a service that restarts before the next pallet.
      yield* Effect.scoped(Effect.gen(function*() {
        for (let count = 0; count < refusals; count++) {
          assert.strictEqual(yield* codeOf(record({ ...event, dockSlug: "no-dock" })), "UNKNOWN_DOCK")
        }
        const { answer } = yield* record(event)
        assert.deepStrictEqual((yield* record(event)).answer, answer)
        ids.push(Number(answer.servicePalletId))
      }))
    }
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(ids, ids.toSorted((left, right) => left - right))
  })

  test("D6.1, D15.1 an event makes one message; the first of a shipment tells its arrival", function*() {
    const { business, client, submit, record, messages } = yield* aWorld([
      { name: "LPN", label: "lpn", list: false },
      { name: "SKUs", label: "sku", list: true }
    ])
    const shipments = yield* Shipments
    const id = yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")])
    const odd = "\u{1f4e6} \"\\ \u0001\u2028 {} %s $1 '"
    const { answer, repeated } = yield* record({
      eventId: odd,
      occurredAt: at(1),
      labels: labelsOf(["lpn", "L1"], ["sku", odd], ["sku", ""], ["sku", "b"])
    })
    const [arrival, message, ...others] = yield* messages
    assert.deepStrictEqual(others, [])
    // The first pallet of a shipment makes it arrive. The message about the arrival comes first.
    assert.strictEqual(arrival?.type, "SHIPMENT_ARRIVED")
    assert.deepStrictEqual(payloadOf(assert.present(arrival))["orders"], ["O1", "O2"])
    assert.isFalse(repeated)
    assert.deepStrictEqual(answer, {
      messageId: assert.present(message).id,
      serviceShipmentId: String(id),
      servicePalletId: answer.servicePalletId,
      orders: ["O1"],
      verdict: answer.verdict
    })
    assert.strictEqual(answer.verdict.kind, "EXPECTED")
    const shipment = yield* shipments.get(String(id), client)
    assert.deepStrictEqual([
      assert.present(message).business,
      assert.present(message).facility,
      assert.present(message).type,
      assert.present(message).shipmentId
    ], [
      business,
      "east",
      "PALLET_EVENT",
      id
    ])
    const { LPN, SKUs, dockId, servicePalletId } = payloadOf(assert.present(message))
    assert.deepStrictEqual([LPN, SKUs, dockId, servicePalletId], [
      "L1",
      [odd, "b"],
      shipment.dockId,
      answer.servicePalletId
    ])
    assert.deepStrictEqual([shipment.status, shipment.dockSlug, shipment.statusEvents[1]?.completedAt], [
      "ARRIVED",
      "D1",
      at(1)
    ])
  })

  test("D6.1 a repeat has the same answer and no message; another body is EVENT_ID_REUSED", function*() {
    const { submit, record, moves } = yield* aWorld()
    yield* submit("S1", [withItem("O1", "L1")])
    yield* submit("S1", [withItem("O1", "L1")], "west")
    const first = yield* record({})
    // Later changes do not count: the repetition gets the same answer as the first request.
    yield* submit("S1", [withItem("O2", "L1")])
    assert.deepStrictEqual(yield* record({}), { answer: first.answer, repeated: true })
    assert.strictEqual(yield* codeOf(record({ direction: "UNLOADING" })), "EVENT_ID_REUSED")
    assert.strictEqual(yield* codeOf(record({ dockSlug: "nowhere" })), "EVENT_ID_REUSED")
    const elsewhere = yield* record({ facility: "west" })
    assert.isFalse(elsewhere.repeated)
    assert.deepStrictEqual((yield* moves).map(({ id, facility }) => [id, facility]), [
      [first.answer.messageId, "east"],
      [elsewhere.answer.messageId, "west"]
    ])
  })

  test("D6.1 a refused event leaves nothing: its id is free, the shipment as it was", function*() {
    const { business, client, submit, record, messages } = yield* aWorld()
    const shipments = yield* Shipments
    const pallets = yield* Pallets
    const id = String(yield* submit("S1"))
    const before = yield* shipments.get(id, client)
    const nobody: Principal = { clientId: "nobody", grants: [] }
    const refusalOf = (event: Partial<PalletEvent>, principal = client) =>
      codeOf(pallets.record(aPalletEvent({ business, ...event }), principal))
    assert.deepStrictEqual(
      yield* Effect.all([
        refusalOf({ business: unique("none") }),
        refusalOf({ facility: unique("none") }),
        refusalOf({ business: unique("none") }, nobody),
        refusalOf({ facility: unique("none") }, nobody),
        refusalOf({}, nobody),
        refusalOf({ dockSlug: "D9", shipmentNumber: "S1" }),
        refusalOf({ shipmentNumber: "S9" }),
        refusalOf({ shipmentId: Number.MAX_SAFE_INTEGER }),
        refusalOf({})
      ]),
      [
        "BUSINESS_NOT_FOUND",
        "FACILITY_NOT_FOUND",
        "BUSINESS_NOT_FOUND",
        "FACILITY_NOT_FOUND",
        "FORBIDDEN",
        "UNKNOWN_DOCK",
        "SHIPMENT_NOT_FOUND",
        "SHIPMENT_NOT_FOUND",
        "PALLET_NOT_MATCHED"
      ]
    )
    assert.deepStrictEqual(yield* messages, [])
    assert.deepStrictEqual(yield* shipments.get(id, client), before)
    assert.isFalse((yield* record({ shipmentNumber: "S1" })).repeated)
  })
}

/** Cases of the shipment to which an event belongs. */
export const matching = (test: AddTest): void => {
  test("D6.2 the given shipment, by id or number, of this facility only", function*() {
    const { submit, record } = yield* aWorld()
    const expected = yield* submit("S1", [withItem("O1", "L1")])
    const otherId = yield* submit("S2")
    const west = yield* submit("S3", [], "west")
    const shipmentOf = (fields: Partial<PalletEvent>) =>
      Effect.map(record(fields), ({ answer }) => Number(answer.serviceShipmentId))
    assert.deepStrictEqual(
      yield* Effect.all([
        shipmentOf({ eventId: "1", shipmentId: otherId }),
        shipmentOf({ eventId: "2", shipmentNumber: "S2" }),
        shipmentOf({ eventId: "3" }),
        shipmentOf({ eventId: "4", facility: "west", shipmentNumber: "S3" })
      ]),
      [otherId, otherId, expected, west]
    )
    assert.strictEqual(yield* codeOf(record({ eventId: "5", shipmentId: west })), "SHIPMENT_NOT_FOUND")
    assert.strictEqual(yield* codeOf(record({ eventId: "5", shipmentNumber: "S3" })), "SHIPMENT_NOT_FOUND")
  })

  test("D6.2 an order that a document moves takes its lpns along (D3.3)", function*() {
    const { submit, record } = yield* aWorld()
    yield* submit("S1", [withItem("O1", "L1")])
    yield* submit("S2")
    const nextId = yield* submit("S2", [withItem("O1", "L2")])
    for (const lpn of ["L1", "L2"]) {
      const { answer } = yield* record({ eventId: lpn, labels: labelsOf(["lpn", lpn]) })
      assert.deepStrictEqual([Number(answer.serviceShipmentId), answer.orders], [nextId, ["O1"]])
    }
  })

  test("D6.2 else the latest open one with the lpn, else the last to arrive at the dock", function*() {
    const { client, submit, record } = yield* aWorld()
    const shipments = yield* Shipments
    const [s1, s2, s3] = [
      yield* submit("S1", [withItem("O1", "L1")]),
      yield* submit("S2", [withItem("O2", "L1")]),
      yield* submit("S3", [withItem("O3", "L1")])
    ]
    yield* submit("S4", [withItem("O4", "L1")], "west")
    const at1 = yield* submit("S5")
    const at2 = yield* submit("S6")
    let count = 0
    const shipmentOf = (fields: Partial<PalletEvent>) =>
      Effect.map(
        record({ eventId: `E${++count}`, ...fields }),
        ({ answer }) => Number(answer.serviceShipmentId)
      )
    const depart = (id: number) => shipments.depart(String(id), { occurredAt: at(2) }, client)
    const arrive = (id: number, occurredAt: Timestamp.Timestamp, dockSlug: string) =>
      shipments.arrive(String(id), { occurredAt, dockSlug }, client)

    assert.strictEqual(yield* shipmentOf({}), s3)
    yield* depart(s3)
    assert.strictEqual(yield* shipmentOf({}), s2)
    yield* depart(s2)
    yield* arrive(at1, at(8), "D1")
    yield* arrive(at2, at(9), "D2")
    assert.strictEqual(yield* shipmentOf({}), s1)
    assert.strictEqual(yield* shipmentOf({ labels: labelsOf(["lpn", "L9"]), occurredAt: at(9) }), at1)
    assert.strictEqual(yield* shipmentOf({ labels: [], dockSlug: "D2" }), at2)
    yield* shipments.depart(String(at2), { occurredAt: at(30) }, client)
    const atD2 = { labels: [], dockSlug: "D2", occurredAt: at(31) }
    assert.strictEqual(yield* codeOf(shipmentOf(atD2)), "PALLET_NOT_MATCHED")
    assert.strictEqual(
      yield* codeOf(shipmentOf({ shipmentId: at2, occurredAt: at(31) })),
      "SHIPMENT_DEPARTED"
    )

    // The shipment that arrived last is chosen; among equal arrivals, the one that was created last.
    const [early, late, same] = [yield* submit("S7"), yield* submit("S8"), yield* submit("S9")]
    yield* arrive(late, at(20), "D2")
    yield* arrive(early, at(21), "D2")
    assert.strictEqual(yield* shipmentOf(atD2), early)
    yield* arrive(same, at(21), "D2")
    assert.strictEqual(yield* shipmentOf(atD2), same)
  })
}

/** Cases of the pallet and the orders of an event. */
export const palletsAndOrders = (test: AddTest): void => {
  test("D6.3 shipment and lpn identify a pallet; without an lpn each event has its own", function*() {
    const { submit, record } = yield* aWorld()
    yield* submit("S1")
    yield* submit("S2")
    let count = 0
    const palletOf = (shipmentNumber: string, lpn: string) =>
      Effect.map(
        record({ eventId: `E${++count}`, shipmentNumber, labels: labelsOf(["lpn", lpn]) }),
        ({ answer }) => answer.servicePalletId
      )
    const places = yield* Effect.all([
      palletOf("S1", "L1"),
      palletOf("S1", "L2"),
      palletOf("S2", "L1"),
      palletOf("S1", "l1"),
      palletOf("S1", ""),
      palletOf("S1", "")
    ])
    assert.strictEqual(new Set(places).size, 6)
    assert.deepStrictEqual(
      yield* Effect.all([palletOf("S2", "L1"), palletOf("S1", "L2"), palletOf("S1", "L1")]),
      [places[2], places[1], places[0]]
    )
  })

  test("D6.3 orders are those that hold the lpn, else the only one, else none", function*() {
    const { submit, record } = yield* aWorld()
    yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2"), withItem("O3", "L1", "S2")])
    yield* submit("S2", [withItem("O4", "L4")])
    let count = 0
    const ordersOf = (shipmentNumber: string, lpn: string) =>
      Effect.map(
        record({ eventId: `E${++count}`, shipmentNumber, labels: labelsOf(["lpn", lpn]) }),
        ({ answer }) => answer.orders
      )
    assert.deepStrictEqual(
      yield* Effect.all([
        ordersOf("S1", "L1"),
        ordersOf("S1", "L9"),
        ordersOf("S1", ""),
        ordersOf("S2", "L9"),
        ordersOf("S2", "")
      ]),
      [["O1", "O3"], [], [], ["O4"], ["O4"]]
    )
  })
}
