/**
 * The rules for reading shipments and orders, for the boards of docks and for the memory of answers, for every storage (D5.1, D12.3,
 * D13.15).
 */
import type { ReadScope } from "@dockline/core/access/Access"
import { MovementStore } from "@dockline/core/movement/Movement"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import type { LocatedShipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type { OrderFilter, ShipmentFilter } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import { aClient, aDocument, anItem, aPalletEvent, labelsOf, orderOf, unique } from "../generators/Given.ts"
import * as Suite from "../Suite.ts"
import { aBusiness, east, outcomeOf, write } from "../worlds/IntakeWorld.ts"
import { at } from "../worlds/MessageLogWorld.ts"
import { anAnswerMemory, listOrders, listShipments, pagesOf } from "../worlds/ReadWorld.ts"
import type { AddTest, ReadingStores } from "../worlds/ReadWorld.ts"
import { items, pages, times } from "./shipments/ShipmentPagesSuite.ts"
import { searching } from "./shipments/ShipmentSearchSuite.ts"

const noon = Date.parse("2026-11-20T12:00:00.000Z")
const hours = (count: number): Timestamp.Timestamp => Timestamp.fromMillis(noon + count * 3_600_000)

const aYard = Effect.gen(function*() {
  const shipments = yield* Effect.provide(Shipments, Shipments.layer())
  const pallets = yield* Effect.provide(Pallets, Pallets.layer())
  const directory = yield* Directory
  const business = yield* aBusiness
  for (const dock of ["B1", "B2"]) yield* directory.createDock(business, "east", dock)
  const client = aClient("desk", business, "*", "documents:write", "pallets:write", "shipments:write")
  const announce = (shipmentNumber: string, lpns: ReadonlyArray<string>, expectedArrivalAt = hours(1)) =>
    Effect.map(
      write(aDocument(
        { business, shipmentNumber, direction: "INBOUND", expectedArrivalAt },
        orderOf(`O-${shipmentNumber}`, "APPEND", lpns.map((lpn) => anItem(lpn, "S")))
      )),
      (result) => String(outcomeOf(result).shipment.id)
    )
  const arrive = (id: string, dockSlug: string, occurredAt: Timestamp.Timestamp) =>
    shipments.arrive(id, { dockSlug, occurredAt }, client)
  const board = shipments.dockBoard({ business, facility: "east" }, client)
  return { announce, arrive, board, business, client, pallets, shipments }
})

const numbers = (rows: ReadonlyArray<{ readonly shipmentNumber: string }>) =>
  rows.map(({ shipmentNumber }) => shipmentNumber)

/** Cases of the boards of docks. */
export const boarding = (test: AddTest): void => {
  test("each dock tells its own shipments, the last to arrive first, however many there are", function*() {
    yield* at(noon)(Effect.gen(function*() {
      const { announce, arrive, board } = yield* aYard
      for (let n = 0; n < 5; n++) {
        yield* arrive(yield* announce(`OLD-${n}`, []), "B1", hours(n - 10))
      }
      yield* arrive(yield* announce("HERE", ["L1", "L2"]), "B2", hours(-1))
      yield* arrive(yield* announce("LOST", []), "", hours(-1))
      const { docks } = yield* board
      const docksShown = docks.filter(({ dockSlug, shipments }) =>
        shipments.length > 0 || dockSlug.startsWith("B")
      )
      assert.deepStrictEqual(
        docksShown.map(({ dockSlug, others, shipments }) => [dockSlug, numbers(shipments), others]),
        [["B1", ["OLD-4", "OLD-3", "OLD-2"], 2], ["B2", ["HERE"], 0], ["", ["LOST"], 0]]
      )
    }))
  })

  test("a shipment has its progress and its last pallet", function*() {
    yield* at(noon)(Effect.gen(function*() {
      const { announce, arrive, board, business, client, pallets } = yield* aYard
      const id = yield* announce("HERE", ["L1", "L2", "L3"])
      yield* arrive(id, "B1", hours(-1))
      for (const [n, lpn] of ["L1", "X9"].entries()) {
        yield* pallets.record(
          aPalletEvent({
            business,
            eventId: `${id}-${lpn}`,
            shipmentId: Number(id),
            dockSlug: "B1",
            direction: "UNLOADING",
            occurredAt: hours(-0.5 + n / 10),
            labels: labelsOf(["lpn", lpn])
          }),
          client
        )
      }
      const { docks } = yield* board
      const [row] = docks.flatMap(({ shipments }) => shipments)
      assert.deepStrictEqual(
        [
          row?.dockSlug,
          row?.progress,
          row?.lastPalletLpn,
          row?.lastSeenAt
        ],
        [
          "B1",
          { expectedPallets: 3, passedPallets: 2, missingPallets: 2, unexpectedPallets: 1 },
          "X9",
          hours(-0.4)
        ]
      )
    }))
  })

  test("what comes next is not hidden by what never came, and what left is counted", function*() {
    yield* at(noon)(Effect.gen(function*() {
      const { announce, arrive, board, client, shipments } = yield* aYard
      for (let n = 0; n < 6; n++) yield* announce(`NEVER-${n}`, [], hours(-100 - n))
      yield* announce("LATE", [], hours(-2))
      yield* announce("NEXT", [], hours(2))
      for (
        const [number, days, lpns] of [["YESTERDAY", -20, []], ["SHORT", -3, ["L1"]], [
          "WHOLE",
          -2,
          []
        ]] as const
      ) {
        const id = yield* announce(number, lpns)
        yield* arrive(id, "B1", hours(days - 1))
        yield* shipments.depart(id, { occurredAt: hours(days) }, client)
      }
      const { departed, departedToday, expected, late, moreExpected, shortToday } = yield* board
      assert.deepStrictEqual(numbers(expected), ["NEVER-2", "NEVER-1", "NEVER-0", "LATE", "NEXT"])
      assert.isTrue(moreExpected)
      assert.strictEqual(late, 4)
      assert.deepStrictEqual(numbers(departed), ["WHOLE", "SHORT"])
      assert.deepStrictEqual([departedToday, shortToday], [2, 1])
    }))
  })
}

/** Cases in which `AnswerMemory` grants or refuses the size of an answer with shipments and orders. */
export const rooms = (test: AddTest): void => {
  test("a large shipment is loaded if its answer has room, and refused otherwise", function*() {
    const business = yield* aBusiness
    const items = Array.from({ length: 500 }, (_, at) => anItem(`L${at}`, "S1"))
    const { shipment } = outcomeOf(yield* write(aDocument({ business }, orderOf("O1", "APPEND", items))))
    const store = yield* ShipmentStore
    const scopes = [{ business, facilities: "*" as const }]
    for (
      const read of [
        Effect.asVoid(store.find(Number(shipment.id), scopes)),
        Effect.asVoid(listShipments(scopes)),
        Effect.asVoid(listOrders(scopes))
      ]
    ) {
      const enough = anAnswerMemory(Number.MAX_SAFE_INTEGER)
      yield* enough.within(read)
      // An item has some 300 characters in JSON.
      assert.isTrue(
        enough.memory.asked >= 150_000 && enough.memory.asked <= 300_000,
        String(enough.memory.asked)
      )
      const failure = yield* Effect.flip(anAnswerMemory(enough.memory.asked - 1).within(read))
      assert.strictEqual(failure._tag, "Overloaded")
    }
  })
}

/**
 * Two businesses, `one` and `two`, with their shipments in the order of their creation. One's east: S1 (O1, O2) and
 * S2 (O3), which has arrived; its west: S1 (O1). Two's east: S3 (O1).
 */
const aWorld = Effect.gen(function*() {
  const movement = yield* MovementStore
  const [one, two] = [yield* aBusiness, yield* aBusiness]
  const nameOf = (business: string) => ({ slug: business, name: `Business ${business}` })
  const documents = [
    aDocument(
      { business: one, dockSlug: "D2" },
      orderOf("O1", "APPEND", [anItem("L1", "S1")]),
      orderOf("O2")
    ),
    aDocument({ business: one, shipmentNumber: "S2" }, orderOf("O3")),
    aDocument({ business: one, facility: "west" }, orderOf("O1")),
    aDocument({ business: two, shipmentNumber: "S3" }, orderOf("O1"))
  ]
  const shipments: Array<LocatedShipment> = []
  for (const document of documents) {
    const { shipment } = outcomeOf(yield* write(document))
    shipments.push({
      location: {
        business: nameOf(document.business),
        facility: document.facility === "east" ? east : { slug: "west", name: "West" }
      },
      shipment: { ...shipment, id: Number(shipment.id) }
    })
  }
  const arrivedAt = Timestamp.of("2026-11-20T17:00:00.000Z")
  const arrived = assert.present(
    yield* movement.step(
      { shipmentId: assert.at(shipments, 1).shipment.id, dockSlug: "", withPallets: false },
      () => Result.succeed({ _tag: "Arrive", clientId: "mover", arrivedAt, dock: null, messages: [] })
    )
  )
  assert.deepStrictEqual([arrived.shipment.status, arrived.shipment.arrivedAt], ["ARRIVED", arrivedAt])
  return {
    one,
    two,
    all: [{ business: one, facilities: "*" }, { business: two, facilities: "*" }] as ReadonlyArray<ReadScope>,
    shipments: [assert.at(shipments, 0), arrived, assert.at(shipments, 2), assert.at(shipments, 3)]
  }
})

/** Sorts shipments by id. Ids of different businesses need not be in the order of creation. */
const inIdOrder = (shipments: ReadonlyArray<LocatedShipment>) =>
  shipments.toSorted((left, right) => left.shipment.id - right.shipment.id)

/** The orders of shipments, each with its shipment and its place. */
const ordersOf = (shipments: ReadonlyArray<LocatedShipment>) =>
  shipments.flatMap(({ location, shipment }) =>
    shipment.orders.map((order) => ({
      location,
      shipmentId: shipment.id,
      shipmentNumber: shipment.number,
      order
    }))
  )

const finding = (test: AddTest): void => {
  test("a shipment is found by its id, wherever it belongs, as it was answered", function*() {
    const { shipments } = yield* aWorld
    const store = yield* ShipmentStore
    for (const expected of shipments) {
      assert.deepStrictEqual(yield* store.find(expected.shipment.id, []), expected)
    }
    const unknown = [0, -1, 2 ** 52, Number.MAX_SAFE_INTEGER]
    assert.deepStrictEqual(yield* Effect.forEach(unknown, (id) => store.find(id, [])), [
      null,
      null,
      null,
      null
    ])
  })
}

const scopes = (test: AddTest): void => {
  test("what is listed, in id order, lies within one of the scopes", function*() {
    const { one, two, all, shipments } = yield* aWorld
    const cases: ReadonlyArray<readonly [ReadonlyArray<ReadScope>, ReadonlyArray<number>]> = [
      [all, [0, 1, 2, 3]],
      [[], []],
      [[{ business: one, facilities: "*" }], [0, 1, 2]],
      [[{ business: one, facilities: ["west"] }], [2]],
      [[{ business: one, facilities: ["west", "east"] }], [0, 1, 2]],
      [[{ business: one, facilities: [] }], []],
      [[{ business: two, facilities: ["west"] }], []],
      [[{ business: unique("nobody"), facilities: "*" }], []],
      [[{ business: one, facilities: ["east"] }, { business: one, facilities: "*" }], [0, 1, 2]],
      [[{ business: one, facilities: ["west"] }, { business: two, facilities: "*" }], [2, 3]]
    ]
    for (const [scopes, expected] of cases) {
      const matches = inIdOrder(expected.map((index) => assert.present(shipments[index])))
      const text = JSON.stringify(scopes)
      assert.deepStrictEqual(yield* listShipments(scopes), { items: matches, next: null }, text)
      assert.deepStrictEqual(yield* listOrders(scopes), {
        items: ordersOf(matches).toSorted((left, right) => Number(left.order.id) - Number(right.order.id)),
        next: null
      }, text)
    }
  })

  test("a scope of every business is just that", function*() {
    const { one, two, shipments } = yield* aWorld
    const idsFor = Effect.fnUntraced(function*(business: string, facilities: ReadScope["facilities"]) {
      const { items } = yield* listShipments([{ business: "*", facilities }], { business })
      return items.map(({ shipment }) => shipment.id)
    })
    const ids = shipments.map(({ shipment }) => shipment.id)
    assert.deepStrictEqual(
      [yield* idsFor(one, "*"), yield* idsFor(two, "*"), yield* idsFor(one, ["west"])],
      [ids.slice(0, 3), ids.slice(3), [ids[2]]]
    )
  })

  test("a filter cannot widen the scope", function*() {
    const { one, two } = yield* aWorld
    const west: ReadonlyArray<ReadScope> = [{ business: one, facilities: ["west"] }]
    assert.deepStrictEqual((yield* listShipments(west, { facility: "east" })).items, [])
    assert.deepStrictEqual((yield* listShipments(west, { business: two })).items, [])
    assert.deepStrictEqual((yield* listOrders(west, { facility: "east" })).items, [])
    assert.deepStrictEqual((yield* listOrders(west, { business: two, orderNumber: "O1" })).items, [])
  })
}

const filters = (test: AddTest): void => {
  test("shipments are filtered by business, facility, number and status, each exactly", function*() {
    const { one, two, all, shipments } = yield* aWorld
    const cases: ReadonlyArray<readonly [Partial<ShipmentFilter>, ReadonlyArray<number>]> = [
      [{ business: two }, [3]],
      [{ facility: "east" }, [0, 1, 3]],
      [{ business: two, facility: "west" }, []],
      [{ business: one, facility: "west" }, [2]],
      [{ facility: "East" }, []],
      [{ shipmentNumber: "S1" }, [0, 2]],
      [{ shipmentNumber: "S1", facility: "west" }, [2]],
      [{ shipmentNumber: "s1" }, []],
      [{ shipmentNumber: "" }, []],
      [{ shipmentNumber: "S_" }, []],
      [{ status: "ARRIVED" }, [1]],
      [{ status: "SCHEDULED", business: one }, [0, 2]],
      [{ status: "DEPARTED" }, []]
    ]
    for (const [filter, expected] of cases) {
      const { items } = yield* listShipments(all, filter)
      const matches = inIdOrder(expected.map((index) => assert.present(shipments[index])))
      assert.deepStrictEqual(items, matches, JSON.stringify(filter))
    }
  })

  test("shipments with an item of an lpn are listed once, in id order, open or not", function*() {
    const movement = yield* MovementStore
    const [business, other] = [yield* aBusiness, yield* aBusiness]
    const make = Effect.fnUntraced(
      function*(number: string, lpns: ReadonlyArray<string>, facility = "east") {
        const items = lpns.map((lpn, at) => anItem(lpn, `S${at}`))
        const document = aDocument(
          { business, facility, shipmentNumber: number },
          orderOf(`O-${number}`, "OVERWRITE", items)
        )
        return Number(outcomeOf(yield* write(document)).shipment.id)
      }
    )
    const a = yield* make("A", ["L1", "L2", "L1"])
    const b = yield* make("B", ["L1"])
    const c = yield* make("C", ["L1"], "west")
    const d = yield* make("D", ["L1", "L1"])
    const e = yield* make("E", ["L11", ""])
    const cancelledAt = Timestamp.of("2026-11-20T17:00:00.000Z")
    for (const shipmentId of [b, a]) {
      yield* movement.step(
        { shipmentId, dockSlug: "", withPallets: false },
        () => Result.succeed({ _tag: "Cancel", clientId: "mover", cancelledAt, messages: [] })
      )
    }
    const all: ReadonlyArray<ReadScope> = [{ business, facilities: "*" }, {
      business: other,
      facilities: "*"
    }]
    const cases: ReadonlyArray<readonly [Partial<ShipmentFilter>, ReadonlyArray<number>]> = [
      [{ lpn: "L1" }, [a, b, c, d]],
      [{ lpn: "L1", facility: "east" }, [a, b, d]],
      [{ lpn: "L1", business, facility: "west" }, [c]],
      [{ lpn: "L1", business: other }, []],
      [{ lpn: "L2" }, [a]],
      [{ lpn: "L11" }, [e]],
      [{ lpn: "l1" }, []]
    ]
    for (const [filter, expected] of cases) {
      for (const limit of [1, 2, 3, 100]) {
        const pages = yield* pagesOf(
          ({ after }) => listShipments(all, filter, { limit, after: Number(after) }),
          limit
        )
        assert.isTrue(pages.every(({ length }) => length <= limit))
        const ids = pages.flat().map(({ shipment }) => shipment.id)
        assert.deepStrictEqual(ids, expected, JSON.stringify({ ...filter, limit }))
      }
    }
  })

  test("orders are filtered by business, facility and number, each exactly", function*() {
    const { two, all, shipments } = yield* aWorld
    const orders = ordersOf(shipments)
    const cases: ReadonlyArray<readonly [Partial<OrderFilter>, ReadonlyArray<number>]> = [
      [{ orderNumber: "O1" }, [0, 3, 4]],
      [{ orderNumber: "O1", facility: "west" }, [3]],
      [{ orderNumber: "o1" }, []],
      [{ orderNumber: "" }, []],
      [{ business: two }, [4]],
      [{ facility: "east" }, [0, 1, 2, 4]]
    ]
    for (const [filter, expected] of cases) {
      const { items } = yield* listOrders(all, filter)
      const matches = expected.map((index) => assert.present(orders[index]))
        .toSorted((left, right) => Number(left.order.id) - Number(right.order.id))
      assert.deepStrictEqual(items, matches, JSON.stringify(filter))
    }
  })

  test("orders stand in id order, also where a later shipment holds an earlier order", function*() {
    const business = yield* aBusiness
    yield* write(aDocument({ business }, orderOf("O1"), orderOf("O2")))
    yield* write(aDocument({ business, shipmentNumber: "S2" }, orderOf("O3"), orderOf("O1")))
    const { items } = yield* listOrders([{ business, facilities: "*" }])
    assert.deepStrictEqual(items.map(({ order, shipmentNumber }) => [order.number, shipmentNumber]), [
      ["O1", "S2"],
      ["O2", "S1"],
      ["O3", "S2"]
    ])
  })
}

/** The suite of `ShipmentStore`, with the ports that it needs. */
export const shipmentStoreSuite: Suite.Suite<ReadingStores> = Suite.ofParts("reading shipments and orders", {
  "D5.1 by id": finding,
  "D12.3 the room of answers": rooms,
  "D5.1 scopes": scopes,
  "D5.1 filters": filters,
  "D5.1 pages": pages,
  "D13.10 times": times,
  "D13.12 items": items,
  "D13.11 search": searching,
  "D13.15 the board of docks": boarding
})
