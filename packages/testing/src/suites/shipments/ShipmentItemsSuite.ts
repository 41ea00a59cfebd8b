/** The rules for the items of a shipment, for every storage (D13.12). */
import { Pallets } from "@dockline/core/movement/Pallets"
import type { OrderItemDraft } from "@dockline/core/shipment/OrderItem"
import { isAskedFor } from "@dockline/core/shipment/ShipmentItem"
import type { ItemFilter, ShipmentItem } from "@dockline/core/shipment/ShipmentItem"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { pageBudget } from "@dockline/core/values/Page"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, orderOf } from "../../generators/Given.ts"
import { aPalletEvent, labelsOf } from "../../generators/Motion.ts"
import { aBusiness, everyItemField, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

const none: ItemFilter = { orderId: undefined, find: undefined, unseen: undefined }

/** The pages of the items of a shipment, by their LPNs, following `next`. */
const pagesOf = Effect.fnUntraced(function*(id: number, filter: Partial<ItemFilter>, limit: number) {
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

const longest = "9".repeat(1024)
const astral = "🚚".repeat(300)

/** The items of a shipment: their order, their pages, and their filters. */
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
      const pages = yield* pagesOf(id, {}, limit)
      assert.deepStrictEqual(pages.map(({ length }) => length).every((length) => length <= limit), true)
      assert.deepStrictEqual(pages.flat(), expected)
    }
    for (const unknown of [0, -1, 2 ** 52]) {
      assert.strictEqual(yield* store.itemsOf(unknown, none, { limit: 1, after: 0 }, []), null)
    }
  })

  test("are narrowed by order, by text and by what was not seen, each as the rule says", function*() {
    const pallets = yield* Effect.provide(Pallets, Pallets.layer())
    const lpns = ["SEEN-1", "seen-2", "LATE", "", longest, astral, `${longest}x`.slice(1)]
    const { business, id } = yield* aShipment({
      A: lpns.map((lpn, at) => anItem(lpn, `SKU${at}`, { description: `Crème 50%_${at}\\`, lot: "LOT a" })),
      B: [anItem("SEEN-1", "Other", { purchaseOrder: "PO-9" }), anItem("B1", "sku0")]
    })
    const seenLpns = new Set(["SEEN-1", longest, astral])
    const tower = aClient("tower", business, "*", "pallets:write")
    for (const [at, lpn] of Array.from(seenLpns).entries()) {
      yield* pallets.record(
        aPalletEvent({ business, shipmentId: id, eventId: `E${at}`, labels: labelsOf(["lpn", lpn]) }),
        tower
      )
    }
    const all = (yield* pagesOf(id, {}, 100)).flat()
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
        const items = (yield* pagesOf(id, filter, limit)).flat()
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
      (yield* pagesOf(id, {}, 100)).map((page) => page.map(({ item }) => item.lpn)),
      [["L1"], ["L2"], ["L3"], ["L4"]]
    )
  })
}
