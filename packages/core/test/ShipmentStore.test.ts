import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ReadScope } from "../src/Access.ts"
import type { Document } from "../src/Document.ts"
import { Intake } from "../src/Intake.ts"
import { pageItemBudget, ShipmentStore } from "../src/ShipmentStore.ts"
import type { OrderFilter, PageRequest, ShipmentFilter } from "../src/ShipmentStore.ts"
import {
  aDocument,
  aGrant,
  alter,
  anItem,
  aPrincipal,
  earlier,
  inMemory,
  orderOf
} from "../src/testing/Given.ts"
import type { ShipmentView } from "../src/View.ts"
import { intakeResult, orderView, shipmentView } from "../src/View.ts"

const everyone = aPrincipal(aGrant("acme"), aGrant("globex"))
const all: ReadonlyArray<ReadScope> = [
  { business: "acme", facilities: "*" },
  { business: "globex", facilities: "*" }
]
const firstPage: PageRequest = { limit: 100, after: 0 }

const put = Effect.fnUntraced(function*(...documents: ReadonlyArray<Document>) {
  const intake = yield* Intake
  return yield* Effect.forEach(
    documents,
    (document) => Effect.map(intake.submit(document, everyone), ({ shipment }) => shipment)
  )
})

const listShipments = Effect.fnUntraced(function*(
  scopes: ReadonlyArray<ReadScope> = all,
  filter: Partial<ShipmentFilter> = {},
  page: PageRequest = firstPage
) {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const { items, next } = yield* store.listShipments(scopes, { ...none, ...filter }, page)
  return { items: items.map(({ shipment, location }) => shipmentView(shipment, location)), next }
})

const listOrders = Effect.fnUntraced(function*(
  scopes: ReadonlyArray<ReadScope> = all,
  filter: Partial<OrderFilter> = {},
  page: PageRequest = firstPage
) {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, orderNumber: undefined }
  const { items, next } = yield* store.listOrders(scopes, { ...none, ...filter }, page)
  return {
    orders: items.map(({ order, location, shipmentId, shipmentNumber }) => ({
      ...orderView(order),
      business: location.business.slug,
      facility: location.facility.slug,
      shipmentId,
      shipmentNumber
    })),
    next
  }
})

/** East: S1 (O1, O2), S2 (O3). West: S1 (O1). Globex: G1 (O1). */
const world = put(
  aDocument({}, orderOf("O1", "APPEND", [anItem("L1", "S1")]), orderOf("O2")),
  aDocument({ shipmentNumber: "S2" }, orderOf("O3")),
  aDocument({ facility: "west" }, orderOf("O1")),
  aDocument({ business: "globex", facility: "main", shipmentNumber: "G1" }, orderOf("O1"))
)

describe("D5.1 a shipment by id", () => {
  it.effect("is the shipment of D4.1 itself", () =>
    inMemory(Effect.gen(function*() {
      const shipments = yield* world
      const store = yield* ShipmentStore
      for (const expected of shipments) {
        const { shipment, location } = (yield* store.find(expected.id))!
        assert.deepStrictEqual(shipmentView(shipment, location), expected)
      }
    })))

  it.effect("null when there is none", () =>
    inMemory(Effect.gen(function*() {
      yield* world
      const store = yield* ShipmentStore
      assert.deepStrictEqual([yield* store.find(0), yield* store.find(999_999), yield* store.find(-1)], [
        null,
        null,
        null
      ])
    })))
})

