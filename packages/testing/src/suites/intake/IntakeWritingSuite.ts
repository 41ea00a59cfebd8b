/** The rules for the writes of every storage of intake: it writes exactly the plan, with ids that are never used again. */
import { noIds } from "@dockline/core/document/Plan"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import {
  ascending,
  aWorld,
  everyItemField,
  everyOrderField,
  idsIn,
  itemsOf,
  look,
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
    // In no other order either, and so many that a new storage uses ids of different lengths.
    const lpns = Array.from({ length: 30 }, (_, n) => `L${(n * 7) % 30}`)
    yield* submit({ shipmentNumber: "S0" }, orderOf("O5", "APPEND", itemsOf("first")))
    for (const n of [3, 1, 2]) {
      for (const lpn of lpns.slice(n * 7, n * 7 + 7)) {
        yield* submit({}, orderOf(`O${n}`, "APPEND", [anItem(lpn, "S1")]))
      }
    }
    // Changed items in another order keep their places.
    yield* submit(
      {},
      orderOf("O2", "MERGE", itemsOf(...lpns.slice(15, 18).toReversed()), { supplier: "new" })
    )
    yield* submit({}, orderOf("O3", "DELETE", itemsOf(assert.at(lpns, 22))))
    // Moved here later than younger ones.
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
    // Enough for a new storage: ids of four digits reach the next length too late.
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
