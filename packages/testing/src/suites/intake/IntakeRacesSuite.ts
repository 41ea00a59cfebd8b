/**
 * The rule that concurrent documents have the same result as one after another, for every storage (D3).
 */
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { orderOf } from "../../generators/Given.ts"
import { ascending, aWorld, idsIn, itemsOf, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"

const atOnce = { concurrency: "unbounded" } as const

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const strategies = ["APPEND", "MERGE", "DELETE", "OVERWRITE"] as const

/** Concurrent documents about one order. */
const oneOrder = (test: AddTest): void => {
  test("50 documents at once on one order lose nothing", function*() {
    const { document, submit, shipments } = yield* aWorld
    yield* submit({ shipmentNumber: "elsewhere" }, orderOf("O1", "APPEND", itemsOf("before")))
    const documents = times(50).map((n) =>
      document(
        { additionalFields: [{ name: `f${n}`, value: "1" }] },
        orderOf("O1", n % 2 === 0 ? "APPEND" : "MERGE", itemsOf(`L${n}`, `M${n}`))
      )
    )
    const done = yield* Effect.all(documents.map((each) => Effect.map(write(each), outcomeOf)), atOnce)
    const created = done.flatMap(({ created }) => created)
    assert.strictEqual(created.filter(({ type }) => type === "SHIPMENT").length, 1)
    assert.strictEqual(created.filter(({ type }) => type === "ORDER").length, 0)
    const [elsewhere, shipment, ...others] = yield* shipments
    assert.deepStrictEqual([assert.present(elsewhere).orders, others], [[], []])
    assert.strictEqual(assert.present(shipment).additionalFields.length, 50)
    const { items } = idsIn([assert.present(shipment)])
    assert.strictEqual(new Set(items).size, 101)
    assert.deepStrictEqual(items, ascending(items))
    assert.sameMembers(
      assert.present(shipment).orders.flatMap(({ items }) => items.map(({ lpn }) => lpn)),
      ["before", ...times(50).flatMap((n) => [`L${n}`, `M${n}`])]
    )
    assert.sameMembers(
      created.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => Number(id)),
      items.slice(1)
    )
  })

  for (const strategy of strategies) {
    test(`50 first documents at once, alike, leave one shipment and one order: ${strategy}`, function*() {
      const { document, shipments } = yield* aWorld
      const draft = document({}, orderOf("O1", strategy, itemsOf("L1", "L2")))
      const results = yield* Effect.all(times(50).map(() => Effect.result(write(draft))), atOnce)
      const creators = results.filter((each) =>
        Result.isSuccess(each) && each.success.plan.shipment._tag === "Create"
      )
      assert.strictEqual(creators.length, 1)
      assert.deepStrictEqual(
        results.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : [])),
        strategy === "APPEND" ? times(49).map(() => "DuplicateOrderItemKey") : []
      )
      assert.deepStrictEqual(
        (yield* shipments).map(({ orders }) => orders.map(({ items }) => items.map(({ lpn }) => lpn))),
        [[strategy === "DELETE" ? [] : ["L1", "L2"]]]
      )
    })
  }
}

/** Documents that name each other's orders on several shipments. */
const severalShipments = (test: AddTest): void => {
  test("documents at once that exchange orders neither deadlock nor lose or double one", function*() {
    const { document, shipments } = yield* aWorld
    const documents = times(60).map((n) =>
      document({ shipmentNumber: `S${n % 3}` }, orderOf(`O${n % 4}`), orderOf(`O${(n + 1) % 4}`))
    )
    yield* Effect.all(documents.map((each) => write(each)), atOnce)
    const all = yield* shipments
    assert.sameMembers(all.map(({ number }) => number), ["S0", "S1", "S2"])
    assert.sameMembers(all.flatMap(({ orders }) => orders.map(({ number }) => number)), [
      "O0",
      "O1",
      "O2",
      "O3"
    ])
  })

  test("documents at once of several facilities do not meet", function*() {
    const worlds = [yield* aWorld, yield* aWorld]
    const documents = worlds.flatMap(({ document }) =>
      ["east", "west"].map((facility) => document({ facility }, orderOf("O1", "APPEND", itemsOf("L1"))))
    )
    const done = yield* Effect.all(documents.map((each) => Effect.map(write(each), outcomeOf)), atOnce)
    assert.deepStrictEqual(done.map(({ created }) => created.length), [3, 3, 3, 3])
    assert.strictEqual(new Set(done.map(({ shipment }) => shipment.id)).size, 4)
    for (const { shipments } of worlds) {
      assert.deepStrictEqual(
        (yield* shipments).map(({ orders }) => orders.map(({ items }) => items.length)),
        [[1]]
      )
    }
  })
}

/** All cases. */
export const races = (test: AddTest): void => [oneOrder, severalShipments].forEach((write) => write(test))
