/** The rules for pages of shipments, by id and by their times, of orders and of items, for every storage (D5.1, D13.10, D13.12). */
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import type { ShipmentQuery } from "@dockline/core/movement/Shipments"
import type { OrderItemDraft } from "@dockline/core/shipment/Shipment"
import { isAskedFor } from "@dockline/core/shipment/ShipmentItem"
import type { ItemFilter, ShipmentItem } from "@dockline/core/shipment/ShipmentItem"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { ShipmentView } from "@dockline/core/shipment/View"
import { pageBudget } from "@dockline/core/values/Page"
import type { Page, PageRequest } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { shipmentOrders } from "@dockline/core/values/Vocabulary"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, aPalletEvent, labelsOf, orderOf } from "../../generators/Given.ts"
import { aBusiness, everyItemField, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import { listOrders, listShipments, pagesOf } from "../../worlds/ReadWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

/** The numbers on all pages of a list. Follows `next`, and checks the order of the ids. */
const cuts = Effect.fnUntraced(function*<A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>,
  limit: number,
  show: (entry: A) => { readonly id: string; readonly number: string }
) {
  const pages: Array<ReadonlyArray<string>> = []
  let after = 0
  for (;;) {
    const { items, next } = yield* list({ limit, after })
    const views = items.map(show)
    pages.push(views.map(({ number }) => number))
    if (next === null) return pages
    assert.strictEqual(next, views.at(-1)?.id)
    after = Number(next)
  }
})

/** Cases of the order and the limits of pages. */
export const pages = (test: AddTest): void => {
  const shipmentPages = (business: string, limit: number) =>
    cuts(
      (page) => listShipments([{ business, facilities: "*" }], {}, page),
      limit,
      ({ shipment }) => ({ id: String(shipment.id), number: shipment.number })
    )
  const orderPages = (business: string, limit: number) =>
    cuts(
      (page) => listOrders([{ business, facilities: "*" }], {}, page),
      limit,
      ({ order }) => ({ id: order.id, number: order.number })
    )

  test("next leads from page to page, and is null on the last, the empty one too", function*() {
    const business = yield* aBusiness
    assert.deepStrictEqual([yield* shipmentPages(business, 1), yield* orderPages(business, 1)], [[[]], [
      []
    ]])
    // There are so many entities that a new storage uses ids of different lengths.
    for (const shipmentNumber of ["A", "B", "C", "D", "E"]) {
      yield* write(
        aDocument(
          { business, shipmentNumber },
          orderOf(`O${shipmentNumber}`, "APPEND", [anItem("L1", "S1")])
        )
      )
    }
    const all = [["A", "B"], ["C", "D"], ["E"]]
    assert.deepStrictEqual(yield* shipmentPages(business, 2), all)
    assert.deepStrictEqual(
      yield* orderPages(business, 2),
      all.map((page) => page.map((name) => `O${name}`))
    )
    assert.deepStrictEqual(yield* shipmentPages(business, 5), [["A", "B", "C", "D", "E"]])
    assert.deepStrictEqual(yield* orderPages(business, 1), [["OA"], ["OB"], ["OC"], ["OD"], ["OE"]])
    const { items } = yield* listShipments([{ business, facilities: "*" }])
    const after = assert.at(items, -1).shipment.id
    assert.deepStrictEqual(
      yield* listShipments([{ business, facilities: "*" }], {}, { limit: 10, after }),
      { items: [], next: null }
    )
  })

  test("a page holds at most 10,000 rows of shipments, orders and items, but at least one entity", function*() {
    const business = yield* aBusiness
    const holding = (shipmentNumber: string, ...counts: ReadonlyArray<number>) =>
      write(aDocument(
        { business, shipmentNumber },
        ...counts.map((count, index) =>
          orderOf(
            `${shipmentNumber}-${index}`,
            "OVERWRITE",
            Array.from({ length: count }, (_, n) => anItem(`L${n}`, `S${index}`))
          )
        )
      ))
    assert.strictEqual(pageBudget.rows, 10_000)
    yield* holding("A", 4000, 2000)
    yield* holding("B", 3995)
    yield* holding("C", 1)
    yield* holding("D", pageBudget.rows)
    yield* holding("E", 0)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A", "B"], ["C"], ["D"], ["E"]])
    assert.deepStrictEqual(yield* orderPages(business, 100), [["A-0", "A-1", "B-0", "C-0"], ["D-0"], [
      "E-0"
    ]])
    // One item more or less on a page changes the pages.
    yield* holding("B", 3996)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A"], ["B", "C"], ["D"], ["E"]])
    assert.deepStrictEqual(yield* orderPages(business, 2), [["A-0", "A-1"], ["B-0", "C-0"], ["D-0"], [
      "E-0"
    ]])
  })

  test("orders without items count in the budget of a page, also when a document moves them", function*() {
    const business = yield* aBusiness
    const orders = (shipmentNumber: string, from: number, to: number) =>
      write(aDocument(
        { business, shipmentNumber },
        ...Array.from({ length: to - from }, (_, n) => orderOf(`O${from + n}`, "APPEND", []))
      ))
    yield* orders("A", 0, 5000)
    yield* orders("B", 5000, 9998)
    yield* orders("C", 9998, 9999)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A", "B"], ["C"]])
    yield* orders("B", 9998, 9999)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A"], ["B", "C"]])
  })

  test("a page ends early rather than hold more than 4 Mi characters, in orders and shipments", function*() {
    const business = yield* aBusiness
    const half = pageBudget.text / 2
    assert.strictEqual(pageBudget.text, 4 * 1024 * 1024)
    /** Makes a shipment with one order whose number is as long as its own, and with items of this many characters in total. */
    const holding = (shipmentNumber: string, text: number) => {
      const items = Array.from({ length: Math.ceil(text / 1000) }, (_, n) => {
        const item = anItem(`L${1000 + n}`, "S")
        const length = item.lpn.length + item.sku.length + item.quantityUnit.length
        return { ...item, description: "x".repeat(Math.min(1000, text - n * 1000) - length) }
      })
      return write(aDocument({ business, shipmentNumber }, orderOf(shipmentNumber, "OVERWRITE", items)))
    }
    for (const number of ["A", "B"]) yield* holding(number, half - 2)
    yield* holding("C", 500)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A", "B"], ["C"]])
    // The length of a shipment's number does not count in pages of orders.
    assert.deepStrictEqual(yield* orderPages(business, 100), [["A", "B"], ["C"]])
    yield* holding("B", half - 1)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A"], ["B", "C"]])
    assert.deepStrictEqual(yield* orderPages(business, 100), [["A", "B"], ["C"]])
    yield* holding("B", half + 1)
    assert.deepStrictEqual(yield* orderPages(business, 100), [["A"], ["B", "C"]])
    yield* holding("A", 500)
    assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A", "B", "C"]])
  })
}

