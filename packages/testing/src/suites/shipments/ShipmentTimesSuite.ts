/** The rules for lists of shipments in the order of their times, for every storage (D13.10). */
import { Shipments } from "@dockline/core/movement/Shipments"
import type { ShipmentQuery } from "@dockline/core/movement/Shipments"
import type { ShipmentView } from "@dockline/core/shipment/View"
import type { Page } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { shipmentOrders } from "@dockline/core/values/Vocabulary"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, orderOf } from "../../generators/Given.ts"
import { aBusiness, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import { pagesOf } from "../../worlds/ReadWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

/** Noon on a day of November 2026. */
const noon = (day: number): Timestamp.Timestamp =>
  Timestamp.of(`2026-11-${String(day).padStart(2, "0")}T12:00:00.000Z`)

/** The time at which the steps are reported. */
const asOfThe10th = Timestamp.asOf(Date.parse(noon(10)))

/** A carrier's name of the greatest length, in characters of several bytes. */
const longest = "Ж".repeat(1024)

/**
 * Shipments of a business, in the order of their creation. A departed on the 3rd, complete; B arrived on the 5th; C and D are
 * expected on the 4th; E on the 1st, at another facility; F on the 2nd, but was cancelled; G departed on the 6th with a
 * discrepancy. B and D are Northline's, with trailer `TR 9`; the names of G's carrier and trailer are the {@link longest}.
 */
const aTimedWorld = Effect.gen(function*() {
  const shipments = yield* Effect.provide(Shipments, Shipments.layer())
  const business = yield* aBusiness
  const client = aClient("yard", business, "*", "shipments:write")
  const ids = new Map<string, string>()
  for (
    const [number, day, carrier, facility] of [
      ["A", 7, "", "east"],
      ["B", 9, "Northline", "east"],
      ["C", 4, "", "east"],
      ["D", 4, "Northline", "east"],
      ["E", 1, "", "west"],
      ["F", 2, "", "east"],
      ["G", 8, longest, "east"]
    ] as const
  ) {
    const trailerNumber = carrier === "Northline" ? "TR 9" : carrier
    const items = number === "G" ? [anItem("L1", "S1")] : []
    const { shipment } = outcomeOf(
      yield* write(aDocument(
        { business, carrier, trailerNumber, facility, shipmentNumber: number, expectedArrivalAt: noon(day) },
        orderOf(`O-${number}`, "OVERWRITE", items)
      ))
    )
    ids.set(number, String(shipment.id))
  }
  const id = (number: string) => assert.present(ids.get(number))
  yield* shipments.arrive(id("A"), { occurredAt: noon(2) }, client)
  yield* shipments.depart(id("A"), { occurredAt: noon(3) }, client)
  yield* shipments.arrive(id("B"), { occurredAt: noon(5) }, client)
  yield* shipments.cancel(id("F"), client)
  yield* shipments.arrive(id("G"), { occurredAt: noon(2) }, client)
  yield* shipments.depart(id("G"), { occurredAt: noon(6) }, client)
  /** The numbers of all pages, one after another. */
  const list = ({ limit = 100, ...query }: ShipmentQuery = {}) =>
    Effect.map(
      pagesOf((page) => shipments.list({ business, ...query, ...page }, client), limit),
      (pages) => pages.flat().map(({ shipmentNumber }) => shipmentNumber).join("")
    )
  const refusal = (query: ShipmentQuery) =>
    Effect.map(
      Effect.flip(shipments.list({ business, ...query }, client)),
      (error) => error._tag === "InvalidParameter" ? error.errors.map(({ path }) => path) : [error._tag]
    )
  return { business, client, id, list, refusal, shipments }
}).pipe(asOfThe10th)

/** The cases of lists by time. */
export const times = (test: AddTest): void => {
  test("shipments are listed by when they departed, else arrived, else are expected", function*() {
    const { list } = yield* aTimedWorld
    for (const limit of [1, 2, 3, 100]) {
      assert.strictEqual(yield* list({ order: "EARLIEST", limit }), "EFACDBG", `in pages of ${limit}`)
      assert.strictEqual(yield* list({ order: "LATEST", limit }), "GBDCAFE", `in pages of ${limit}`)
    }
    assert.strictEqual(yield* list({ order: "ID", limit: 2 }), "ABCDEFG")
    assert.strictEqual(yield* list({ order: "" }), "ABCDEFG")
  })

  test("they are narrowed by carrier, trailer and time, with all other filters", function*() {
    const { list } = yield* aTimedWorld
    const cases: ReadonlyArray<readonly [ShipmentQuery, string]> = [
      [{ carrier: "Northline" }, "BD"],
      [{ carrier: "Northline", order: "EARLIEST" }, "DB"],
      [{ carrier: "northline" }, ""],
      [{ carrier: longest }, "G"],
      [{ carrier: `${longest.slice(1)}X` }, ""],
      [{ trailerNumber: "TR 9" }, "BD"],
      [{ trailerNumber: "TR 9", order: "EARLIEST" }, "DB"],
      [{ trailerNumber: "TR" }, ""],
      [{ trailerNumber: longest, discrepancies: true }, "G"],
      [{ trailerNumber: `${longest.slice(1)}X` }, ""],
      [{ trailerNumber: "TR 9", status: "SCHEDULED", to: noon(5) }, "D"],
      [{ trailerNumber: "TR 9", shipmentNumber: "B" }, "B"],
      [{ trailerNumber: "TR 9", shipmentNumber: "C" }, ""],
      [{ from: noon(4), to: noon(5) }, "DC"],
      [{ from: noon(4) }, "GBDC"],
      [{ to: noon(4) }, "AFE"],
      [{ to: noon(4), order: "EARLIEST" }, "EFA"],
      [{ from: noon(3), to: noon(6), order: "EARLIEST" }, "ACDB"],
      [{ from: noon(5), to: noon(4) }, ""],
      [{ carrier: "Northline", from: noon(5) }, "B"],
      [{ carrier: "Northline", status: "SCHEDULED" }, "D"],
      [{ order: "LATEST", status: "DEPARTED" }, "GA"],
      [{ order: "LATEST", status: "CANCELLED" }, "F"],
      [{ order: "LATEST", facility: "west" }, "E"],
      [{ order: "LATEST", shipmentNumber: "C" }, "C"],
      [{ carrier: "Northline", shipmentNumber: "C" }, ""],
      [{ from: noon(5), shipmentNumber: "C" }, ""],
      [{ order: "LATEST", discrepancies: true }, "G"],
      [{ carrier: longest, discrepancies: true }, "G"],
      [{ carrier: "Northline", discrepancies: true }, ""],
      [{ from: noon(4), to: noon(6), discrepancies: true }, ""]
    ]
    for (const [query, expected] of cases) {
      for (const limit of [1, 2, 100]) {
        assert.strictEqual(yield* list({ ...query, limit }), expected, JSON.stringify({ ...query, limit }))
      }
    }
  })

  test("a page goes on where the one before ended, whatever became of its last shipment", function*() {
    const { business, client, id, shipments } = yield* aTimedWorld
    const page = (order: "EARLIEST" | "LATEST", after = "") =>
      shipments.list({ business, order, limit: 3, after }, client)
    const numbersOf = ({ items }: Page<ShipmentView>) =>
      items.map(({ shipmentNumber }) => shipmentNumber).join("")
    const first = yield* page("LATEST")
    const earliest = yield* page("EARLIEST")
    assert.deepStrictEqual([numbersOf(first), numbersOf(earliest)], ["GBD", "EFA"])
    assert.strictEqual(first.next, `${noon(4)}_${id("D")}`)
    yield* asOfThe10th(shipments.arrive(id("D"), { occurredAt: noon(9) }, client))
    yield* asOfThe10th(shipments.depart(id("D"), { occurredAt: noon(10) }, client))
    assert.strictEqual(numbersOf(yield* page("LATEST", assert.present(first.next))), "CAF")
    assert.strictEqual(numbersOf(yield* page("EARLIEST", assert.present(earliest.next))), "CBG")
  })

  test("cursors of another order and filters that do not go together are refused", function*() {
    const { id, refusal } = yield* aTimedWorld
    for (const after of [id("A"), "tomorrow", `${noon(4)}_`, `${noon(4)}_-1`, `2026-11-04_${id("A")}`]) {
      assert.deepStrictEqual(yield* refusal({ order: "LATEST", after }), ["after"], after)
    }
    assert.deepStrictEqual(yield* refusal({ after: `${noon(4)}_${id("A")}` }), ["after"])
    for (
      const filter of [{ carrier: "X" }, { trailerNumber: "X" }, { from: noon(1) }, { to: noon(1) }]
    ) {
      assert.deepStrictEqual(yield* refusal({ order: "ID", ...filter }), ["order"])
    }
    assert.deepStrictEqual(yield* refusal({ carrier: "X", trailerNumber: "X" }), ["carrier"])
    const beside: ShipmentQuery = {
      shipmentNumber: "A",
      status: "ARRIVED",
      discrepancies: true,
      to: noon(1)
    }
    assert.deepStrictEqual(yield* refusal({ lpn: "L1", ...beside }), Object.keys(beside))
    assert.deepStrictEqual(yield* refusal({ lpn: "L1", order: "LATEST" }), ["order"])
    assert.deepStrictEqual(shipmentOrders, ["ID", "EARLIEST", "LATEST"])
  })
}
