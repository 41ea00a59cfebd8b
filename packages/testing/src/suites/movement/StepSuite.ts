/**
 * The rules for the steps of a shipment, its completion, its links and its check-in, alone and together with a document, for every storage
 * (D6.5, D6.6, D17.3).
 */
import type { Principal } from "@dockline/core/access/Access"
import type { Alongside } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import type { SubmitOptions } from "@dockline/core/document/Intake"
import { payloadOf } from "@dockline/core/messages/Message"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, aPalletEvent, labelsOf, orderOf } from "../../generators/Given.ts"
import { at, aWorld, codeOf, linksOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

/** Cases of arrivals and departures. */
export const steps = (test: AddTest): void => {
  test("D6.5, D15.1 steps go forward only; each is told once, a departure with discrepancies", function*() {
    const { client, submit, messages } = yield* aWorld()
    const shipments = yield* Shipments
    const id = String(yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")]))
    assert.strictEqual(yield* codeOf(shipments.depart(id, {}, client)), "INVALID_TRANSITION")
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
      version: arrived.version + 1,
      statusEvents: departed.statusEvents,
      orders: arrived.orders.map((order) => ({ ...order, status: "COMPLETED" as const }))
    })
    assert.strictEqual(departed.statusEvents[2]?.completedAt, at(3))
    assert.deepStrictEqual(yield* shipments.depart(id, {}, client), departed)
    assert.deepStrictEqual(yield* shipments.get(id, client), departed)
    const before = yield* messages
    assert.deepStrictEqual(before.map(({ type }) => type), [
      "SHIPMENT_ARRIVED",
      "SHIPMENT_COMPLETE",
      "SHIPMENT_DISCREPANCIES"
    ])
    assert.deepStrictEqual(
      payloadOf(assert.at(before, 2))["discrepancies"],
      (yield* shipments.discrepancies(id, {}, client)).items
    )
  })

  test("D4.1 each step names who took it, and a document leaves its sender to its record", function*() {
    const { business, client, messages, submit } = yield* aWorld()
    const [intake, pallets, shipments] = [yield* Intake, yield* Pallets, yield* Shipments]
    const clientOf = (name: string) =>
      aClient(name, business, "*", "documents:write", "pallets:write", "shipments:write")
    const takers = function*(id: string) {
      const { statusEvents } = yield* shipments.get(id, client)
      return statusEvents.filter(({ completed }) => completed).map((
        { completedBy, status }
      ) => [status, completedBy])
    }
    const id = String(yield* submit("S1", [withItem("O1", "L1")]))
    assert.deepStrictEqual(yield* takers(id), [["SCHEDULED", ""]])
    yield* shipments.checkIn(
      id,
      { step: "DOOR_ASSIGNED", dockSlug: "D1", occurredAt: at(1) },
      clientOf("gate")
    )
    yield* shipments.checkIn(id, { step: "DOOR_ASSIGNED", dockSlug: "D1", occurredAt: at(2) }, client)
    assert.deepStrictEqual(yield* takers(id), [["SCHEDULED", ""], ["DOOR_ASSIGNED", "gate"]])
    yield* intake.submit(aDocument({ business, carrier: "C2" }, orderOf("O1")), client)
    yield* shipments.arrive(id, { occurredAt: at(3) }, clientOf("yard"))
    yield* shipments.arrive(id, {}, client)
    yield* shipments.depart(id, { occurredAt: at(5) }, clientOf("office"))
    assert.deepStrictEqual(yield* takers(id), [
      ["SCHEDULED", ""],
      ["DOOR_ASSIGNED", "gate"],
      ["ARRIVED", "yard"],
      ["DEPARTED", "office"]
    ])
    const other = yield* submit("S2", [withItem("O2", "L2")])
    const event = { business, shipmentId: other, labels: labelsOf(["lpn", "L2"]) }
    yield* pallets.record(aPalletEvent({ ...event, eventId: "E1", occurredAt: at(9) }), clientOf("tower-1"))
    yield* pallets.record(aPalletEvent({ ...event, eventId: "E2", occurredAt: at(8) }), clientOf("tower-2"))
    assert.deepStrictEqual(yield* takers(String(other)), [["SCHEDULED", ""], ["ARRIVED", "tower-1"]])
    const third = String(yield* submit("S3", [withItem("O3", "L3")]))
    const cancellation = yield* shipments.cancel(third, clientOf("planner"))
    assert.deepStrictEqual(cancellation.statusEvents.find(({ status }) => status === "CANCELLED"), {
      status: "CANCELLED",
      displayName: "Cancelled",
      completed: true,
      completedAt: payloadOf(assert.at(yield* messages, -1))["occurredAt"],
      completedBy: "planner"
    })
    const fourth = String(yield* submit("S4", [withItem("O4", "L4")]))
    yield* shipments.checkIn(
      fourth,
      { step: "DOOR_ASSIGNED", dockSlug: "D1", occurredAt: at(1) },
      clientOf("gate")
    )
    const document = aDocument({ business, shipmentNumber: "S4", dockSlug: "D2" }, orderOf("O4"))
    const checkIn = { step: "DOOR_ASSIGNED", occurredAt: at(2) } as const
    yield* intake.receiveAlongside(Effect.succeed({ document, also: { checkIn } }), clientOf("planner"))
    assert.deepStrictEqual(yield* takers(fourth), [["SCHEDULED", ""], ["DOOR_ASSIGNED", ""]])
  })

  test("D20.4 the version of a shipment counts its changes: by documents, pallets, steps and links", function*() {
    const { business, client, record, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const id = yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")])
    const other = yield* submit("S2", [withItem("O3", "L3")])
    const versions = Effect.all(
      [id, other].map((each) => Effect.map(shipments.get(String(each), client), ({ version }) => version))
    )
    const after = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.andThen(change, versions)
    const again = { business, shipmentNumber: "S1" }
    const intake = yield* Intake
    assert.deepStrictEqual(yield* versions, [1, 1])
    assert.deepStrictEqual(yield* after(intake.submit(aDocument(again, orderOf("O1")), client)), [1, 1])
    // A change of an item also changes the version of the shipment.
    const quantity = orderOf("O1", "MERGE", [anItem("L1", "S1", { quantity: 9 })])
    assert.deepStrictEqual(yield* after(intake.submit(aDocument(again, quantity), client)), [2, 1])
    assert.deepStrictEqual(
      yield* after(intake.submit(aDocument(again, quantity), client, { dryRun: true })),
      [2, 1]
    )
    // An order that moves to the other shipment changes both versions.
    assert.deepStrictEqual(yield* after(submit("S2", [orderOf("O2")])), [3, 2])
    const step = { step: "AT_FACILITY", occurredAt: at(1) } as const
    assert.deepStrictEqual(yield* after(shipments.checkIn(String(id), step, client)), [4, 2])
    assert.deepStrictEqual(yield* after(shipments.link(String(id), String(other), client)), [5, 3])
    assert.deepStrictEqual(yield* after(record({ eventId: "E1", occurredAt: at(2) })), [6, 3])
    assert.deepStrictEqual(yield* after(record({ eventId: "E1", occurredAt: at(2) })), [6, 3])
    assert.deepStrictEqual(yield* after(record({ eventId: "E2", occurredAt: at(3) })), [7, 3])
    assert.deepStrictEqual(yield* after(shipments.depart(String(id), { occurredAt: at(4) }, client)), [8, 3])
    assert.deepStrictEqual(yield* after(shipments.depart(String(id), {}, client)), [8, 3])
    const last = yield* submit("S3", [withItem("O4", "L4")])
    yield* shipments.cancel(String(last), client)
    assert.strictEqual((yield* shipments.get(String(last), client)).version, 2)
  })

  test("D6.5 an arrival without a dock keeps that of the document; a first pallet does not", function*() {
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
}

/** Cases of cancellations (D13.9). */
export const cancellations = (test: AddTest): void => {
  test("D13.9 a scheduled shipment is cancelled with its orders, once and for good", function*() {
    const { business, client, submit, record, messages } = yield* aWorld()
    const shipments = yield* Shipments
    const id = String(yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")]))
    const before = yield* shipments.get(id, client)
    const cancellation = yield* shipments.cancel(id, client)
    assert.deepStrictEqual(cancellation, {
      ...before,
      status: "CANCELLED",
      version: before.version + 1,
      statusEvents: cancellation.statusEvents,
      orders: before.orders.map((order) => ({ ...order, status: "CANCELLED" as const }))
    })
    assert.deepStrictEqual(yield* shipments.cancel(id, client), cancellation)
    assert.deepStrictEqual(yield* shipments.get(id, client), cancellation)
    assert.deepStrictEqual(yield* shipments.discrepancies(id, {}, client), { items: [], next: null })
    const list = yield* shipments.list({ business, status: "CANCELLED" }, client)
    assert.deepStrictEqual(list.items, [cancellation])
    assert.deepStrictEqual((yield* shipments.list({ business }, client)).items, [cancellation])
    assert.strictEqual(yield* codeOf(record({ labels: labelsOf(["lpn", "L1"]) })), "PALLET_NOT_MATCHED")
    assert.deepStrictEqual((yield* messages).map((each) => [each.type, payloadOf(each)["orders"]]), [
      ["SHIPMENT_CANCELLED", ["O1", "O2"]]
    ])
  })

  test("D13.9 its orders are sent on another shipment, which alone expects their pallets", function*() {
    const { client, submit, record } = yield* aWorld()
    const shipments = yield* Shipments
    const old = String(yield* submit("S1", [withItem("O1", "L1")]))
    const cancellation = yield* shipments.cancel(old, client)
    const other = yield* submit("S2", [withItem("O1", "L1")])
    const move = yield* shipments.get(String(other), client)
    assert.deepStrictEqual(move.orders.map(({ orderNumber, status }) => [orderNumber, status]), [
      ["O1", "CREATED"]
    ])
    assert.notStrictEqual(assert.at(move.orders, 0).id, assert.at(cancellation.orders, 0).id)
    assert.deepStrictEqual(yield* shipments.get(old, client), cancellation)
    const { answer } = yield* record({ labels: labelsOf(["lpn", "L1"]) })
    assert.strictEqual(answer.serviceShipmentId, String(other))
  })

  test("D13.9 a pallet that only a cancelled shipment expects is expected nowhere", function*() {
    const { client, submit, record } = yield* aWorld()
    const shipments = yield* Shipments
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const other = yield* submit("S2", [withItem("O2", "L2")])
    yield* record({ shipmentId: id, labels: labelsOf(["lpn", "L2"]) })
    const kinds = Effect.map(
      shipments.discrepancies(String(id), {}, client),
      ({ items }) => items.map(({ expectedOnNumber, kind }) => `${kind} ${expectedOnNumber}`)
    )
    assert.deepStrictEqual(yield* kinds, ["SHORT ", "WRONG_SHIPMENT S2"])
    yield* shipments.cancel(String(other), client)
    assert.deepStrictEqual(yield* kinds, ["SHORT ", "OVER "])
  })
}

/** Cases of links of shipments. */
export const links = (test: AddTest): void => {
  test("D6.5 a link holds for both shipments, at two facilities too, and is made once", function*() {
    const { business, client, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const store = yield* ShipmentStore
    const [s1, s2] = [yield* submit("S1"), yield* submit("S2", [], "west")]
    const link = yield* shipments.link(String(s1), String(s2), client)
    assert.deepStrictEqual(link, yield* shipments.get(String(s1), client))
    const ids = (id: number) =>
      Effect.map(store.find(id, []), (shipment) => shipment?.shipment.linkedShipmentIds)
    assert.deepStrictEqual([yield* ids(s1), yield* ids(s2)], [[s2], [s1]])
    yield* shipments.link(String(s1), String(s2), client)
    yield* shipments.link(String(s2), String(s1), client)
    assert.deepStrictEqual([yield* ids(s1), yield* ids(s2)], [[s2], [s1]])
    assert.deepStrictEqual(yield* linksOf(business), [[String(s2)]])
  })
}

/** Cases of reported times of steps (D21.3). */
export const stepTimes = (test: AddTest): void => {
  test("D21.3 a time before what a step follows is refused with the remedy, and without one it is now", function*() {
    const { client, record, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const detailOf = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
      Effect.map(Effect.flip(effect), ({ message }) => message)
    const id = String(yield* submit("S1", [withItem("O1", "L1"), withItem("O1b", "L2")]))
    yield* shipments.checkIn(id, { step: "AT_FACILITY", occurredAt: at(10) }, client)
    const early = yield* detailOf(shipments.arrive(id, { occurredAt: at(9) }, client))
    assert.include(early, `is before AT_FACILITY, ${at(10)}`)
    yield* shipments.arrive(id, { occurredAt: at(12) }, client)
    yield* record({ eventId: "E1", occurredAt: at(50) })
    yield* record({ eventId: "E2", occurredAt: at(40), labels: labelsOf(["lpn", "L2"]) })
    const before = yield* detailOf(shipments.depart(id, { occurredAt: at(49) }, client))
    assert.include(before, `is before a pallet that has passed, ${at(50)}`)
    assert.include(before, "or none if it is now")
    yield* shipments.checkIn(id, { step: "DOOR_ASSIGNED", dockSlug: "D2", occurredAt: at(55) }, client)
    const withoutDock = yield* detailOf(shipments.depart(id, { occurredAt: at(54) }, client))
    assert.include(withoutDock, `is before DOOR_ASSIGNED, ${at(55)}`)
    yield* record({ eventId: "E3", occurredAt: at(5), labels: labelsOf(["lpn", "L2"]) })
    yield* shipments.checkIn(id, { step: "CHECKED_OUT", occurredAt: at(58) }, client)
    const departed = yield* shipments.depart(id, { occurredAt: at(57) }, client)
    assert.deepStrictEqual(departed.statusEvents.map(({ completedAt, status }) => [status, completedAt]), [
      ["SCHEDULED", at(5)],
      ["AT_FACILITY", at(5)],
      ["ARRIVED", at(5)],
      ["DOOR_ASSIGNED", at(55)],
      ["DEPARTED", at(57)],
      ["CHECKED_OUT", at(58)]
    ])
    const other = String(yield* submit("S2", [withItem("O2", "L3")]))
    yield* shipments.arrive(other, { occurredAt: at(20) }, client)
    const late = { step: "AT_FACILITY", occurredAt: at(21) } as const
    assert.include(yield* detailOf(shipments.checkIn(other, late, client)), `is after the arrival, ${at(20)}`)
    const { statusEvents } = yield* shipments.checkIn(other, { step: "AT_FACILITY" }, client)
    assert.deepStrictEqual(statusEvents.map(({ completedAt, status }) => [status, completedAt]), [
      ["SCHEDULED", at(20)],
      ["AT_FACILITY", at(20)],
      ["ARRIVED", at(20)],
      ["DEPARTED", ""]
    ])
  })
}

type View = Effect.Success<ReturnType<Shipments["Service"]["get"]>>

/** The completed status events after the first. */
const stepsOf = ({ statusEvents }: View) =>
  statusEvents.filter(({ completed }) => completed).slice(1).map((
    { completedAt, status }
  ) => [status, completedAt])

/** Sends a document together with a step of the check-in. */
const checkedIn = (intake: Intake["Service"]) =>
(
  document: Document,
  checkIn: NonNullable<Alongside["checkIn"]>,
  client: Principal,
  options?: SubmitOptions
) => intake.receiveAlongside(Effect.succeed({ document, also: { checkIn } }), client, options)

/** Cases of the steps of a check-in. */
export const checkIns = (test: AddTest): void => {
  test("D17.3 steps are noted once, forward only; a door sets the dock, and may change", function*() {
    const { business, client, messages, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const id = String(yield* submit("S1", [withItem("O1", "L1")]))
    const before = yield* shipments.get(id, client)
    const refusal = shipments.checkIn(id, { step: "DOOR_ASSIGNED", dockSlug: "D9" }, client)
    assert.strictEqual(yield* codeOf(refusal), "UNKNOWN_DOCK")
    assert.deepStrictEqual(yield* shipments.get(id, client), before)
    const writer = aClient("writer", business, "*", "documents:write")
    const there = yield* shipments.checkIn(id, { step: "AT_FACILITY", occurredAt: at(1) }, writer)
    assert.deepStrictEqual(there, {
      ...before,
      version: before.version + 1,
      statusEvents: there.statusEvents
    })
    assert.deepStrictEqual(stepsOf(there), [["AT_FACILITY", at(1)]])
    const again = yield* shipments.checkIn(id, { step: "AT_FACILITY", occurredAt: at(9) }, client)
    assert.deepStrictEqual(again, there)
    const atD1 = yield* shipments.checkIn(
      id,
      { step: "DOOR_ASSIGNED", occurredAt: at(2), dockSlug: "D1" },
      client
    )
    assert.deepStrictEqual([atD1.status, atD1.dockSlug, stepsOf(atD1)[1]], [
      "SCHEDULED",
      "D1",
      ["DOOR_ASSIGNED", at(2)]
    ])
    const move = yield* shipments.checkIn(
      id,
      { step: "DOOR_ASSIGNED", occurredAt: at(3), dockSlug: "D2" },
      client
    )
    assert.deepStrictEqual([move.dockSlug, stepsOf(move)[1]], ["D2", ["DOOR_ASSIGNED", at(3)]])
    const out = yield* shipments.checkIn(id, { step: "CHECKED_OUT", occurredAt: at(4) }, client)
    assert.deepStrictEqual(stepsOf(out).map(([status]) => status), [
      "AT_FACILITY",
      "DOOR_ASSIGNED",
      "CHECKED_OUT"
    ])
    assert.deepStrictEqual(yield* shipments.get(id, client), out)
    assert.deepStrictEqual((yield* shipments.list({ business }, client)).items, [out])
    assert.deepStrictEqual(yield* messages, [])
  })

  test("D17.3 a truck at the facility has not arrived; one that checks out has not departed", function*() {
    const { client, record, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const id = String(yield* submit("S1"))
    yield* shipments.checkIn(id, { step: "DOOR_ASSIGNED", dockSlug: "D1" }, client)
    assert.strictEqual(yield* codeOf(record({ eventId: "E1" })), "PALLET_NOT_MATCHED")
    yield* shipments.arrive(id, {}, client)
    const { answer } = yield* record({ eventId: "E2" })
    assert.strictEqual(answer.serviceShipmentId, id)
    const move = yield* shipments.checkIn(id, { step: "DOOR_ASSIGNED", dockSlug: "D2" }, client)
    assert.deepStrictEqual([move.status, move.dockSlug], ["ARRIVED", "D2"])
    assert.strictEqual(
      (yield* record({ eventId: "E3", dockSlug: "D2", labels: [] })).answer.serviceShipmentId,
      id
    )
    assert.strictEqual((yield* shipments.checkIn(id, { step: "CHECKED_OUT" }, client)).status, "ARRIVED")
  })

  test("D13.4, D17.3 another door makes the docks of pallets wrong or right, in lists too", function*() {
    const { business, client, record, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const id = String(yield* submit("S1", [withItem("O1", "L1")]))
    yield* record({ shipmentId: Number(id), labels: labelsOf(["lpn", "L1"]) })
    const discrepant = Effect.map(
      shipments.list({ business, discrepancies: true }, client),
      ({ items }) => items.length
    )
    const docks: Array<number> = []
    for (const dockSlug of ["D1", "D2", "D1"]) {
      yield* shipments.checkIn(id, { step: "DOOR_ASSIGNED", dockSlug }, client)
      docks.push(yield* discrepant, (yield* shipments.discrepancies(id, {}, client)).items.length)
    }
    assert.deepStrictEqual(docks, [0, 0, 1, 1, 0, 0])
  })
}

/** Cases of a document together with a check-in step of its shipment. */
export const checkedDocuments = (test: AddTest): void => {
  test("D17.3 a document and a step of the check-in are taken together, or neither is", function*() {
    const { business, client } = yield* aWorld()
    const [intake, shipments] = [yield* Intake, yield* Shipments]
    const document = (dockSlug: string, ...lpns: ReadonlyArray<string>) =>
      aDocument({ business, dockSlug }, ...lpns.map((lpn) => withItem(`Order ${lpn}`, lpn)))
    const noStore = { items: [], next: null }
    const refusal = checkedIn(intake)(document("", "L1"), { step: "DOOR_ASSIGNED" }, client)
    assert.strictEqual(yield* codeOf(refusal), "INVALID_REQUEST")
    assert.deepStrictEqual(yield* shipments.list({ business }, client), noStore)
    const note = { step: "DOOR_ASSIGNED", occurredAt: at(1) } as const
    const dry = yield* checkedIn(intake)(document("D1", "L1"), note, client, { dryRun: true })
    assert.deepStrictEqual(stepsOf(dry.shipment), [["DOOR_ASSIGNED", at(1)]])
    assert.deepStrictEqual(yield* shipments.list({ business }, client), noStore)
    const { shipment } = yield* checkedIn(intake)(document("D1", "L1"), note, client)
    assert.deepStrictEqual([shipment.dockSlug, stepsOf(shipment)], ["D1", [["DOOR_ASSIGNED", at(1)]]])
    const id = String(shipment.id)
    assert.deepStrictEqual(yield* shipments.get(id, client), shipment)
    const late = checkedIn(intake)(document("D2", "L2"), { step: "AT_FACILITY" }, client)
    assert.strictEqual(yield* codeOf(late), "INVALID_TRANSITION")
    assert.deepStrictEqual(yield* shipments.get(id, client), shipment)
    const repeated = yield* checkedIn(intake)(
      aDocument({ business }, orderOf("Order L1")),
      { step: "DOOR_ASSIGNED" },
      client
    )
    assert.deepStrictEqual(repeated.shipment, shipment)
    const move = yield* checkedIn(intake)(document("D2", "L2"), { ...note, occurredAt: at(2) }, client)
    assert.deepStrictEqual([move.shipment.dockSlug, stepsOf(move.shipment)], [
      "D2",
      [["DOOR_ASSIGNED", at(2)]]
    ])
    yield* shipments.arrive(id, {}, client)
    yield* shipments.depart(id, {}, client)
    const onDeparted = (step: "CHECKED_OUT" | "DOOR_ASSIGNED") =>
      checkedIn(intake)(aDocument({ business }, orderOf("Order L1")), { step }, client)
    assert.strictEqual(yield* codeOf(onDeparted("CHECKED_OUT")), "SHIPMENT_CONFLICT")
    assert.strictEqual((yield* onDeparted("DOOR_ASSIGNED")).shipment.status, "DEPARTED")
  })

  test("D17.3 a document without orders makes a shipment, changes its fields, and notes a step", function*() {
    const { business, client } = yield* aWorld()
    const [intake, shipments] = [yield* Intake, yield* Shipments]
    const bare = (carrier: string) => ({ ...aDocument({ business, carrier }), orders: [] })
    const result = yield* intake.submit(bare("C1"), client)
    assert.deepStrictEqual(result.created.map(({ type }) => type), ["SHIPMENT"])
    const { shipment } = yield* checkedIn(intake)(
      bare("C2"),
      { step: "AT_FACILITY", occurredAt: at(1) },
      client
    )
    assert.deepStrictEqual([shipment.carrier, shipment.orders, stepsOf(shipment)], [
      "C2",
      [],
      [["AT_FACILITY", at(1)]]
    ])
    assert.deepStrictEqual(yield* shipments.get(String(shipment.id), client), shipment)
    const { items: [record] } = yield* intake.records({ business, limit: 1 }, client)
    assert.deepStrictEqual([record?.shipmentNumber, record?.orderNumbers, record?.outcome], [
      "S1",
      [],
      "UPDATED"
    ])
  })
}