describe("D5.1 shipments within the scopes, in id order", () => {
  const scopes: ReadonlyArray<
    readonly [what: string, scopes: ReadonlyArray<ReadScope>, expected: ReadonlyArray<number>]
  > = [
    ["everything", all, [0, 1, 2, 3]],
    ["nothing", [], []],
    ["one business", [{ business: "acme", facilities: "*" }], [0, 1, 2]],
    ["one facility", [{ business: "acme", facilities: ["west"] }], [2]],
    ["no facility", [{ business: "acme", facilities: [] }], []],
    ["another business's facility", [{ business: "globex", facilities: ["east"] }], []],
    [
      "several, overlapping",
      [{ business: "acme", facilities: ["east"] }, { business: "acme", facilities: "*" }],
      [0, 1, 2]
    ]
  ]

  it.effect.each(scopes)("scope: %s", ([, scopes, expected]) =>
    inMemory(Effect.gen(function*() {
      const shipments = yield* world
      assert.deepStrictEqual(yield* listShipments(scopes), {
        items: expected.map((index) => shipments[index]!),
        next: null
      })
    })))

  const filters: ReadonlyArray<readonly [filter: Partial<ShipmentFilter>, expected: ReadonlyArray<number>]> =
    [
      [{}, [0, 1, 2, 3]],
      [{ business: "globex" }, [3]],
      [{ facility: "east" }, [0, 1]],
      [{ business: "globex", facility: "east" }, []],
      [{ shipmentNumber: "S1" }, [0, 2]],
      [{ shipmentNumber: "S1", facility: "west" }, [2]],
      [{ shipmentNumber: "s1" }, []],
      [{ shipmentNumber: "" }, []],
      [{ status: "ARRIVED" }, [1]],
      [{ status: "SCHEDULED", business: "acme" }, [0, 2]],
      [{ status: "DEPARTED" }, []]
    ]

  it.effect.each(filters)("filter %j", ([filter, expected]) =>
    inMemory(Effect.gen(function*() {
      const shipments = yield* world
      yield* alter(aDocument({ shipmentNumber: "S2" }), (header) => ({
        ...header,
        status: "ARRIVED",
        arrivedAt: earlier
      }))
      const { items } = yield* listShipments(all, filter)
      assert.deepStrictEqual(items.map(({ id }) => id), expected.map((index) => shipments[index]!.id))
    })))

  it.effect("a filter cannot widen the scope", () =>
    inMemory(Effect.gen(function*() {
      yield* world
      const west: ReadonlyArray<ReadScope> = [{ business: "acme", facilities: ["west"] }]
      assert.deepStrictEqual((yield* listShipments(west, { facility: "east" })).items, [])
      assert.deepStrictEqual((yield* listOrders(west, { business: "globex" })).orders, [])
    })))
})

describe("D5.1 orders within the scopes, in id order", () => {
  const located = (shipments: ReadonlyArray<ShipmentView>) =>
    shipments.flatMap((shipment) =>
      shipment.orders.map((order) => ({
        ...order,
        business: shipment.business.slug,
        facility: shipment.facility.slug,
        shipmentId: shipment.id,
        shipmentNumber: shipment.shipmentNumber
      }))
    )

  it.effect("each with its place and shipment", () =>
    inMemory(Effect.gen(function*() {
      const shipments = yield* world
      assert.deepStrictEqual(yield* listOrders(), { orders: located(shipments), next: null })
    })))

  it.effect("by number, business and facility", () =>
    inMemory(Effect.gen(function*() {
      const orders = located(yield* world)
      const filters: ReadonlyArray<Partial<OrderFilter>> = [
        { orderNumber: "O1" },
        { orderNumber: "O1", facility: "west" },
        { business: "globex" },
        { orderNumber: "O9" }
      ]
      const found = yield* Effect.forEach(filters, (filter) => listOrders(all, filter))
      assert.deepStrictEqual(found.map(({ orders }) => orders), [
        orders.filter(({ orderNumber }) => orderNumber === "O1"),
        orders.filter(({ orderNumber, facility }) => orderNumber === "O1" && facility === "west"),
        orders.filter(({ business }) => business === "globex"),
        []
      ])
    })))

  it.effect("in id order, also where a later shipment holds an earlier order", () =>
    inMemory(Effect.gen(function*() {
      yield* put(
        aDocument({}, orderOf("O1"), orderOf("O2")),
        aDocument({ shipmentNumber: "S2" }, orderOf("O3"), orderOf("O1"))
      )
      const { orders } = yield* listOrders()
      assert.deepStrictEqual(orders.map(({ orderNumber, shipmentNumber }) => [orderNumber, shipmentNumber]), [
        ["O1", "S2"],
        ["O2", "S1"],
        ["O3", "S2"]
      ])
    })))
})

