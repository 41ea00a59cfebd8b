/**
 * The rules for the progress of shipments, and for pallets that are reported after their shipment departed, for every storage (D13.1,
 * D21.4).
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { ShipmentQuery } from "@dockline/core/movement/Shipments"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Struct } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, anItem, labelsOf, orderOf, unique } from "../../generators/Given.ts"
import { at, aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"
import { pagesOf } from "../../worlds/ReadWorld.ts"

/**
 * A world with functions to record events and to read the progress of a shipment as four numbers: expected, passed, missing, unexpected.
 */
const aProgressWorld = Effect.gen(function*() {
  const world = yield* aWorld()
  const shipments = yield* Shipments
  const progressOf = Effect.fnUntraced(function*(id: number) {
    const { progress } = yield* shipments.get(String(id), world.client)
    return [
      progress.expectedPallets,
      progress.passedPallets,
      progress.missingPallets,
      progress.unexpectedPallets
    ]
  })
  /** Records an event of a pallet at a second of the minute in which the tests take place. */
  const cross = (
    shipmentId: number,
    lpn: string,
    direction: PalletEvent["direction"],
    second: number,
    fields: Partial<PalletEvent> = {}
  ) =>
    world.record({
      eventId: unique("E"),
      shipmentId,
      direction,
      occurredAt: at(second),
      labels: lpn === "" ? [] : labelsOf(["lpn", lpn]),
      ...fields
    })
  return { ...world, shipments, progressOf, cross }
})

/** Cases of progress, which follows from the events and from the present items. */
export const progress = (test: AddTest): void => {
  test("D13.1 a pallet that is loaded, unloaded and loaded again has passed", function*() {
    const { cross, progressOf, submit } = yield* aProgressWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const counts = [yield* progressOf(id)]
    for (
      const [direction, second] of [
        ["LOADING", 10],
        ["UNLOADING", 20],
        ["LOADING", 30],
        // This event occurred before the others: the pallet was unloaded first, so the later events leave nothing on the truck.
        ["UNLOADING", 5],
        // This one occurred even before that: the pallet is on the truck again.
        ["LOADING", 1],
        // If two events occurred at the same time, the event that was recorded later counts as later.
        ["UNLOADING", 30],
        ["LOADING", 30]
      ] as const
    ) {
      yield* cross(id, "L1", direction, second)
      counts.push(yield* progressOf(id))
    }
    const [on, off] = [[1, 1, 0, 0], [1, 0, 1, 0]]
    assert.deepStrictEqual(counts, [off, on, off, on, off, on, off, on])
  })

  test("D13.1 a later item makes a pallet expected, also after it passed, on its shipment", function*() {
    const { cross, progressOf, submit } = yield* aProgressWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const other = yield* submit("S2", [withItem("O2", "L1")])
    yield* cross(id, "L9", "LOADING", 1)
    assert.deepStrictEqual(yield* progressOf(id), [1, 1, 1, 1])
    yield* submit("S1", [withItem("O1", "L9")])
    assert.deepStrictEqual(yield* progressOf(id), [2, 1, 1, 0])
    assert.deepStrictEqual(yield* progressOf(other), [1, 0, 1, 0])
  })

  test("D13.1 each answer with a shipment has it: documents, lists, links and steps", function*() {
    const { business, client, cross, shipments, submit } = yield* aProgressWorld
    const id = yield* submit("S1", [withItem("O1", "L1"), withItem("O2", "L2")])
    const other = yield* submit("S2")
    yield* cross(id, "L1", "LOADING", 1)
    const text = String(id)
    const { items } = yield* shipments.list({ business, shipmentNumber: "S1" }, client)
    const answers = [
      ...items,
      yield* shipments.arrive(text, {}, client),
      yield* shipments.link(text, String(other), client),
      yield* shipments.depart(text, {}, client),
      yield* shipments.get(text, client)
    ]
    for (const { progress } of answers) {
      assert.deepStrictEqual(progress, {
        expectedPallets: 2,
        passedPallets: 1,
        missingPallets: 1,
        unexpectedPallets: 0
      })
    }
  })
}

