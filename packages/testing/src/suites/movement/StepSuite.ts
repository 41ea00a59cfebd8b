/** What holds for the steps of a shipment, its completion and its links, whatever they are stored in (D6.5, D6.6). */
import { Intake } from "@dockline/core/Intake"
import { payloadOf } from "@dockline/core/Message"
import { Shipments } from "@dockline/core/Shipments"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aDocument } from "../../generators/Given.ts"
import { dashboardUrl, labelled } from "../../generators/Motion.ts"
import { at, aWorld, codeOf, linksOf, payloads, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

/** Arrivals and departures. */
export const steps = (test: AddTest): void => {
  test(
    "D6.5, D15.1 steps forward only, and each once; each is told once, a departure with the discrepancies that it leaves",
    Effect.gen(function*() {
      const { business, client, submit, record, messages } = yield* aWorld()
      const shipments = yield* Shipments
      const intake = yield* Intake
      const id = String(yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")]))
      assert.strictEqual(yield* codeOf(shipments.depart(id, {}, client)), "INVALID_TRANSITION")
      assert.strictEqual(yield* codeOf(shipments.arrive(id, { dockSlug: "D9" }, client)), "UNKNOWN_DOCK")
      const arrived = yield* shipments.arrive(id, { occurredAt: at(1), dockSlug: "D2" }, client)
      assert.deepStrictEqual([arrived.status, arrived.dockSlug, arrived.statusEvents[1]?.completedAt], [
        "ARRIVED",
        "D2",
        at(1)
      ])
      assert.deepStrictEqual(
        yield* shipments.arrive(id, { occurredAt: at(2), dockSlug: "D1" }, client),
        arrived
      )
      assert.deepStrictEqual(yield* shipments.get(id, client), arrived)
      const departed = yield* shipments.depart(id, { occurredAt: at(3) }, client)
      assert.deepStrictEqual(departed, {
        ...arrived,
        status: "DEPARTED",
        statusEvents: departed.statusEvents,
        orders: arrived.orders.map((order) => ({ ...order, status: "COMPLETED" as const }))
      })
      assert.strictEqual(departed.statusEvents[2]?.completedAt, at(3))
      assert.deepStrictEqual(yield* shipments.depart(id, {}, client), departed)
      assert.deepStrictEqual(yield* shipments.get(id, client), departed)
      assert.strictEqual(yield* codeOf(shipments.arrive(id, {}, client)), "INVALID_TRANSITION")
      assert.strictEqual(yield* codeOf(record({ shipmentId: Number(id) })), "SHIPMENT_DEPARTED")
      assert.strictEqual(
        yield* codeOf(intake.submit(aDocument({ business }, withItem("O3", "L3")), client)),
        "SHIPMENT_CONFLICT"
      )
      const told = yield* messages
      assert.deepStrictEqual(told.map(({ type }) => type), [
        "SHIPMENT_ARRIVED",
        "SHIPMENT_COMPLETE",
        "SHIPMENT_DISCREPANCIES"
      ])
      const common = {
        businessSlug: business,
        facilitySlug: "east",
        serviceShipmentId: id,
        shipmentNumber: "S1",
        orders: ["O1", "O2"],
        url: `${dashboardUrl}/shipments/${id}`,
        dockId: arrived.dockId
      }
      assert.deepStrictEqual(payloadOf(told[0]!), { ...common, occurredAt: at(1) })
      assert.deepStrictEqual(payloadOf(told[2]!), {
        ...common,
        occurredAt: at(3),
        discrepancies: (yield* shipments.discrepancies(id, {}, client)).items
      })
    })
  )

  test(
    "D6.5 an arrival without a dock leaves the one that a document gave; the first pallet replaces it",
    Effect.gen(function*() {
      const { business, client, record } = yield* aWorld()
      const shipments = yield* Shipments
      const intake = yield* Intake
      const expectedAtD2 = (shipmentNumber: string) =>
        Effect.map(
          intake.submit(aDocument({ business, shipmentNumber, dockSlug: "D2" }), client),
          ({ shipment }) => String(shipment.id)
        )
      const arrived = yield* shipments.arrive(yield* expectedAtD2("S1"), {}, client)
      assert.strictEqual(arrived.dockSlug, "D2")
      const id = yield* expectedAtD2("S2")
      yield* record({ shipmentNumber: "S2" })
      assert.strictEqual((yield* shipments.get(id, client)).dockSlug, "D1")
      yield* record({ eventId: "E2", shipmentNumber: "S2", dockSlug: "D2" })
      assert.strictEqual((yield* shipments.get(id, client)).dockSlug, "D1")
    })
  )
}

/** Cancellations (D13.9). */
export const cancellations = (test: AddTest): void => {
  test(
    "D13.9 a scheduled shipment is cancelled with its orders, once and for good",
    Effect.gen(function*() {
      const { business, client, submit, record, messages } = yield* aWorld()
      const shipments = yield* Shipments
      const intake = yield* Intake
      const id = String(yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")]))
      const before = yield* shipments.get(id, client)
      const cancelled = yield* shipments.cancel(id, client)
      assert.deepStrictEqual(cancelled, {
        ...before,
        status: "CANCELLED",
        orders: before.orders.map((order) => ({ ...order, status: "CANCELLED" as const }))
      })
      assert.deepStrictEqual(yield* shipments.cancel(id, client), cancelled)
      assert.deepStrictEqual(yield* shipments.get(id, client), cancelled)
      assert.deepStrictEqual(yield* shipments.discrepancies(id, {}, client), { items: [], next: null })
      const listed = yield* shipments.list({ business, status: "CANCELLED" }, client)
      assert.deepStrictEqual(listed.items, [cancelled])
      assert.deepStrictEqual((yield* shipments.list({ business }, client)).items, [cancelled])
      const other = String(yield* submit("S2"))
      assert.deepStrictEqual(
        yield* Effect.all([
          codeOf(shipments.arrive(id, {}, client)),
          codeOf(shipments.depart(id, {}, client)),
          codeOf(shipments.link(id, other, client)),
          codeOf(record({ shipmentId: Number(id) })),
          codeOf(record({ labels: labelled(["lpn", "L1"]) })),
          codeOf(intake.submit(aDocument({ business }, withItem("O1", "L1")), client))
        ]),
        [
          "INVALID_TRANSITION",
          "INVALID_TRANSITION",
          "SHIPMENT_CANCELLED",
          "SHIPMENT_CANCELLED",
          "PALLET_NOT_MATCHED",
          "SHIPMENT_CANCELLED"
        ]
      )
      assert.deepStrictEqual(yield* shipments.get(id, client), cancelled)
      assert.deepStrictEqual((yield* messages).map((each) => [each.type, payloadOf(each)["orders"]]), [
        ["SHIPMENT_CANCELLED", ["O1", "O2"]]
      ])
    })
  )

  test(
    "D13.9 its orders are sent on another shipment, which alone expects their pallets",
    Effect.gen(function*() {
      const { client, submit, record } = yield* aWorld()
      const shipments = yield* Shipments
      const old = String(yield* submit("S1", [withItem("O1", "L1")]))
      const cancelled = yield* shipments.cancel(old, client)
      const other = yield* submit("S2", [withItem("O1", "L1")])
      const moved = yield* shipments.get(String(other), client)
      assert.deepStrictEqual(moved.orders.map(({ orderNumber, status }) => [orderNumber, status]), [
        ["O1", "CREATED"]
      ])
      assert.notStrictEqual(moved.orders[0]!.id, cancelled.orders[0]!.id)
      assert.deepStrictEqual(yield* shipments.get(old, client), cancelled)
      const { answer } = yield* record({ labels: labelled(["lpn", "L1"]) })
      assert.strictEqual(answer.serviceShipmentId, String(other))
    })
  )

  test(
    "D13.9 a pallet that only a cancelled shipment expects is expected nowhere",
    Effect.gen(function*() {
      const { client, submit, record } = yield* aWorld()
      const shipments = yield* Shipments
      const id = yield* submit("S1", [withItem("O1", "L1")])
      const other = yield* submit("S2", [withItem("O2", "L2")])
      yield* record({ shipmentId: id, labels: labelled(["lpn", "L2"]) })
      const kinds = Effect.map(
        shipments.discrepancies(String(id), {}, client),
        ({ items }) => items.map(({ expectedOnNumber, kind }) => `${kind} ${expectedOnNumber}`)
      )
      assert.deepStrictEqual(yield* kinds, ["SHORT ", "WRONG_SHIPMENT S2"])
      yield* shipments.cancel(String(other), client)
      assert.deepStrictEqual(yield* kinds, ["SHORT ", "OVER "])
    })
  )
}

/** What a departure tells. */
export const completion = (test: AddTest): void => {
  test(
    "D6.6 departure completes with what remains, by the field map of that moment",
    Effect.gen(function*() {
      const { business, client, submit, record, moves, putFieldMap } = yield* aWorld([
        { name: "Old", label: "lot", list: false }
      ])
      const shipments = yield* Shipments
      const id = yield* submit("S1", [withItem("O2", "L2"), withItem("O1", "L1")])
      let count = 0
      const move = (lpn: string, direction: "LOADING" | "UNLOADING", second: number, dockSlug = "D1") =>
        Effect.map(
          record({
            eventId: `E${++count}`,
            shipmentId: id,
            dockSlug,
            direction,
            occurredAt: at(second),
            labels: labelled(["lpn", lpn], ["lot", String(second)])
          }),
          ({ answer }) => answer.servicePalletId
        )
      // Reported out of order: L1 was loaded, unloaded twice, and loaded again at another dock.
      const first = yield* move("L1", "LOADING", 9, "D2")
      const gone = yield* move("L2", "UNLOADING", 8)
      yield* move("L1", "UNLOADING", 3)
      yield* move("L1", "LOADING", 1)
      yield* move("L1", "UNLOADING", 2)
      assert.strictEqual(yield* move("L2", "LOADING", 7), gone)
      const unlabelled = yield* move("", "UNLOADING", 4)
      yield* putFieldMap([{ name: "Lots", label: "lot", list: true }])
      const { dockId } = yield* shipments.depart(String(id), {}, client)
      const all = yield* moves
      const [d2, d1] = payloads(all).map((payload) => payload["dockId"])
      // It arrived with the first pallet that was reported, at its dock.
      assert.strictEqual(dockId, d2)
      assert.notStrictEqual(d1, d2)
      const url = `${dashboardUrl}/shipments/${id}`
      const pallet = (palletId: string, rest: Record<string, unknown>) => ({
        businessSlug: business,
        facilitySlug: "east",
        serviceShipmentId: String(id),
        servicePalletId: palletId,
        url: `${url}/pallets/${palletId}`,
        ...rest
      })
      const last = all.at(-1)!
      assert.deepStrictEqual([last.type, last.business, last.facility, last.shipmentId], [
        "SHIPMENT_COMPLETE",
        business,
        "east",
        id
      ])
      assert.deepStrictEqual(payloadOf(last), {
        serviceShipmentId: String(id),
        orders: ["O2", "O1"],
        url,
        dockId: d2,
        pallets: [
          pallet(first, { direction: "LOADING", orders: ["O1"], dockId: d2, Lots: ["9"] }),
          pallet(unlabelled, { direction: "UNLOADING", orders: [], dockId: d1, Lots: ["4"] })
        ]
      })
    })
  )
}

/** Links of shipments. */
export const links = (test: AddTest): void => {
  test(
    "D6.5 a link holds for both shipments, at two facilities too, and is made once",
    Effect.gen(function*() {
      const { business, client, submit } = yield* aWorld()
      const shipments = yield* Shipments
      const store = yield* ShipmentStore
      const [s1, s2] = [yield* submit("S1"), yield* submit("S2", [], "west")]
      const linked = yield* shipments.link(String(s1), String(s2), client)
      assert.deepStrictEqual(linked, yield* shipments.get(String(s1), client))
      const ids = (id: number) => Effect.map(store.find(id, []), (found) => found?.shipment.linkedShipmentIds)
      assert.deepStrictEqual([yield* ids(s1), yield* ids(s2)], [[s2], [s1]])
      yield* shipments.link(String(s1), String(s2), client)
      yield* shipments.link(String(s2), String(s1), client)
      assert.deepStrictEqual([yield* ids(s1), yield* ids(s2)], [[s2], [s1]])
      assert.deepStrictEqual(yield* linksOf(business), [[String(s2)]])
    })
  )

  test(
    "WIRE.md: the order of a linked shipment is not remapped",
    Effect.gen(function*() {
      const { client, submit } = yield* aWorld()
      const shipments = yield* Shipments
      const [s1, s2] = [
        yield* submit("S1", [withItem("O1", "L1")]),
        yield* submit("S2", [withItem("O2", "L2")])
      ]
      yield* shipments.link(String(s1), String(s2), client)
      const s3 = yield* submit("S3", [withItem("O1", "L3")])
      const numbers = (id: number) =>
        Effect.map(
          shipments.get(String(id), client),
          ({ orders }) => orders.map(({ items }) => items.map(({ lpn }) => lpn))
        )
      assert.deepStrictEqual([yield* numbers(s1), yield* numbers(s3)], [[["L1"]], [["L3"]]])
    })
  )
}
