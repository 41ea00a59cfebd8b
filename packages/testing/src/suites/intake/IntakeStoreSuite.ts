/**
 * The rules for every storage of intake (D2.1, D3, D5.2, D5.3, D17.2). A storage loads the snapshot for a decision, and applies the plan
 * unchanged, and completely or not at all. It stores fields and items without an LPN unchanged, and answers together with their documents.
 * Concurrent documents behave as if they came one after another.
 */
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { Snapshot } from "@dockline/core/document/Plan"
import { progressOf } from "@dockline/core/shipment/Discrepancies"
import { emptyOrderFields } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, aShipment, orderOf, without } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import {
  ascending,
  aWorld,
  deciding as decisionOf,
  everyItemField,
  everyOrderField,
  idsIn,
  itemsOf,
  look,
  outcomeOf,
  write
} from "../../worlds/IntakeWorld.ts"
import type { AddTest, IntakeStores } from "../../worlds/IntakeWorld.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { at } from "../../worlds/MessageLogWorld.ts"
import { candidates, snapshots } from "./IntakeSnapshotSuite.ts"
import { allOrNothing, applying, ids } from "./IntakeWritingSuite.ts"

/** Texts that a storage may misinterpret. */
const hostileTexts = [
  "\u{1F4E6} \u{10FFFF} é e\u0301 \u202E",
  "\u0001\u001F\u007F\u2028\u2029\uFEFF\r\n\t\v",
  "\" ' ` \\ \\\\ \\n \\u0000 \\x00 %00",
  "$1 :name ? @p1 %s {} {0} ${x} -- ; /* */ '); drop table shipment; --",
  "null",
  "NaN",
  "[1,2]",
  "{\"a\":1}",
  "\\N",
  "0x10",
  "1e400",
  "<![CDATA[ &amp; ]]>",
  "__proto__",
  "constructor",
  "  blanks around  ",
  "\u{1F69A}".repeat(980)
]

/** Cases of fields, which are read back unchanged. */
export const fields = (test: AddTest): void => {
  const roundTrip = (text: string) =>
    Effect.gen(function*() {
      const { document, submit } = yield* aWorld
      const store = yield* ShipmentStore
      const header = {
        shipmentNumber: `shipment ${text}`,
        expectedArrivalAt: Timestamp.of("0001-01-01T00:00:00.001Z"),
        trailerNumber: `trailer ${text}`,
        carrier: `carrier ${text}`,
        dockSlug: "D2",
        additionalFields: Array.from(new Set(["z", text, "a", "10", "9", "__proto__"]), (name) => ({
          name,
          value: `${name} ${text}`
        }))
      }
      const orders = [
        orderOf(`order ${text}`, "APPEND", [everyItemField(text), anItem(`other ${text}`, "S")], {
          ...everyOrderField(text)
        }),
        orderOf(`${text} order`)
      ]
      const { shipment } = yield* submit(header, ...orders)
      const current = assert.present(yield* store.find(Number(shipment.id), [])).shipment
      assert.deepStrictEqual(current, shipment)
      assert.deepStrictEqual((yield* look(document(header))).target, shipment)
      // The fields come from the storage, not only from the answer.
      const { shipmentNumber, dockSlug, ...fields } = header
      assert.deepStrictEqual(
        {
          ...without(current, "id", "orders", "pallets", "dock", "scheduledAt"),
          dock: assert.present(current.dock).slug
        },
        {
          ...without(aShipment(), "id", "orders", "pallets", "dock", "scheduledAt"),
          ...fields,
          number: shipmentNumber,
          dock: dockSlug
        }
      )
      assert.deepStrictEqual(
        current.orders.map(({ items, ...order }) => ({
          ...without(order, "id"),
          items: items.map((item) => without(item, "id"))
        })),
        orders.map(({ orderNumber, fields, items }) => ({
          number: orderNumber,
          status: "CREATED",
          direction: "OUTBOUND",
          ...fields,
          items
        }))
      )
    })

  test("what a document says in every field is what is read back", roundTrip("x"))

  test(
    "text is text, whatever it looks like",
    Effect.forEach(hostileTexts, (text) => roundTrip(text), { discard: true })
  )

  test("what a document leaves out is absent, and its time of processing is scheduledAt", function*() {
    const { submit, shipments } = yield* aWorld
    const time = "2026-11-20T17:00:00.007Z"
    yield* at(Date.parse(time))(
      submit({}, orderOf("O1", "APPEND", [anItem("L", "S", { quantity: 0, quantityUnit: "" })]))
    )
    const [shipment] = yield* shipments
    assert.deepStrictEqual(
      [
        assert.present(shipment).scheduledAt,
        assert.present(shipment).expectedArrivalAt,
        assert.present(shipment).trailerNumber,
        assert.present(shipment).carrier
      ],
      [time, time, "", ""]
    )
    assert.deepStrictEqual([assert.present(shipment).dock, assert.present(shipment).additionalFields], [
      null,
      []
    ])
    const [order] = assert.present(shipment).orders
    assert.deepStrictEqual(
      without(assert.present(order), "id", "number", "status", "direction", "items"),
      emptyOrderFields
    )
    assert.deepStrictEqual(
      without(assert.at(assert.present(order).items, 0), "id"),
      anItem("L", "S", { quantity: 0, quantityUnit: "" })
    )
  })
}

/** Goods without an lpn. */
const goods = (identifier: string, sku: string, quantity = 1) => anItem("", sku, { identifier, quantity })

/** Cases of items without an LPN: identifier and SKU identify them within their order, and they are no pallets. */
export const looseItems = (test: AddTest): void => {
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
    const [first, second] = assert.present(before).orders.map(({ items }) => items)
    assert.deepStrictEqual(
      updated.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => id),
      [assert.at(assert.present(first), 0).id, assert.at(assert.present(first), 3).id]
    )
    const [after] = yield* shipments
    const items = assert.present(after).orders.map(({ items }) => items)
    assert.deepStrictEqual(items, [
      [
        { ...assert.at(assert.present(first), 0), quantity: 7 },
        assert.at(assert.present(first), 1),
        assert.at(assert.present(first), 2),
        { ...assert.at(assert.present(first), 3), quantity: 8 },
        assert.at(assert.present(first), 4),
        { ...goods("I3", "S1", 9), id: assert.at(assert.at(items, 0), 5).id }
      ],
      [assert.at(assert.present(second), 0), assert.at(assert.present(second), 3)]
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

/** Cases of stored answers of documents. */
export const keeping = (test: AddTest): void => keepsAnswers(test, "the answer of a document", aDocument)

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

/** Concurrent documents for several shipments that name the same orders. */
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

/** The suite of `IntakeStore`, with the ports that it needs. */
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
