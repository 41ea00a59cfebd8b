/**
 * The rules for the writes of every storage of intake: it writes exactly the plan, completely or not at all, and never reuses an id (D2.1,
 * D5.3).
 */
import type { DocumentOrder } from "@dockline/core/document/Document"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { noIds } from "@dockline/core/document/Plan"
import type { Plan, Snapshot } from "@dockline/core/document/Plan"
import type { Shipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Cause, Deferred, Effect, Exit, Fiber, Result } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import {
  ascending,
  aWorld,
  deciding,
  everyItemField,
  everyOrderField,
  idsIn,
  itemsOf,
  look,
  outcomeOf,
  write
} from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"
import { at } from "../../worlds/MessageLogWorld.ts"

/** Ids are assigned in document order, grow, and always mean the same entity. */
export const ids = (test: AddTest): void => {
  test("what a plan creates gets its ids in document order, and is found by them", function*() {
    const { document, shipments } = yield* aWorld
    yield* write(document({}, orderOf("O2", "APPEND", itemsOf("L0"))))
    const { ids, plan } = yield* write(document(
      {},
      orderOf("O3", "APPEND", itemsOf("L3", "L1")),
      orderOf("O2", "APPEND", itemsOf("L2")),
      orderOf("O1", "APPEND", itemsOf("L5", "L4"))
    ))
    assert.strictEqual(plan.shipment._tag, "Update")
    assert.strictEqual(ids.shipment, "")
    const [shipment] = yield* shipments
    const orderIds = new Map(assert.present(shipment).orders.map(({ id, number }) => [number, id]))
    assert.deepStrictEqual(ids.orders, [orderIds.get("O3"), orderIds.get("O1")])
    const itemIds = new Map(
      assert.present(shipment).orders.flatMap(({ items }) => items).map(({ id, lpn }) => [lpn, id])
    )
    assert.deepStrictEqual(ids.items, ["L3", "L1", "L2", "L5", "L4"].map((lpn) => itemIds.get(lpn)))
    const { ids: other } = yield* write(document({ shipmentNumber: "S2" }, orderOf("O9")))
    assert.deepStrictEqual((yield* shipments).map(({ id }) => id), [
      assert.present(shipment).id,
      Number(other.shipment)
    ])
  })

  test("orders and items stand in id order, which is the order of their creation", function*() {
    const { submit, shipments } = yield* aWorld
    // The LPNs are not sorted, and are so many that their ids in a new storage have different lengths.
    const lpns = Array.from({ length: 30 }, (_, n) => `L${(n * 7) % 30}`)
    yield* submit({ shipmentNumber: "S0" }, orderOf("O5", "APPEND", itemsOf("first")))
    for (const n of [3, 1, 2]) {
      for (const lpn of lpns.slice(n * 7, n * 7 + 7)) {
        yield* submit({}, orderOf(`O${n}`, "APPEND", [anItem(lpn, "S1")]))
      }
    }
    // Items that a document lists in another order keep their positions.
    yield* submit(
      {},
      orderOf("O2", "MERGE", itemsOf(...lpns.slice(15, 18).toReversed()), { supplier: "new" })
    )
    yield* submit({}, orderOf("O3", "DELETE", itemsOf(assert.at(lpns, 22))))
    // The oldest order moves to this shipment last.
    yield* submit({}, orderOf("O5", "MERGE", itemsOf("second", "first")))
    const [, shipment] = yield* shipments
    assert.deepStrictEqual(
      assert.present(shipment).orders.map(({ number, items }) => [number, items.map(({ lpn }) => lpn)]),
      [
        ["O5", ["first", "second"]],
        ["O3", lpns.slice(21, 28).filter((_, index) => index !== 1)],
        ["O1", lpns.slice(7, 14)],
        ["O2", lpns.slice(14, 21)]
      ]
    )
    const { orders, items } = idsIn([assert.present(shipment)])
    assert.deepStrictEqual(orders, ascending(orders))
    for (const order of assert.present(shipment).orders) {
      const own = order.items.map(({ id }) => Number(id))
      assert.deepStrictEqual(own, ascending(own))
    }
    assert.strictEqual(new Set(items).size, items.length)
  })

  test("orders and items stand in id order also where their ids gain a digit", function*() {
    const { submit, shipments } = yield* aWorld
    const count = 200
    // Enough for a new storage. Where ids have four digits or more already, they may not gain another digit.
    for (let total = 0, digits = new Set<number>(); total < 1000 && digits.size < 2; total += count) {
      const numbers = Array.from({ length: count / 10 }, (_, n) => `O${total}-${n}`)
      yield* submit(
        {},
        ...numbers.map((number) =>
          orderOf(number, "APPEND", itemsOf(...Array.from({ length: 9 }, (_, n) => `${number}-${9 - n}`)))
        )
      )
      const { items } = idsIn(yield* shipments)
      digits = new Set(items.map((id) => String(id).length))
    }
    const [shipment] = yield* shipments
    const { orders } = idsIn([assert.present(shipment)])
    assert.deepStrictEqual(orders, ascending(orders))
    for (const order of assert.present(shipment).orders) {
      assert.deepStrictEqual(
        order.items.map(({ lpn }) => lpn),
        Array.from({ length: 9 }, (_, n) => `${order.number}-${9 - n}`)
      )
    }
  })

  test("ids are never used again, though what had them is gone", function*() {
    const { submit, shipments } = yield* aWorld
    const usedIds: Array<number> = []
    const newIds = Effect.fnUntraced(function*(strategy: string, ...lpns: ReadonlyArray<string>) {
      const { created } = yield* submit({}, orderOf("O1", strategy, itemsOf(...lpns)))
      return created.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => Number(id))
    })
    const use = (ids: ReadonlyArray<number>) => {
      for (const id of ids) assert.isAbove(id, usedIds.at(-1) ?? 0)
      usedIds.push(...ascending(ids))
    }
    use(yield* newIds("APPEND", "L1", "L2", "L3"))
    yield* newIds("DELETE", "L3", "L2", "L1")
    use(yield* newIds("APPEND", "L3", "L4"))
    // OVERWRITE creates every item anew, including those that existed before.
    use(yield* newIds("OVERWRITE", "L4", "L3"))
    yield* newIds("DELETE", "L4")
    use(yield* newIds("MERGE", "L4"))
    assert.strictEqual(usedIds.length, 8)
    const [shipment] = yield* shipments
    assert.deepStrictEqual(idsIn([assert.present(shipment)]).items, [usedIds[6], usedIds[7]])
  })
}

