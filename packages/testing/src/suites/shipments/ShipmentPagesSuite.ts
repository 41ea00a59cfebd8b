/** The rules for the pages of shipments and orders, for every storage (D5.1). */
import { pageBudget } from "@dockline/core/values/Page"
import type { Page, PageRequest } from "@dockline/core/values/Page"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aDocument, anItem, orderOf } from "../../generators/Given.ts"
import { aBusiness, write } from "../../worlds/IntakeWorld.ts"
import { listOrders, listShipments } from "../../worlds/ReadWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

/** All pages of a list, by number, following `next`; the order of their ids is checked. */
const pagesOf = Effect.fnUntraced(function*<A, E, R>(
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

/** Pages in their order, and their limits. */
export const pages = (test: AddTest): void => {
  const shipmentPages = (business: string, limit: number) =>
    pagesOf(
      (page) => listShipments([{ business, facilities: "*" }], {}, page),
      limit,
      ({ shipment }) => ({ id: String(shipment.id), number: shipment.number })
    )
  const orderPages = (business: string, limit: number) =>
    pagesOf(
      (page) => listOrders([{ business, facilities: "*" }], {}, page),
      limit,
      ({ order }) => ({ id: order.id, number: order.number })
    )

  test("next leads from page to page, and is null on the last, the empty one too", function*() {
    const business = yield* aBusiness
    assert.deepStrictEqual([yield* shipmentPages(business, 1), yield* orderPages(business, 1)], [[[]], [
      []
    ]])
    // So many entities that a new storage uses ids of different lengths.
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
    // The effect of one item more on a page, and of one item less.
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
    // The number of a shipment does not belong to its orders.
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
