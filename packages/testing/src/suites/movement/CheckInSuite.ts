/** The rules for the check-in of a shipment, alone and together with a document, for every storage (D17.3). */
import type { Principal } from "@dockline/core/access/Access"
import type { Alongside } from "@dockline/core/document/Decision"
import type { Document } from "@dockline/core/document/Document"
import { Intake } from "@dockline/core/document/Intake"
import type { SubmitOptions } from "@dockline/core/document/Intake"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, orderOf } from "../../generators/Given.ts"
import { labelsOf } from "../../generators/Motion.ts"
import { at, aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

type View = Effect.Success<ReturnType<Shipments["Service"]["get"]>>

/** The status events that have happened. */
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

/** The steps of a check-in. */
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

/** A document together with a step of the check-in of its shipment. */
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