/** A plan is applied unchanged, and nothing else is written. */
export const applying = (test: AddTest): void => {
  test("what a plan changes is changed, and what it does not name stays", function*() {
    const { submit, shipments } = yield* aWorld
    const before = {
      trailerNumber: "T1",
      carrier: "C1",
      dockSlug: "D1",
      additionalFields: [{ name: "b", value: "1" }, { name: "a", value: "1" }]
    }
    yield* submit(
      before,
      orderOf("O1", "APPEND", [everyItemField("1"), everyItemField("2"), everyItemField("3")]),
      orderOf("O2", "APPEND", [everyItemField("4")], everyOrderField("O2"))
    )
    yield* submit({ ...before, shipmentNumber: "S2" }, orderOf("O3", "APPEND", itemsOf("L1")))
    const [first, second] = yield* shipments
    const { shipment } = yield* submit(
      {
        carrier: "C2",
        dockSlug: "D2",
        expectedArrivalAt: Timestamp.of("2030-01-01T00:00:00.000Z"),
        additionalFields: [{ name: "a", value: "2" }, { name: "0", value: "2" }]
      },
      orderOf(
        "O1",
        "MERGE",
        [
          { ...anItem("lpn 2", "sku 2"), caseSerials: [{ id: "z", quantity: 1 }], lot: "changed" },
          anItem("L9", "S9")
        ],
        { supplier: "changed" }
      )
    )
    const after = yield* shipments
    assert.deepStrictEqual(after, [{ ...shipment, id: assert.present(first).id }, assert.present(second)])
    const order = assert.at(assert.at(after, 0).orders, 0)
    assert.deepStrictEqual(after[0], {
      ...assert.present(first),
      version: assert.present(first).version + 1,
      carrier: "C2",
      dock: { id: assert.present(assert.at(after, 0).dock).id, slug: "D2" },
      expectedArrivalAt: "2030-01-01T00:00:00.000Z",
      additionalFields: [{ name: "b", value: "1" }, { name: "a", value: "2" }, { name: "0", value: "2" }],
      orders: [
        {
          ...assert.at(assert.present(first).orders, 0),
          supplier: "changed",
          items: [
            assert.at(assert.at(assert.present(first).orders, 0).items, 0),
            {
              ...assert.at(assert.at(assert.present(first).orders, 0).items, 1),
              quantity: 5,
              caseSerials: [{ id: "z", quantity: 1 }],
              lot: "changed"
            },
            assert.at(assert.at(assert.present(first).orders, 0).items, 2),
            { ...anItem("L9", "S9"), id: assert.at(order.items, 3).id }
          ]
        },
        assert.at(assert.present(first).orders, 1)
      ]
    })
    yield* submit({}, orderOf("O1", "DELETE", itemsOf("lpn 3").map((item) => ({ ...item, sku: "sku 3" }))))
    const [third] = yield* shipments
    assert.deepStrictEqual(assert.present(third).orders[0], {
      ...order,
      items: order.items.filter(({ lpn }) => lpn !== "lpn 3")
    })
  })

  test("D3.3 a remapped order moves, as it is, and keeps its ids and the time of its creation", function*() {
    const { document, submit, shipments } = yield* aWorld
    const time = "2026-11-20T12:00:00.000Z"
    yield* at(Date.parse(time))(submit(
      {},
      orderOf("O1", "APPEND", [everyItemField("1"), everyItemField("2")], everyOrderField("1")),
      orderOf("O2", "APPEND", itemsOf("L2"))
    ))
    const [before] = yield* shipments
    yield* submit({ shipmentNumber: "S2" }, orderOf("O1", "MERGE", itemsOf("L3"), { supplier: "changed" }))
    const [source, target] = yield* shipments
    assert.deepStrictEqual(source, {
      ...assert.present(before),
      version: assert.present(before).version + 1,
      orders: [assert.at(assert.present(before).orders, 1)]
    })
    const items = assert.at(assert.present(target).orders, 0).items
    const expected = {
      ...assert.at(assert.present(before).orders, 0),
      supplier: "changed",
      items: [...assert.at(assert.present(before).orders, 0).items, ...items.slice(2)]
    }
    assert.deepStrictEqual(assert.present(target).orders, [expected])
    assert.deepStrictEqual(items.slice(2).map(({ lpn }) => lpn), ["L3"])
    const { candidates } = yield* look(document({}, orderOf("O1")))
    assert.deepStrictEqual(candidates, [{
      order: expected,
      createdAt: time,
      shipmentId: assert.present(target).id,
      shipmentStatus: "SCHEDULED",
      shipmentIsLinked: false
    }])
  })

  test("a document that changes nothing changes nothing, and gives no ids", function*() {
    const { document, shipments } = yield* aWorld
    const draft = document(
      { carrier: "C", dockSlug: "D1" },
      orderOf("O1", "MERGE", itemsOf("L1", "L2"), { supplier: "S" })
    )
    yield* write(draft)
    const before = yield* shipments
    const { ids, plan } = yield* write(draft)
    assert.deepStrictEqual(ids, noIds(plan))
    assert.deepStrictEqual(yield* shipments, before)
  })
}

