/** The rules for the progress of shipments, for every storage (D13.1). */
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { ShipmentQuery } from "@dockline/core/movement/Shipments"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient } from "../../generators/Given.ts"
import { labelsOf } from "../../generators/Motion.ts"
import { unique } from "../../Unique.ts"
import { at, aWorld, codeOf, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"
import { pagesOf } from "../../worlds/ReadWorld.ts"

/** Reads progress as its four numbers: expected, passed, missing, unexpected. */
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
  /** Records an event of a pallet at a second of the day of the tests. */
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

/** Progress follows from the events and from the present items. */
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
        // It occurred before the others: the pallet was unloaded, then loaded, and nothing remains.
        ["UNLOADING", 5],
        // And before that: the pallet is on the truck again.
        ["LOADING", 1],
        // The same instant as another event: the one recorded later counts as later.
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

/** Until the departure, discrepancies follow the expectations of other shipments; from then on they stay fixed. */
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
