/** What holds for the pages of shipments and orders, whatever they are stored in (D5.1). */
import { Effect } from "effect"
import { pageItemBudget } from "../../values/Page.ts"
import type { Page, PageRequest } from "../../values/Page.ts"
import * as assert from "../Assert.ts"
import { aDocument, anItem, orderOf } from "../generators/Given.ts"
import { aBusiness, write } from "../worlds/IntakeWorld.ts"
import { listOrders, listShipments } from "../worlds/ShipmentStoreWorld.ts"
import type { AddTest } from "../worlds/ShipmentStoreWorld.ts"

/** All pages of a list, by number, following `next`; the ids by which they follow each other are checked. */
const pagesOf = Effect.fnUntraced(function*<A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>,
  limit: number,
  show: (entry: A) => { readonly id: string; readonly number: string }
) {
  const pages: Array<ReadonlyArray<string>> = []
  let after = 0
  for (;;) {
    const { items, next } = yield* list({ limit, after })
    const shown = items.map(show)
    pages.push(shown.map(({ number }) => number))
    if (next === null) return pages
    assert.strictEqual(next, shown.at(-1)?.id)
    after = Number(next)
  }
})

/** Pages that follow each other, and what bounds them. */
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

  test(
    "next leads from page to page, and is null on the last, the empty one too",
    Effect.gen(function*() {
      const business = yield* aBusiness
      assert.deepStrictEqual([yield* shipmentPages(business, 1), yield* orderPages(business, 1)], [[[]], [
        []
      ]])
      // Enough entities that ids of different lengths are among those of a new storage.
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
      const after = items.at(-1)!.shipment.id
      assert.deepStrictEqual(
        yield* listShipments([{ business, facilities: "*" }], {}, { limit: 10, after }),
        { items: [], next: null }
      )
    })
  )

  test(
    "a page ends early rather than hold more than 10,000 items, but holds at least one entity",
    Effect.gen(function*() {
      const business = yield* aBusiness
      const holding = (shipmentNumber: string, ...counts: ReadonlyArray<number>) =>
        write(aDocument(
          { business, shipmentNumber },
          ...counts.map((count, index) =>
            orderOf(
              `${shipmentNumber}-${index}`,
              "APPEND",
              Array.from({ length: count }, (_, n) => anItem(`L${n}`, `S${index}`))
            )
          )
        ))
      assert.strictEqual(pageItemBudget, 10_000)
      yield* holding("A", 4000, 2000)
      yield* holding("B", 4000)
      yield* holding("C", 1)
      yield* holding("D", pageItemBudget + 1)
      yield* holding("E", 0)
      assert.deepStrictEqual(yield* shipmentPages(business, 100), [["A", "B"], ["C"], ["D"], ["E"]])
      assert.deepStrictEqual(yield* orderPages(business, 100), [["A-0", "A-1", "B-0"], ["C-0"], ["D-0"], [
        "E-0"
      ]])
    })
  )
}