/** Cases of discrepancies. Until the departure, they follow the expectations of other shipments. From then on they stay fixed. */
export const discrepancies = (test: AddTest): void => {
  test("D13.4 name the latest open shipment that expects the pallet; a departure keeps them", function*() {
    const { client, cross, shipments, submit } = yield* aProgressWorld
    const id = yield* submit("S1", [withItem("O1", "L1")])
    const rows = Effect.map(
      shipments.discrepancies(String(id), {}, client),
      ({ items }) =>
        items.map(({ expectedOnNumber, kind, lpn }) => `${kind} ${lpn} ${expectedOnNumber}`.trim())
    )
    yield* cross(id, "L9", "LOADING", 1)
    assert.deepStrictEqual(yield* rows, ["SHORT L1", "OVER L9"])
    yield* submit("S2", [withItem("O2", "L9")], "west")
    assert.deepStrictEqual(yield* rows, ["SHORT L1", "OVER L9"])
    const second = yield* submit("S3", [withItem("O3", "L9")])
    const third = yield* submit("S4", [withItem("O4", "L9")])
    assert.deepStrictEqual(yield* rows, ["SHORT L1", "WRONG_SHIPMENT L9 S4"])
    yield* shipments.arrive(String(third), {}, client)
    yield* shipments.depart(String(third), {}, client)
    assert.deepStrictEqual(yield* rows, ["SHORT L1", "WRONG_SHIPMENT L9 S3"])
    yield* cross(id, "L1", "LOADING", 2, { dockSlug: "D2" })
    const before = ["WRONG_SHIPMENT L9 S3", "WRONG_DOCK L1"]
    assert.deepStrictEqual(yield* rows, before)
    yield* shipments.depart(String(id), {}, client)
    assert.deepStrictEqual(yield* rows, before)
    yield* shipments.arrive(String(second), {}, client)
    yield* shipments.depart(String(second), {}, client)
    yield* submit("S5", [withItem("O5", "L9")])
    assert.deepStrictEqual(yield* rows, before)
  })

  test("D13.4 come in pages, and only to those who may see the shipment", function*() {
    const { business, client, shipments, submit } = yield* aProgressWorld
    const lpns = ["L5", "L1", "L4", "L2", "L3"]
    const id = yield* submit("S1", lpns.map((lpn, at) => withItem(`O${at}`, lpn)))
    const pages = yield* pagesOf(
      ({ after, limit }) => shipments.discrepancies(String(id), { limit, after: Number(after) }, client),
      2
    )
    assert.deepStrictEqual(pages.map((page) => page.map(({ lpn }) => lpn)), [["L5", "L1"], ["L4", "L2"], [
      "L3"
    ]])
    const west: typeof client = aClient("reader", business, ["west"], "messages:read")
    for (const [idText, principal] of [[String(id), west], ["x", client], ["999999999", client]] as const) {
      assert.strictEqual(
        yield* codeOf(shipments.discrepancies(idText, {}, principal)),
        "SHIPMENT_NOT_FOUND"
      )
    }
  })

  test("D13.4 narrow a list of shipments to those that have some, whatever their status", function*() {
    const { business, client, cross, shipments, submit } = yield* aProgressWorld
    const list = ({ limit = 100, ...query }: ShipmentQuery = {}) =>
      Effect.map(
        pagesOf(
          (page) => shipments.list({ business, discrepancies: true, ...page, ...query }, client),
          limit
        ),
        (pages) => pages.flat().map(({ shipmentNumber }) => shipmentNumber)
      )
    const counts = new Map<string, number>()
    for (
      const [number, lpn] of [
        ["short", "L1"],
        ["without", ""],
        ["complete", "L2"],
        ["cancelled", "L3"],
        ["departed short", "L4"],
        ["departed complete", "L5"],
        ["departed at another dock", "L6"],
        ["with too many", "L7"]
      ] as const
    ) counts.set(number, yield* submit(number, [withItem(`O ${number}`, lpn)]))
    const id = (number: string) => assert.present(counts.get(number))
    yield* cross(id("complete"), "L2", "LOADING", 1)
    yield* cross(id("departed complete"), "L5", "LOADING", 1)
    yield* cross(id("departed at another dock"), "L6", "LOADING", 1)
    yield* cross(id("departed at another dock"), "L6", "LOADING", 2, { dockSlug: "D2" })
    yield* cross(id("with too many"), "L7", "LOADING", 1)
    yield* cross(id("with too many"), "", "LOADING", 2)
    yield* shipments.arrive(String(id("departed short")), {}, client)
    yield* shipments.cancel(String(id("cancelled")), client)
    for (const number of counts.keys()) {
      if (number.startsWith("departed")) yield* shipments.depart(String(id(number)), {}, client)
    }
    const all = ["short", "departed short", "departed at another dock", "with too many"]
    for (const limit of [1, 2, 3, 100]) {
      assert.deepStrictEqual(yield* list({ limit }), all, `in pages of ${limit}`)
    }
    const pages = yield* Effect.forEach(
      counts,
      ([number, id]) =>
        Effect.map(
          shipments.discrepancies(String(id), {}, client),
          ({ items }) => items.length > 0 ? [number] : []
        )
    )
    assert.deepStrictEqual(pages.flat(), all)
    const departed = all.filter((number) => number.startsWith("departed"))
    assert.deepStrictEqual(yield* list({ status: "DEPARTED" }), departed)
    assert.deepStrictEqual(yield* list({ status: "SCHEDULED" }), ["short"])
    assert.deepStrictEqual(yield* list({ status: "CANCELLED" }), [])
    assert.deepStrictEqual(yield* list({ shipmentNumber: "departed complete" }), [])
    assert.deepStrictEqual(yield* list({ shipmentNumber: "short" }), ["short"])
    assert.deepStrictEqual(yield* list({ facility: "west" }), [])
    assert.strictEqual((yield* list({ discrepancies: false })).length, counts.size)
  })
}

