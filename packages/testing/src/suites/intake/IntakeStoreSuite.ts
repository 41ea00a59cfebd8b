/**
 * What holds for the storage of intake whatever it is: what a decision is told, that a plan is applied as it stands,
 * whole or not at all, and that documents at once behave as if they came one after another (D2.1, D3, D5.3).
 */
import { IntakeStore } from "@dockline/core/document/IntakeStore"
import type { Snapshot } from "@dockline/core/document/Plan"
import { progressOf } from "@dockline/core/shipment/Discrepancies"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import {
  ascending,
  aWorld,
  deciding as decisionOf,
  idsIn,
  itemsOf,
  outcomeOf,
  write
} from "../../worlds/IntakeWorld.ts"
import type { AddTest, IntakeStores } from "../../worlds/IntakeWorld.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { allOrNothing } from "./IntakeAtomicitySuite.ts"
import { fields } from "./IntakeFieldsSuite.ts"
import { candidates, snapshots } from "./IntakeSnapshotSuite.ts"
import { applying, ids } from "./IntakeWritingSuite.ts"

/*
 * That the storage of intake keeps the answer of a document with the document (D5.2).
 */

const aDocument = Effect.gen(function*() {
  const { document, shipments } = yield* aWorld
  const store = yield* IntakeStore
  let number = 0
  const keptCall: KeptCall<IntakeStores> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const draft = document({ shipmentNumber: `S${++number}` })
        const decide = (snapshot: Snapshot) => deciding(() => decisionOf(draft)(snapshot))
        return store.transact(draft, decide, { dryRun: false, keep })
      }),
    writeCount: Effect.map(shipments, ({ length }) => length)
  }
  return keptCall
})

/** Cases of kept answers of documents. */
export const keeping = (test: AddTest): void => keepsAnswers(test, "the answer of a document", aDocument)

/*
 * What the storage of intake makes of items without an lpn, whatever it is (D17.2).
 */

/** Goods without an lpn. */
const goods = (identifier: string, sku: string, quantity = 1) => anItem("", sku, { identifier, quantity })

/** Goods are known by identifier and sku within their order, and are no pallets. */
const looseItems = (test: AddTest): void => {
  test("D17.2 identifier and sku identify items without an lpn within their order", function*() {
    const { shipments, submit } = yield* aWorld
    const long = "9".repeat(1024)
    const there = [
      goods("I1", "S1"),
      goods("I2", "S1"),
      goods("", "I1S1"),
      goods(long, long),
      anItem("I1", "S1")
    ]
    yield* submit({}, orderOf("O1", "APPEND", there), orderOf("O2", "APPEND", there.slice(0, 4)))
    const [before] = yield* shipments
    const { updated } = yield* submit(
      {},
      orderOf("O1", "MERGE", [goods("I1", "S1", 7), goods(long, long, 8), goods("I3", "S1", 9)]),
      orderOf("O2", "DELETE", [goods("I2", "S1"), goods("", "I1S1")])
    )
    const [first, second] = before!.orders.map(({ items }) => items)
    assert.deepStrictEqual(
      updated.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => id),
      [first![0]!.id, first![3]!.id]
    )
    const [after] = yield* shipments
    const items = after!.orders.map(({ items }) => items)
    assert.deepStrictEqual(items, [
      [
        { ...first![0]!, quantity: 7 },
        first![1]!,
        first![2]!,
        { ...first![3]!, quantity: 8 },
        first![4]!,
        { ...goods("I3", "S1", 9), id: items[0]![5]!.id }
      ],
      [second![0]!, second![3]!]
    ])
  })

  test("D17.2 items without an lpn are no pallets that are expected, and move with their order", function*() {
    const { shipments, submit } = yield* aWorld
    yield* submit(
      {},
      orderOf("O1", "APPEND", [goods("I1", "S1"), ...itemsOf("L1")]),
      orderOf("O2", "APPEND", [goods("I1", "S1"), goods("I2", "S1")])
    )
    yield* submit({ shipmentNumber: "S2" }, orderOf("O2", "APPEND", [goods("I3", "S1")]))
    const all = yield* shipments
    assert.deepStrictEqual(
      all.map((shipment) => [
        progressOf(shipment).expectedPallets,
        progressOf(shipment).missingPallets,
        shipment.orders.flatMap(({ items }) => items.map(({ identifier, lpn }) => lpn || identifier))
      ]),
      [[1, 1, ["I1", "L1"]], [0, 0, ["I1", "I2", "I3"]]]
    )
  })
}

/*
 * That documents which come at once leave what they would leave one after another, whatever they are stored in (D3).
 */

const atOnce = { concurrency: "unbounded" } as const

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const strategies = ["APPEND", "MERGE", "DELETE", "OVERWRITE"] as const

/** One order that everybody wants. */
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
    assert.deepStrictEqual([elsewhere!.orders, others], [[], []])
    assert.strictEqual(shipment!.additionalFields.length, 50)
    const { items } = idsIn([shipment!])
    assert.strictEqual(new Set(items).size, 101)
    assert.deepStrictEqual(items, ascending(items))
    assert.sameMembers(
      shipment!.orders.flatMap(({ items }) => items.map(({ lpn }) => lpn)),
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

/** Documents that meet each other's orders on several shipments. */
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

/** All of them. */
export const races = (test: AddTest): void => [oneOrder, severalShipments].forEach((write) => write(test))

/** The suite of `IntakeStore`, with the ports that it goes together with. */
export const intakeStoreSuite: Suite.Suite<IntakeStores> = Suite.ofParts("the storage of intake", {
  snapshots,
  candidates,
  fields,
  ids,
  applying,
  "items without an lpn": looseItems,
  "all or nothing": allOrNothing,
  "answers kept": keeping,
  "all at once": races
})