/** Noon on a day of November 2026. */
const noon = (day: number): Timestamp.Timestamp =>
  Timestamp.of(`2026-11-${String(day).padStart(2, "0")}T12:00:00.000Z`)

/** The time at which the steps are reported. */
const asOfThe10th = Timestamp.asOf(Date.parse(noon(10)))

/** A carrier's name of the greatest length, in characters of several bytes. */
const longestName = "Ж".repeat(1024)

/**
 * Shipments of a business, in the order of their creation. A departed on the 3rd without discrepancies. B arrived on the 5th. C and D are
 * expected on the 4th. E is expected on the 1st at another facility. F was expected on the 2nd, but was cancelled. G departed on the 6th
 * with a discrepancy. B and D have the carrier Northline and the trailer `TR 9`. The carrier and the trailer of G are {@link longestName}.
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
      ["G", 8, longestName, "east"]
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
      [{ carrier: longestName }, "G"],
      [{ carrier: `${longestName.slice(1)}X` }, ""],
      [{ trailerNumber: "TR 9" }, "BD"],
      [{ trailerNumber: "TR 9", order: "EARLIEST" }, "DB"],
      [{ trailerNumber: "TR" }, ""],
      [{ trailerNumber: longestName, discrepancies: true }, "G"],
      [{ trailerNumber: `${longestName.slice(1)}X` }, ""],
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
      [{ carrier: longestName, discrepancies: true }, "G"],
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

const none: ItemFilter = { orderId: undefined, find: undefined, unseen: undefined }

/** The pages of the items of a shipment, by their LPNs, following `next`. */
const itemPages = Effect.fnUntraced(function*(id: number, filter: Partial<ItemFilter>, limit: number) {
  const store = yield* ShipmentStore
  const pages: Array<ReadonlyArray<ShipmentItem>> = []
  for (let after = 0;;) {
    const { page } = assert.present(yield* store.itemsOf(id, { ...none, ...filter }, { limit, after }, []))
    pages.push(page.items)
    if (page.next === null) return pages
    assert.strictEqual(page.next, page.items.at(-1)?.item.id)
    after = Number(page.next)
  }
})

/** A shipment with these orders, and its place. */
const aShipment = Effect.fnUntraced(
  function*(orders: Readonly<Record<string, ReadonlyArray<OrderItemDraft>>>) {
    const business = yield* aBusiness
    const send = (change: typeof orders) =>
      Effect.map(
        write(aDocument(
          { business },
          ...Object.entries(change).map(([number, items]) => orderOf(number, "APPEND", items))
        )),
        (result) => outcomeOf(result).shipment
      )
    const shipment = yield* send(orders)
    return { business, id: Number(shipment.id), send }
  }
)

const longestLpn = "9".repeat(1024)
const astral = "🚚".repeat(300)