const lpn = (value: string) => ({ labels: labelsOf(["lpn", value]) })

/** OUT left at second 30 with L1, and also expected L2. NEXT is now at its dock. */
const afterDeparture = Effect.gen(function*() {
  const world = yield* aWorld()
  const { client, record, submit } = world
  const shipments = yield* Shipments
  const pallets = yield* Pallets
  const out = yield* submit("OUT", [orderOf("O1", "APPEND", [anItem("L1", "S"), anItem("L2", "S")])])
  yield* record({ eventId: "first", occurredAt: at(10), ...lpn("L1") })
  yield* shipments.depart(String(out), { occurredAt: at(30) }, client)
  const next = yield* submit("NEXT")
  yield* shipments.arrive(String(next), { occurredAt: at(31), dockSlug: "D1" }, client)
  const shortOf = (id: number) =>
    Effect.map(
      shipments.discrepancies(String(id), {}, client),
      ({ items }) => items.map(({ kind, lpn }) => `${kind} ${lpn}`)
    )
  const late = (fields: Partial<PalletEvent>) =>
    record({ eventId: "late", occurredAt: at(20), ...lpn("L2"), ...fields })
  return { ...world, late, next, out, pallets, shipments, shortOf }
})

/** The cases of late pallets. */
export const latePallets = (test: AddTest): void => {
  test("a pallet that passed before the departure is of what left, once, and what is wrong is told anew", function*() {
    const { client, late, messages, out, pallets, shipments, shortOf } = yield* afterDeparture
    const before = yield* messages
    assert.deepStrictEqual(yield* shortOf(out), ["SHORT L2"])
    const { answer } = yield* late({})
    assert.deepStrictEqual(Struct.pick(answer, ["serviceShipmentId", "orders"]), {
      serviceShipmentId: String(out),
      orders: ["O1"]
    })
    assert.deepStrictEqual([answer.verdict.kind, answer.verdict.late], ["EXPECTED", true])
    assert.deepStrictEqual(yield* late({}), { answer, repeated: true })
    const [event, discrepancies, ...others] = (yield* messages).slice(before.length)
    assert.deepStrictEqual([
      assert.present(event).id,
      assert.present(event).type,
      payloadOf(assert.present(event))["late"]
    ], [
      answer.messageId,
      "PALLET_EVENT",
      true
    ])
    assert.deepStrictEqual([
      assert.present(discrepancies).type,
      payloadOf(assert.present(discrepancies))["discrepancies"]
    ], [
      "SHIPMENT_DISCREPANCIES",
      []
    ])
    assert.deepStrictEqual(others, [], "the completion is not sent again")
    assert.deepStrictEqual(yield* shortOf(out), [])
    const { progress, status } = yield* shipments.get(String(out), client)
    assert.deepStrictEqual([status, progress.passedPallets, progress.missingPallets], ["DEPARTED", 2, 0])
    const list = yield* shipments.list({
      business: assert.at(client.grants, 0).business,
      discrepancies: true
    }, client)
    assert.deepStrictEqual(list.items, [])
    const pallet = yield* pallets.get(String(out), answer.servicePalletId, client)
    assert.deepStrictEqual(pallet.events.map(({ verdict }) => verdict.late), [true])
    assert.isFalse(before.some((message) => "late" in payloadOf(message)))
  })

  test("what it does not change is not told anew", function*() {
    const { late, messages, out } = yield* afterDeparture
    const before = (yield* messages).length
    yield* late({ shipmentId: out, ...lpn("L1") })
    assert.deepStrictEqual((yield* messages).slice(before).map(({ type }) => type), ["PALLET_EVENT"])
  })

  test("one that it does not expect, and another shipment does, is kept as that", function*() {
    const { late, out, shortOf, submit, client, shipments } = yield* afterDeparture
    const other = yield* submit("OTHER", [withItem("O9", "L9")])
    const { answer } = yield* late({ shipmentNumber: "OUT", ...lpn("L9") })
    assert.deepStrictEqual([answer.verdict.kind, answer.verdict.late], ["WRONG_SHIPMENT", true])
    yield* shipments.cancel(String(other), client)
    assert.deepStrictEqual(yield* shortOf(out), ["SHORT L2", "WRONG_SHIPMENT L9"])
    const { answer: again } = yield* late({ eventId: "again", shipmentNumber: "OUT", ...lpn("L9") })
    assert.strictEqual(again.verdict.kind, "UNEXPECTED", "nobody expects it any more")
    assert.deepStrictEqual(yield* shortOf(out), ["SHORT L2", "OVER L9"])
  })

  test("it is never of another truck at the dock, nor is one that passed after the departure of this one", function*() {
    const { late, next, out } = yield* afterDeparture
    const shipmentOf = (fields: Partial<PalletEvent>) =>
      Effect.map(late(fields), ({ answer }) => Number(answer.serviceShipmentId))
    assert.strictEqual(yield* codeOf(late({ shipmentId: out, occurredAt: at(31) })), "SHIPMENT_DEPARTED")
    assert.strictEqual(yield* shipmentOf({ occurredAt: at(31) }), out, "clocks may differ by minutes")
    const muchLater = Timestamp.fromMillis(Date.parse(at(30)) + 301_000)
    assert.strictEqual(yield* shipmentOf({ eventId: "again", occurredAt: muchLater }), next)
    assert.strictEqual(yield* shipmentOf({ eventId: "other", ...lpn("L8") }), out, "it stood there then")
  })

  test("D21.4 what names no shipment is of the one that stood at the dock when it occurred", function*() {
    const { client, record, submit } = yield* aWorld()
    const shipments = yield* Shipments
    const stay = Effect.fnUntraced(function*(number: string, from: number, to?: number, dockSlug = "D1") {
      const id = yield* submit(number)
      yield* shipments.arrive(String(id), { occurredAt: at(from), dockSlug }, client)
      if (to !== undefined) yield* shipments.depart(String(id), { occurredAt: at(to) }, client)
      return id
    })
    const [a, b, c] = [yield* stay("A", 10, 20), yield* stay("B", 30, 40), yield* stay("C", 50)]
    yield* stay("ELSEWHERE", 5, undefined, "D2")
    const times = Effect.map(
      Effect.forEach([a, b, c], (id) => shipments.get(String(id), client)),
      (all) =>
        all.map(({ statusEvents }) =>
          assert.present(statusEvents.find(({ status }) => status === "ARRIVED")).completedAt
        )
    )
    const cases = [
      [10, a, true],
      [20, a, true],
      [30, b, true],
      [35, b, true],
      [50, c, undefined],
      [59, c, undefined],
      // The dock was free at that time, so the pallet belongs to the shipment that arrived next.
      [45, c, undefined],
      [25, b, true],
      [3, a, true]
    ] as const
    for (const [second, id, late] of cases) {
      for (const labels of [[], labelsOf(["lpn", `unknown ${second}`])]) {
        const eventId = `${second} ${labels.length}`
        const { answer } = yield* record({ eventId, occurredAt: at(second), labels })
        assert.deepStrictEqual([second, answer.serviceShipmentId, answer.verdict.late], [
          second,
          String(id),
          late
        ])
      }
    }
    assert.deepStrictEqual(yield* times, [at(3), at(25), at(45)])
    const shared = yield* stay("SHARED", 55)
    const { answer } = yield* record({ eventId: "shared", occurredAt: at(56), labels: [] })
    assert.strictEqual(answer.serviceShipmentId, String(shared), "of two, the one that arrived last")
    const { answer: earlier } = yield* record({ eventId: "alone", occurredAt: at(54), labels: [] })
    assert.strictEqual(earlier.serviceShipmentId, String(c), "which had not arrived yet")
    const long = Timestamp.asOf(Date.parse(at(20)) + 72 * 3_600_000 + 1)
    const refusal = yield* long(Effect.flip(record({ eventId: "long", occurredAt: at(15), labels: [] })))
    assert.strictEqual(refusal.code, "SHIPMENT_DEPARTED")
  })

  test("it is refused for ever once the departure is long ago", function*() {
    const { late, out } = yield* afterDeparture
    const then = (millis: number) => Timestamp.asOf(Date.parse(at(30)) + millis)
    const hours = 3_600_000
    const refusal = yield* then(72 * hours + 1)(Effect.flip(late({})))
    assert.strictEqual(refusal.code, "SHIPMENT_DEPARTED")
    assert.include(refusal.message, "does not help")
    const { answer } = yield* then(72 * hours)(late({}))
    assert.strictEqual(answer.serviceShipmentId, String(out))
  })

  test("D21.3 a pallet that passed before the arrival makes the arrival earlier, and keeps the dock", function*() {
    const { client, late, messages, out, record, shipments, next } = yield* afterDeparture
    const arrivedAt = (id: number) =>
      Effect.map(
        shipments.get(String(id), client),
        ({ dockSlug, statusEvents }) => [
          assert.present(statusEvents.find(({ status }) => status === "ARRIVED")).completedAt,
          dockSlug
        ]
      )
    const before = (yield* messages).filter(({ type }) => type === "SHIPMENT_ARRIVED").length
    yield* record({ eventId: "N", shipmentId: next, occurredAt: at(5), dockSlug: "D2", labels: [] })
    yield* late({ occurredAt: at(3) })
    assert.deepStrictEqual([yield* arrivedAt(next), yield* arrivedAt(out)], [[at(5), "D1"], [at(3), "D1"]])
    assert.strictEqual((yield* messages).filter(({ type }) => type === "SHIPMENT_ARRIVED").length, before)
  })
}