/** A decision that refuses, or breaks, has no effect. */
const refusals = (test: AddTest): void => {
  test("D2.1 a refusal comes out as it is, and leaves nothing", function*() {
    const { document, submit, shipments } = yield* aWorld
    const store = yield* IntakeStore
    yield* submit({}, orderOf("O1", "APPEND", itemsOf("L1")))
    const before = yield* shipments
    const refusal = { _tag: "Refusal", reason: ["of", "one's", "own"] } as const
    for (const dryRun of [false, true]) {
      const failure = yield* Effect.flip(
        store.transact(
          document({ shipmentNumber: "S2", trailerNumber: "T" }, orderOf("O1", "APPEND", itemsOf("L2"))),
          () => Result.fail(refusal),
          { dryRun }
        )
      )
      assert.strictEqual(failure, refusal)
    }
    // The first order of the document could be written, but not the second one.
    const conflicting = document(
      { trailerNumber: "T" },
      orderOf("O2", "APPEND", itemsOf("L2")),
      orderOf("O1", "APPEND", itemsOf("L1"))
    )
    const failure = yield* Effect.flip(write(conflicting))
    assert.strictEqual(failure._tag, "DuplicateOrderItemKey")
    assert.deepStrictEqual(yield* shipments, before)
  })

  test("a decision or a plan that breaks leaves nothing, and frees what it held", function*() {
    const { document, submit, shipments } = yield* aWorld
    const store = yield* IntakeStore
    yield* submit({}, orderOf("O1", "APPEND", itemsOf("L1")))
    yield* submit({ shipmentNumber: "S2" }, orderOf("O3", "APPEND", itemsOf("L3")))
    const before = yield* shipments
    const draft = document(
      { trailerNumber: "T" },
      orderOf("O3", "OVERWRITE", itemsOf("L2")),
      orderOf("O1", "MERGE", itemsOf("L4"), { supplier: "S" })
    )
    const failure = new Error("broken")
    const breaks: ReadonlyArray<(snapshot: Snapshot) => Result.Result<Plan, unknown>> = [
      () => {
        throw failure
      },
      (snapshot) => Result.map(deciding(draft)(snapshot), (plan) => breakingAtTheEnd(plan, failure))
    ]
    for (const decide of breaks) {
      const exit = yield* Effect.exit(store.transact(draft, decide, { dryRun: false }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(yield* shipments, before)
    }
    const { shipment } = yield* Effect.map(write(draft), outcomeOf)
    assert.deepStrictEqual(contentsOf(shipment), [["O1", ["L1", "L4"]], ["O3", ["L2"]]])
  })
}

/** A plan whose last order cannot be read. */
const breakingAtTheEnd = (plan: Plan, error: Error): Plan => {
  const last = assert.at(plan.orders, -1)
  const unreadable = {
    ...last,
    get items(): typeof last.items {
      throw error
    }
  }
  return { ...plan, orders: [...plan.orders.slice(0, -1), unreadable] }
}

/** Documents whose writes are interrupted. */
const interruptions = (test: AddTest): void => {
  const moments = [
    ...Array.from({ length: 12 }, (_, n) => Effect.yieldNow.pipe(Effect.repeat({ times: n }))),
    ...Array.from({ length: 8 }, (_, n) => Effect.sleep(n))
  ]

  test("D2.1 a document that is interrupted at any moment is written whole or not at all", function*() {
    const { document, submit, shipments } = yield* aWorld
    const orders = moments.map((_, n) => orderOf(`M${n}`, "APPEND", itemsOf(`L${n}`)))
    yield* submit({ shipmentNumber: "from" }, ...orders)
    const [from] = yield* shipments
    for (const [n, moment] of moments.entries()) {
      const draft = document(
        { shipmentNumber: `S${n}`, trailerNumber: "T" },
        orderOf(`N${n}`, "OVERWRITE", itemsOf("A", "B")),
        orderOf(`M${n}`, "MERGE", itemsOf("C", "D"))
      )
      const writing = yield* Effect.forkChild(write(draft), { startImmediately: true })
      yield* moment
      yield* Fiber.interrupt(writing)
      const orders = [[`M${n}`, [`L${n}`, "C", "D"]], [`N${n}`, ["A", "B"]]]
      const all = yield* shipments
      const order = assert.at(all, 0).orders.find(({ number }) => number === `M${n}`)
      const shipment = all.find(({ number }) => number === `S${n}`)
      if (shipment === undefined) {
        assert.deepStrictEqual(order, assert.present(from).orders[n])
      } else {
        assert.deepStrictEqual([order, shipment.trailerNumber, contentsOf(shipment)], [
          undefined,
          "T",
          orders
        ])
      }
      // The interruption has released the document's numbers, and repeating the document gives the same shipment.
      const { shipment: repeated } = yield* Effect.map(write(draft), outcomeOf)
      assert.deepStrictEqual(contentsOf(repeated), orders)
    }
  })
}

const contentsOf = ({ orders }: Pick<Shipment, "orders">) =>
  orders.map(({ number, items }) => [number, items.map(({ lpn }) => lpn)])

/** Reads while documents are written. */
const readers = (test: AddTest): void => {
  test("D2.1 whoever reads meanwhile sees a document whole or not at all", function*() {
    const { business, submit } = yield* aWorld
    const store = yield* ShipmentStore
    const versions = Array.from({ length: 25 }, (_, n) => String(n + 1))
    const ordersOf = (lot: string): ReadonlyArray<DocumentOrder> =>
      ["O1", "O2"].map((number, index) =>
        orderOf(
          number,
          index === 0 ? "OVERWRITE" : "MERGE",
          [anItem(`L${index}`, "S", { lot }), anItem(`M${index}`, "S", { lot })],
          { supplier: lot }
        )
      )
    const { shipment } = yield* submit({ trailerNumber: "0" }, ...ordersOf("0"))
    const ended = yield* Deferred.make<void>()
    const values = new Set<string>()
    const see = ({ trailerNumber, orders }: Shipment) => {
      const texts = orders.flatMap(({ supplier, items }) => [supplier, ...items.map(({ lot }) => lot)])
      assert.deepStrictEqual(texts, Array.from({ length: 6 }, () => trailerNumber))
      values.add(trailerNumber)
    }
    const reading = Effect.gen(function*() {
      while (!(yield* Deferred.isDone(ended))) {
        see(assert.present(yield* store.find(Number(shipment.id), [])).shipment)
        const { items } = yield* store.listShipments(
          [{ business, facilities: "*" }],
          { business, facility: undefined, shipmentNumber: "S1", status: undefined },
          { limit: 1, after: 0 }
        )
        see(assert.at(items, 0).shipment)
        yield* Effect.yieldNow
      }
    })
    const writing = Effect.forEach(
      versions,
      (version) => Effect.andThen(submit({ trailerNumber: version }, ...ordersOf(version)), Effect.yieldNow)
    ).pipe(Effect.ensuring(Deferred.succeed(ended, undefined)))
    yield* Effect.all([writing, reading, reading], { concurrency: "unbounded", discard: true })
    see(assert.present(yield* store.find(Number(shipment.id), [])).shipment)
    assert.isTrue(values.has("25"))
  })
}

/** Documents in dry runs. */
const dryRuns = (test: AddTest): void => {
  test("D5.3 a dry run sees and plans what the real run does, gives no ids and leaves nothing", function*() {
    const { document, submit, shipments } = yield* aWorld
    yield* submit(
      { carrier: "C" },
      orderOf("O1", "APPEND", itemsOf("L1", "L2")),
      orderOf("O2", "APPEND", itemsOf("L3"))
    )
    const documents = [
      document({ shipmentNumber: "S2" }, orderOf("O3", "APPEND", itemsOf("L1"))),
      document({ shipmentNumber: "S2" }, orderOf("O2", "MERGE", itemsOf("L4"))),
      document(
        { carrier: "D", dockSlug: "D1", additionalFields: [{ name: "n", value: "v" }] },
        orderOf("O1", "OVERWRITE", itemsOf("L1"))
      ),
      document({}, orderOf("O1", "DELETE", itemsOf("L1")))
    ]
    for (const draft of documents) {
      const before = yield* shipments
      const dry = yield* write(draft, true)
      assert.deepStrictEqual(yield* shipments, before)
      assert.deepStrictEqual(dry.ids, noIds(dry.plan))
      const real = yield* write(draft)
      assert.notStrictEqual(JSON.stringify(yield* shipments), JSON.stringify(before))
      assert.deepStrictEqual(timeless(real.snapshot), timeless(dry.snapshot))
      assert.deepStrictEqual(references(real), references(dry))
    }
  })
}

const timeless = (snapshot: Snapshot) => ({ ...snapshot, now: "" })

const references = (result: Parameters<typeof outcomeOf>[0]) => {
  const { created, updated, removed } = outcomeOf(result)
  return [created, updated, removed].map((list) => list.map(({ type, reference }) => `${type} ${reference}`))
}

/** The cases of refusals, interruptions, concurrent reads and dry runs. */
export const allOrNothing = (test: AddTest): void =>
  [refusals, interruptions, readers, dryRuns].forEach((write) => write(test))