/** Cases of the items of a shipment: their order, their pages, and their filters. */
export const items = (test: AddTest): void => {
  test("are those of all its orders, in id order, also where an order gets more later", function*() {
    const { business, id, send } = yield* aShipment({
      A: [anItem("A1", "S"), everyItemField("x")],
      B: [anItem("B1", "S"), anItem("B2", "S")]
    })
    yield* write(
      aDocument({ business, shipmentNumber: "another" }, orderOf("C", "APPEND", [anItem("C1", "S")]))
    )
    const { orders } = yield* send({ A: [anItem("A2", "S")] })
    const expected = orders
      .flatMap(({ id, items, number }) => items.map((item) => ({ item, orderId: id, orderNumber: number })))
      .sort((left, right) => Number(left.item.id) - Number(right.item.id))
    assert.deepStrictEqual(expected.map(({ orderNumber }) => orderNumber).join(""), "AABBA")
    const store = yield* ShipmentStore
    const page = assert.present(yield* store.itemsOf(id, none, { limit: 100, after: 0 }, []))
    assert.deepStrictEqual(page.page, { items: expected, next: null })
    assert.strictEqual(page.location.business.slug, business)
    for (const limit of [1, 2, 4, 5]) {
      const pages = yield* itemPages(id, {}, limit)
      assert.deepStrictEqual(pages.map(({ length }) => length).every((length) => length <= limit), true)
      assert.deepStrictEqual(pages.flat(), expected)
    }
    for (const unknown of [0, -1, 2 ** 52]) {
      assert.strictEqual(yield* store.itemsOf(unknown, none, { limit: 1, after: 0 }, []), null)
    }
  })

  test("are narrowed by order, by text and by what was not seen, each as the rule says", function*() {
    const pallets = yield* Effect.provide(Pallets, Pallets.layer())
    const lpns = ["SEEN-1", "seen-2", "LATE", "", longestLpn, astral, `${longestLpn}x`.slice(1)]
    const { business, id } = yield* aShipment({
      A: lpns.map((lpn, at) => anItem(lpn, `SKU${at}`, { description: `Crème 50%_${at}\\`, lot: "LOT a" })),
      B: [anItem("SEEN-1", "Other", { purchaseOrder: "PO-9" }), anItem("B1", "sku0")]
    })
    const seenLpns = new Set(["SEEN-1", longestLpn, astral])
    const tower = aClient("tower", business, "*", "pallets:write")
    for (const [at, lpn] of Array.from(seenLpns).entries()) {
      yield* pallets.record(
        aPalletEvent({ business, shipmentId: id, eventId: `E${at}`, labels: labelsOf(["lpn", lpn]) }),
        tower
      )
    }
    const all = (yield* itemPages(id, {}, 100)).flat()
    assert.strictEqual(all.length, 9)
    const [first, last] = [assert.at(all, 0), assert.at(all, -1)]
    const cases: ReadonlyArray<readonly [Partial<ItemFilter>, number]> = [
      [{ orderId: Number(first.orderId) }, 7],
      [{ orderId: Number(last.orderId) }, 2],
      [{ orderId: 2 ** 52 }, 0],
      [{ find: "seen" }, 3],
      [{ find: "SKU0" }, 2],
      [{ find: "0%_" }, 7],
      [{ find: "50%_1\\" }, 1],
      [{ find: "CRÈME" }, 0],
      [{ find: "CRèME" }, 7],
      [{ find: "po-9" }, 1],
      [{ find: "lot A" }, 7],
      [{ find: "seen-1\nsku0" }, 0],
      [{ unseen: true }, 4],
      [{ unseen: false }, 9],
      [{ unseen: true, find: "SEEN" }, 1],
      [{ unseen: true, find: "sku0", orderId: Number(last.orderId) }, 1]
    ]
    for (const [filter, count] of cases) {
      const expected = all.filter((item) => isAskedFor(item, { ...none, ...filter }, seenLpns))
      for (const limit of [1, 3, 100]) {
        const items = (yield* itemPages(id, filter, limit)).flat()
        assert.deepStrictEqual(items, expected, JSON.stringify(filter))
      }
      assert.strictEqual(expected.length, count, JSON.stringify(filter))
    }
  })

  test("a page ends at its budget of text, case serials among it", function*() {
    const serials = Array.from(
      { length: 2000 },
      (_, at) => ({ id: `${at}`.padStart(1024, "x"), quantity: 1 })
    )
    const { id } = yield* aShipment({
      A: ["L1", "L2", "L3", "L4"].map((lpn) => anItem(lpn, "S", { caseSerials: serials }))
    })
    assert.isAbove(2 * 2000 * (1024 + 32), pageBudget.text)
    assert.deepStrictEqual(
      (yield* itemPages(id, {}, 100)).map((page) => page.map(({ item }) => item.lpn)),
      [["L1"], ["L2"], ["L3"], ["L4"]]
    )
  })
}
