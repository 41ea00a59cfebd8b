import { anItem, refusalOf } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  append,
  defaultStrategies,
  isEmptyValue,
  merge,
  overlay,
  Strategies
} from "../../src/document/Strategy.ts"
import type { ItemChanges, Strategy } from "../../src/document/Strategy.ts"
import { emptyOrderItem, haveSameKey, itemKey, orderItemFieldNames } from "../../src/shipment/Shipment.ts"
import type { OrderItem, OrderItemDraft } from "../../src/shipment/Shipment.ts"
import { aStoredItem } from "../Stored.ts"

const l1 = aStoredItem("7", "L1", "S1", { quantity: 5, lot: "LOT-1" })

const changes = (
  strategy: Strategy,
  items: ReadonlyArray<OrderItem>,
  incoming: ReadonlyArray<OrderItemDraft>
): ItemChanges => Result.getOrThrow(strategy.apply(items, incoming))

describe("WIRE.md strategies: the four and what each requires", () => {
  it("APPEND, MERGE, DELETE, OVERWRITE", () => {
    assert.deepStrictEqual(
      Object.entries(defaultStrategies).map(([name, { requiredFields }]) => [name, requiredFields]),
      [
        ["APPEND", ["lpn", "sku", "quantity", "quantityUnit"]],
        ["MERGE", ["lpn", "sku"]],
        ["DELETE", ["lpn", "sku"]],
        ["OVERWRITE", ["lpn", "sku", "quantity", "quantityUnit"]]
      ]
    )
  })
})

describe("the strategies in force", () => {
  const inForce = Effect.gen(function*() {
    return yield* Strategies
  })

  it("are those of the wire contract", () => {
    assert.strictEqual(Effect.runSync(inForce), defaultStrategies)
  })

  it("or what an embedding service provides under their name", () => {
    const strategies = { ...defaultStrategies, KEEP: merge }
    assert.strictEqual(Strategies.key, "@dockline/core/Strategies")
    assert.strictEqual(Effect.runSync(Effect.provideService(inForce, Strategies, strategies)), strategies)
  })
})

// What each strategy does is what `StrategyLaws` says; they hold what is equal, not what is the same.
describe("WIRE.md item strategies", () => {
  it("APPEND of a key that is there is 409, and names the key", () => {
    const refusal = Result.getOrThrow(
      Result.flip(append.apply([l1], [anItem("L9", "S1"), anItem("L1", "S1")]))
    )
    assert.strictEqual(refusal.category, "conflict")
    assert.deepStrictEqual(refusalOf(refusal), {
      code: "DUPLICATE_ORDER_ITEM_KEY",
      message: "DUPLICATE_ORDER_ITEM_KEY: lpn=L1, sku=S1"
    })
  })

  it("D3.6 MERGE: an item that changes nothing is still listed, and is the stored one itself", () => {
    const serials = aStoredItem("7", "L1", "S1", { caseSerials: [{ id: "C1", quantity: 1 }] })
    for (const same of [anItem("L1", "S1", { quantity: 0, quantityUnit: "" }), structuredClone(serials)]) {
      assert.strictEqual(changes(merge, [serials], [same]).updated[0], serials)
    }
    const [one, other] = [{ id: "C1", quantity: 1 }, { id: "C2", quantity: 1 }]
    for (
      const [before, caseSerials] of [
        [[one], [{ ...one, quantity: 2 }]],
        [[one], [one, one]],
        [[one, other], [one, { ...other, quantity: 2 }]]
      ] as const
    ) {
      const item = { ...serials, caseSerials: before }
      assert.deepStrictEqual(changes(merge, [item], [{ ...item, caseSerials }]).updated, [{
        ...item,
        caseSerials
      }])
    }
  })
})

describe("D3.6 which values leave what is there", () => {
  it.each(["", 0, -0, false, []])("%j does", (value) => assert.isTrue(isEmptyValue(value)))

  it.each(["0", " ", "false", 1, 0.001, true, [0], [{ id: "", quantity: 0 }]])("%j does not", (value) => {
    assert.isFalse(isEmptyValue(value))
  })

  it("so does a field that is not given", () => {
    const before = { a: "1", b: "2" }
    assert.deepStrictEqual(overlay(before, { a: "3" }, ["a", "b"]), { a: "3", b: "2" })
    assert.strictEqual(overlay(before, {}, ["a", "b"]), before)
  })

  it("an item with nothing but its key holds no other value", () => {
    for (const name of orderItemFieldNames) assert.isTrue(isEmptyValue(emptyOrderItem[name]), name)
  })
})

describe("D3.5 lpn and sku compare exactly", () => {
  const distinct = [
    ["L1", "S1"],
    ["l1", "S1"],
    ["L1", "s1"],
    ["L1", "S01"],
    ["L01", "S1"],
    [" L1", "S1"],
    ["L1 ", "S1"],
    ["L1S", "1"],
    ["L", "1S1"],
    ["", "L1S1"],
    ["L1S1", ""],
    ["2:L1", "S1"],
    ["\u00E9", "S1"],
    ["e\u0301", "S1"],
    ["1", "1"],
    ["1.0", "1"],
    ["__proto__", "S1"]
  ] as const

  it("case, zeros and spaces included, and where one ends and the other begins", () => {
    const keys = distinct.map(([lpn, sku]) => itemKey({ identifier: "I1", lpn, sku }))
    assert.strictEqual(new Set(keys).size, distinct.length)
  })
})

describe("D17.2 an item without an lpn is known by its identifier and its sku", () => {
  const loose = (identifier: string, sku: string, id = "") => aStoredItem(id, "", sku, { identifier })
  const distinct = [
    loose("I1", "S1", "1"),
    loose("I2", "S1", "2"),
    loose("i1", "S1", "3"),
    loose("I1", "S2", "4"),
    loose("I1S", "1", "5"),
    loose("", "I1S1", "6"),
    loose("I1S1", "", "7"),
    aStoredItem("8", "I1", "S1"),
    aStoredItem("9", "@2:I1", "S1"),
    aStoredItem("10", "I1", "S1S1", { identifier: "I1" })
  ]

  it("each part compared exactly, and apart from any lpn", () => {
    assert.strictEqual(new Set(distinct.map(itemKey)).size, distinct.length)
    for (const [at, one] of distinct.entries()) {
      for (const [other, item] of distinct.entries()) {
        assert.strictEqual(haveSameKey(one, item), at === other, `${at} and ${other}`)
      }
    }
  })

  it("the identifier of an item with an lpn is no part of its key: MERGE changes it", () => {
    assert.isTrue(haveSameKey({ ...l1, identifier: "old" }, { ...l1, identifier: "new" }))
    const [updated] = changes(merge, [l1], [anItem("L1", "S1", { identifier: "new" })]).updated
    assert.strictEqual(updated?.identifier, "new")
  })
})
