/** The rules for the snapshot that the port of shipments in motion passes to a decision, for every storage. */
import { chooseCandidate } from "@dockline/core/document/Plan"
import type { PalletSnapshot, Step, StepSnapshot } from "@dockline/core/movement/Movement"
import { MovementStore } from "@dockline/core/movement/Movement"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Shipments } from "@dockline/core/movement/Shipments"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aDocument, aPalletEvent, labelsOf, orderOf, unique } from "../../generators/Given.ts"
import { look as lookAtDocument } from "../../worlds/IntakeWorld.ts"
import { at, aWorld, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

/** The snapshot for the decision about an event; the event is not recorded. */
const look = Effect.fnUntraced(function*(event: PalletEvent) {
  const store = yield* MovementStore
  const decide = (snapshot: PalletSnapshot): Result.Result<never, { readonly snapshot: PalletSnapshot }> =>
    Result.fail({ snapshot })
  const failure = yield* Effect.flip(store.recordPallet(event, "looking", decide))
  return "snapshot" in failure ? failure.snapshot : yield* failure
})

/** The snapshot for the decision about a step; the step is not executed. */
const lookAtStep = Effect.fnUntraced(function*(step: Step) {
  const store = yield* MovementStore
  const decide = (snapshot: StepSnapshot): Result.Result<never, { readonly snapshot: StepSnapshot }> =>
    Result.fail({ snapshot })
  const failure = yield* Effect.flip(store.step(step, decide))
  return "snapshot" in failure ? failure.snapshot : yield* failure
})

/** Cases of the shipments, pallets and orders in snapshots. */
export const snapshots = (test: AddTest): void => {
  test("a snapshot has places, dock, field map, shipment and pallets; a refusal changes none", function*() {
    const fieldMap = [{ name: "LPN", label: "lpn", list: false }]
    const { business, submit, record } = yield* aWorld(fieldMap)
    const id = yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L1", "S2")])
    const { occurredAt } = aPalletEvent()
    const { answer } = yield* record({ labels: labelsOf(["lpn", "L1"], ["a", "\u{1f4e6}"]) })
    yield* record({ eventId: "E2", shipmentId: id, labels: [] })
    const lookAt = (fields: Partial<PalletEvent> = {}) =>
      look(aPalletEvent({ business, eventId: "E3", ...fields }))
    const snapshot = yield* lookAt()
    assert.deepStrictEqual(snapshot.business, { slug: business, name: business })
    assert.deepStrictEqual(snapshot.facility, { slug: "east", name: "East" })
    assert.deepStrictEqual(snapshot.fieldMap, fieldMap)
    assert.strictEqual(snapshot.dock?.slug, "D1")
    assert.isNull(snapshot.earlierEvent)
    assert.deepStrictEqual(snapshot.byLpn, {
      id,
      number: "S1",
      status: "ARRIVED",
      direction: "OUTBOUND",
      dock: snapshot.dock,
      arrivedAt: occurredAt,
      departure: null,
      palletId: Number(answer.servicePalletId),
      sightings: {
        first: "LOADING",
        firstSeenAt: occurredAt,
        last: "LOADING",
        lastSeenAt: occurredAt,
        dockId: assert.present(snapshot.dock).id
      },
      elsewhere: null,
      orders: [],
      ordersWithLpn: ["O1", "O2"],
      onlyOrder: null,
      events: 2,
      // "lpn", "L1", "a", two halves of a surrogate pair, "O1", "O2"
      labelText: 12
    })
    const again = yield* lookAt()
    assert.deepStrictEqual([again.byLpn, again.earlierEvent], [snapshot.byLpn, null])
    const unknown = yield* lookAt({ shipmentId: id, dockSlug: "D9", labels: labelsOf(["lpn", "L9"]) })
    assert.isNull(unknown.dock)
    assert.deepStrictEqual(unknown.namedShipment, {
      ...assert.present(snapshot.byLpn),
      palletId: null,
      sightings: null,
      ordersWithLpn: []
    })
    // The snapshot also has the other shipment that expects the pallet, with its dock.
    const other = yield* submit("S2", [withItem("O3", "L9")])
    const wrong = { shipmentId: id, labels: labelsOf(["lpn", "L9"]) }
    assert.deepStrictEqual((yield* lookAt(wrong)).namedShipment?.elsewhere, {
      id: other,
      number: "S2",
      dock: null
    })
    yield* record({ eventId: "E4", shipmentId: other, labels: [], dockSlug: "D2" })
    assert.strictEqual((yield* lookAt(wrong)).namedShipment?.elsewhere?.dock?.slug, "D2")
    const nowhere = yield* lookAt({ facility: unique("none") })
    assert.deepStrictEqual([nowhere.business?.slug, nowhere.facility, nowhere.byLpn], [
      business,
      null,
      null
    ])
    assert.isNull((yield* lookAt({ business: unique("none") })).business)
  })

  test("a snapshot tells what was recorded under the event's id, as it was said and answered", function*() {
    const { business, submit, record } = yield* aWorld()
    yield* submit("S1")
    const { answer } = yield* record({ shipmentNumber: "S1" })
    const { earlierEvent } = yield* look(aPalletEvent({ business }))
    assert.deepStrictEqual(earlierEvent?.answer, answer)
    assert.isNull((yield* look(aPalletEvent({ business, facility: "west" }))).earlierEvent)
  })

  test("a departure gets pallet events in order of recording and the field map of its moment", function*() {
    const { client, putFieldMap, submit, record } = yield* aWorld([{
      name: "Old",
      label: "lot",
      list: false
    }])
    const store = yield* MovementStore
    const shipments = yield* Shipments
    const shipmentId = yield* submit("S1", [withItem("O1", "L1")])
    const labels = labelsOf(["lpn", "L1"], ["lot", ""], ["lot", "\"\\\u0001"])
    const events = [
      yield* record({ eventId: "E1", occurredAt: at(9), labels }),
      yield* record({
        eventId: "E2",
        shipmentId,
        occurredAt: at(1),
        direction: "UNLOADING",
        labels: [],
        dockSlug: "D2"
      })
    ].map(({ answer }) => answer)
    const fieldMap = [{ name: "Lots", label: "lot", list: true }]
    yield* putFieldMap(fieldMap)
    const snapshot = yield* lookAtStep({ shipmentId, dockSlug: "D2", withPallets: true })
    assert.deepStrictEqual(snapshot.fieldMap, fieldMap)
    assert.deepStrictEqual(
      snapshot.pallets.map(({ dock, ...rest }) => [dock.slug, rest]),
      [
        ["D1", {
          palletId: Number(assert.at(events, 0).servicePalletId),
          messageId: assert.at(events, 0).messageId,
          direction: "LOADING",
          occurredAt: at(9),
          orders: ["O1"],
          labels
        }],
        ["D2", {
          palletId: Number(assert.at(events, 1).servicePalletId),
          messageId: assert.at(events, 1).messageId,
          direction: "UNLOADING",
          occurredAt: at(1),
          orders: ["O1"],
          labels: []
        }]
      ]
    )
    const arrival = yield* lookAtStep({ shipmentId, dockSlug: "D2", withPallets: false })
    assert.deepStrictEqual([arrival.pallets, arrival.dock?.slug], [[], "D2"])
    assert.strictEqual((yield* shipments.get(String(shipmentId), client)).status, "ARRIVED")
    assert.isNull(
      yield* store.step(
        { shipmentId: 2 ** 52, dockSlug: "", withPallets: true },
        () => Result.fail("not called")
      )
    )
  })
}

/** Cases of shipments in motion in the snapshot for a document. */
export const documentsMeanwhile = (test: AddTest): void => {
  test("D3.3 orders can be taken from shipments that have not arrived and are not linked", function*() {
    const { business, client, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const store = yield* ShipmentStore
    const numbers = ["O1", "O2", "O3", "O4", "O5"]
    const [scheduledId, arrived, departed, linkedId, other] = yield* Effect.forEach(
      numbers,
      (number) => submit(`S of ${number}`, [orderOf(number)])
    )
    for (const id of [arrived, departed]) yield* shipments.arrive(String(id), {}, client)
    yield* shipments.depart(String(departed), {}, client)
    yield* shipments.link(String(linkedId), String(other), client)
    const document = aDocument({ business, shipmentNumber: "new" }, ...numbers.map((each) => orderOf(each)))
    const { candidates } = yield* lookAtDocument(document)
    assert.deepStrictEqual(
      numbers.map((number) => chooseCandidate(candidates)(number, "OUTBOUND")?.shipmentId),
      [scheduledId, undefined, undefined, undefined, undefined]
    )
    // A storage may leave out ineligible orders, but the facts about the orders in the snapshot must be correct.
    for (const { shipmentId, shipmentStatus, shipmentIsLinked } of candidates) {
      const { shipment } = assert.present(yield* store.find(shipmentId, []))
      assert.deepStrictEqual(
        [shipmentStatus, shipmentIsLinked],
        [shipment.status, shipment.linkedShipmentIds.length > 0]
      )
    }
  })

  test("a document is told of what has become of its shipment", function*() {
    const { business, client, submit, record } = yield* aWorld()
    const shipments = yield* Shipments
    const store = yield* ShipmentStore
    const [id, other] = [yield* submit("S1", [withItem("O1", "L1")]), yield* submit("S2")]
    const target = Effect.map(
      lookAtDocument(aDocument({ business }, orderOf("O1"))),
      ({ target }) => target
    )
    yield* record({ shipmentNumber: "S1", dockSlug: "D2", occurredAt: at(1) })
    yield* shipments.link(String(id), String(other), client)
    const moving = assert.present(yield* target)
    assert.deepStrictEqual(
      [moving.status, moving.arrivedAt, moving.dock?.slug, moving.linkedShipmentIds],
      ["ARRIVED", at(1), "D2", [other]]
    )
    yield* shipments.depart(String(id), { occurredAt: at(2) }, client)
    const shipmentAfter = assert.present(yield* target)
    assert.deepStrictEqual(
      [shipmentAfter.status, shipmentAfter.departedAt, shipmentAfter.orders[0]?.status],
      [
        "DEPARTED",
        at(2),
        "COMPLETED"
      ]
    )
    assert.deepStrictEqual(shipmentAfter, assert.present(yield* store.find(id, [])).shipment)
  })
}
