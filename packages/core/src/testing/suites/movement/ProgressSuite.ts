/** What holds for the progress of shipments whatever they are stored in (D13.1). */
import { Effect } from "effect"
import type { PalletEvent } from "../../../movement/Pallet.ts"
import { Shipments } from "../../../movement/Shipments.ts"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import { labelled } from "../../generators/Motion.ts"
import { unique } from "../../Unique.ts"
import { at, aWorld, withItem } from "../../worlds/MovementWorld.ts"
import type { AddTest } from "../../worlds/MovementWorld.ts"

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
      labels: lpn === "" ? [] : labelled(["lpn", lpn]),
      ...fields
    })
  return { ...world, shipments, progressOf, cross }
})

/** Progress is that of the events and of the items as they are now. */
export const progress = (test: AddTest): void => {
  test(
    "D13.1 a pallet that is loaded, unloaded and loaded again has passed, in order of occurrence",
    Effect.gen(function*() {
      const { cross, progressOf, submit } = yield* aProgressWorld
      const id = yield* submit("S1", [withItem("O1", "L1")])
      const seen = [yield* progressOf(id)]
      for (
        const [direction, second] of [
          ["LOADING", 10],
          ["UNLOADING", 20],
          ["LOADING", 30],
          // It occurred before the others, so that the pallet was unloaded, and loaded: nothing is left.
          ["UNLOADING", 5],
          // And before that: it is on the truck again.
          ["LOADING", 1],
          // An instant that another event has: what is recorded later occurred later.
          ["UNLOADING", 30],
          ["LOADING", 30]
        ] as const
      ) {
        yield* cross(id, "L1", direction, second)
        seen.push(yield* progressOf(id))
      }
      const [on, off] = [[1, 1, 0, 0], [1, 0, 1, 0]]
      assert.deepStrictEqual(seen, [off, on, off, on, off, on, off, on])
    })
  )

  test(
    "D13.1 counts lpns once, items without none, and each pallet that no order expects",
    Effect.gen(function*() {
      const { cross, progressOf, submit } = yield* aProgressWorld
      const id = yield* submit("S1", [
        orderOf("O1", "APPEND", [anItem("L1", "A"), anItem("L1", "B"), anItem("", "C"), anItem("L2", "A")]),
        withItem("O2", "L1")
      ])
      yield* cross(id, "L1", "LOADING", 1)
      yield* cross(id, "l1", "LOADING", 2)
      yield* cross(id, "", "LOADING", 3)
      yield* cross(id, "", "LOADING", 3)
      assert.deepStrictEqual(yield* progressOf(id), [2, 4, 1, 3])
    })
  )

  test(
    "D13.1 an item that comes makes a pallet expected, also after it passed; a shipment is on its own",
    Effect.gen(function*() {
      const { cross, progressOf, submit } = yield* aProgressWorld
      const id = yield* submit("S1", [withItem("O1", "L1")])
      const other = yield* submit("S2", [withItem("O2", "L1")])
      yield* cross(id, "L9", "LOADING", 1)
      assert.deepStrictEqual(yield* progressOf(id), [1, 1, 1, 1])
      yield* submit("S1", [withItem("O1", "L9")])
      assert.deepStrictEqual(yield* progressOf(id), [2, 1, 1, 0])
      assert.deepStrictEqual(yield* progressOf(other), [1, 0, 1, 0])
    })
  )

  test(
    "D13.1 every answer with a shipment has it: of documents, lists, arrivals, links and departures",
    Effect.gen(function*() {
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
  )
}