describe("D5.1 pages", () => {
  const pagesOf = Effect.fnUntraced(function*(limit: number) {
    const pages: Array<ReadonlyArray<string>> = []
    let after = 0
    for (;;) {
      const { items, next } = yield* listShipments(all, {}, { limit, after })
      pages.push(items.map(({ shipmentNumber }) => shipmentNumber))
      if (next === null) return pages
      assert.strictEqual(next, String(items.at(-1)!.id))
      after = Number(next)
    }
  })

  it.effect("next leads from page to page, and is null on the last", () =>
    inMemory(Effect.gen(function*() {
      assert.deepStrictEqual(yield* pagesOf(1), [[]])
      // More than ten, so that ids of different lengths are among them.
      yield* Effect.forEach(["A", "B", "C", "D", "E"], (shipmentNumber) =>
        put(aDocument({ shipmentNumber }, orderOf(`O${shipmentNumber}`, "APPEND", [anItem("L1", "S1")]))))
      assert.deepStrictEqual(yield* pagesOf(2), [["A", "B"], ["C", "D"], ["E"]])
      assert.deepStrictEqual(yield* pagesOf(5), [["A", "B", "C", "D", "E"]])
      assert.deepStrictEqual(yield* pagesOf(1), [["A"], ["B"], ["C"], ["D"], ["E"]])
    })))

  it.effect("after the last id there is nothing more", () =>
    inMemory(Effect.gen(function*() {
      const shipments = yield* world
      const after = shipments.at(-1)!.id
      assert.deepStrictEqual(yield* listShipments(all, {}, { limit: 10, after }), { items: [], next: null })
    })))

  it.effect("a page ends early rather than hold more than 10,000 items, but holds at least one entity", () =>
    inMemory(
      Effect.gen(function*() {
        const items = (count: number) => Array.from({ length: count }, (_, n) => anItem(`L${n}`, "S1"))
        const holding = (shipmentNumber: string, ...counts: ReadonlyArray<number>) =>
          aDocument(
            { shipmentNumber },
            ...counts.map((count, index) =>
              orderOf(
                `${shipmentNumber}-${index}`,
                "APPEND",
                items(count).map((item) => ({ ...item, lot: `${index}`, sku: `S${index}` }))
              )
            )
          )
        yield* put(
          holding("A", 4000, 2000),
          holding("B", 4000),
          holding("C", 1),
          holding("D", pageItemBudget + 1),
          holding("E", 0)
        )
        assert.strictEqual(pageItemBudget, 10_000)
        assert.deepStrictEqual(yield* pagesOf(100), [["A", "B"], ["C"], ["D"], ["E"]])
        const first = yield* listOrders(all, {}, firstPage)
        assert.deepStrictEqual(
          [first.orders.map(({ orderNumber }) => orderNumber), first.next],
          [["A-0", "A-1", "B-0"], first.orders.at(-1)!.id]
        )
      }),
      { itemLimit: 20_000 }
    ))
})

describe("D4.1 what is read is what was answered", () => {
  it.effect("intakeResult and a read show the same shipment", () =>
    inMemory(Effect.gen(function*() {
      const [shipment] = yield* world
      const store = yield* ShipmentStore
      const found = (yield* store.find(shipment!.id))!
      const outcome = { created: [], updated: [], removed: [], shipment: found.shipment }
      assert.deepStrictEqual(intakeResult(outcome, found.location).shipment, shipment)
    })))
})
