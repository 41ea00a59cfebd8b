import { anItem, refusalOf } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  append,
  defaultStrategies,
  isEmptyValue,
  merge,
  overlay,
  overwrite,
  remove,
  Strategies
} from "../../src/document/Strategy.ts"
import type { ItemChanges, Strategy } from "../../src/document/Strategy.ts"
import { emptyOrderItem, haveSameKey, itemKey, orderItemFieldNames } from "../../src/shipment/OrderItem.ts"
import type { OrderItem, OrderItemDraft } from "../../src/shipment/OrderItem.ts"
import { aStoredItem } from "../Stored.ts"

const l1 = aStoredItem("7", "L1", "S1", { quantity: 5, lot: "LOT-1" })
const l2 = aStoredItem("8", "L2", "S1", { quantity: 6 })
const l3 = aStoredItem("10", "L3", "S1", { quantity: 7 })

const changes = (
  strategy: Strategy,
  stored: ReadonlyArray<OrderItem>,
  incoming: ReadonlyArray<OrderItemDraft>
): ItemChanges => Result.getOrThrow(strategy.apply(stored, incoming))

const none: ItemChanges = { created: [], updated: [], removed: [] }

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

describe("WIRE.md APPEND", () => {
  it("WIRE.md APPEND: adds new items in request order and keeps existing ones", () => {
    const incoming = [anItem("L9", "S1"), anItem("L0", "S1", { quantity: 0 })]
    assert.deepStrictEqual(changes(append, [l1, l2], incoming), { ...none, created: incoming })
    assert.deepStrictEqual(changes(append, [], incoming), { ...none, created: incoming })
  })

  it("WIRE.md APPEND: an lpn + sku already on the order is 409 with that detail", () => {
    const refusal = Result.getOrThrow(
      Result.flip(append.apply([l1, l2], [anItem("L9", "S1"), anItem("L2", "S1")]))
    )
    assert.strictEqual(refusal.category, "conflict")
    assert.deepStrictEqual(refusalOf(refusal), {
      code: "DUPLICATE_ORDER_ITEM_KEY",
      message: "DUPLICATE_ORDER_ITEM_KEY: lpn=L2, sku=S1"
    })
  })

  it("WIRE.md APPEND: the first duplicate in request order is the one named", () => {
    const refusal = Result.getOrThrow(
      Result.flip(append.apply([l1, l2], [anItem("L2", "S1"), anItem("L1", "S1")]))
    )
    assert.strictEqual(refusal.message, "DUPLICATE_ORDER_ITEM_KEY: lpn=L2, sku=S1")
  })

  it("WIRE.md APPEND: identifier is not used for matching", () => {
    const stored = [aStoredItem("7", "L1", "S1", { identifier: "I1" })]
    const incoming = [anItem("L2", "S1", { identifier: "I1" })]
    assert.deepStrictEqual(changes(append, stored, incoming), { ...none, created: incoming })
  })
})

describe("WIRE.md MERGE", () => {
  it("WIRE.md MERGE: updates the item of that lpn + sku, which keeps its id", () => {
    assert.deepStrictEqual(changes(merge, [l1, l2], [anItem("L1", "S1", { quantity: 9, lot: "LOT-2" })]), {
      ...none,
      updated: [{ ...l1, quantity: 9, lot: "LOT-2" }]
    })
  })

  it("WIRE.md MERGE: creates an item when none matches", () => {
    const given = { ...emptyOrderItem, lpn: "L9", sku: "S1" }
    assert.deepStrictEqual(changes(merge, [l1], [given]), { ...none, created: [given] })
  })

  it("D3.6 MERGE: a created item stores what was given, a zero quantity included", () => {
    const given = anItem("L9", "S1", { quantity: 0, isDangerousGood: false, caseSerials: [] })
    assert.deepStrictEqual(changes(merge, [], [given]), { ...none, created: [given] })
  })

  it("D3.4 MERGE: created and updated items stand in request order", () => {
    const incoming = [anItem("L3", "S1"), anItem("L9", "S1"), anItem("L1", "S1"), anItem("L0", "S1")]
    const { created, updated, removed } = changes(merge, [l1, l2, l3], incoming)
    assert.deepStrictEqual(
      { created: created.map((item) => item.lpn), updated: updated.map((item) => item.lpn), removed },
      { created: ["L9", "L0"], updated: ["L3", "L1"], removed: [] }
    )
  })

  it("D3.6 MERGE: an item that changes nothing is still listed, and is the stored one itself", () => {
    const { updated } = changes(merge, [l1], [anItem("L1", "S1", { quantity: 0, quantityUnit: "" })])
    assert.deepStrictEqual(updated, [l1])
    assert.strictEqual(updated[0], l1)
    assert.strictEqual(changes(merge, [l1], [l1]).updated[0], l1)
    assert.strictEqual(changes(merge, [full], [structuredClone(full)]).updated[0], full)
  })

  const full: OrderItem = {
    ...emptyOrderItem,
    id: "7",
    identifier: "I1",
    lpn: "L1",
    sku: "S1",
    quantity: 5,
    quantityUnit: "CASE",
    purchaseOrder: "PO-1",
    description: "Apples",
    upc: "U1",
    weightPerUnit: 1.5,
    weightUnit: "GRAM",
    height: 1,
    length: 2,
    width: 3,
    dimensionUnit: "INCH",
    isDangerousGood: true,
    lot: "LOT-1",
    expirationDate: "2027-01-01",
    manufacturingDate: "2026-01-01",
    caseSerials: [{ id: "C1", quantity: 1 }]
  }
  const other: OrderItemDraft = {
    ...emptyOrderItem,
    identifier: "I2",
    lpn: "L1",
    sku: "S1",
    quantity: 6,
    quantityUnit: "UNIT",
    purchaseOrder: "PO-2",
    description: "Pears",
    upc: "U2",
    weightPerUnit: 2.5,
    weightUnit: "OUNCE",
    height: 4,
    length: 5,
    width: 6,
    dimensionUnit: "FOOT",
    isDangerousGood: true,
    lot: "LOT-2",
    expirationDate: "2028-01-01",
    manufacturingDate: "2025-01-01",
    caseSerials: [{ id: "C1", quantity: 2 }, { id: "C2", quantity: 0 }]
  }
  const given = { ...emptyOrderItem, lpn: "L1", sku: "S1" }

  it("D3.6 MERGE: a zero quantity leaves what is there", () => {
    assert.deepStrictEqual(changes(merge, [full], [{ ...other, quantity: 0 }]).updated, [
      { ...other, id: "7", quantity: 5 }
    ])
  })

  it.each(orderItemFieldNames.filter((name) => name !== "lpn" && name !== "sku"))(
    "D3.6 MERGE: an empty %s leaves what is there, a given one replaces",
    (name) => {
      assert.deepStrictEqual(changes(merge, [full], [given]).updated, [full])
      assert.deepStrictEqual(changes(merge, [full], [{ ...other, [name]: emptyOrderItem[name] }]).updated, [
        { ...other, id: "7", [name]: full[name] }
      ])
      assert.deepStrictEqual(changes(merge, [full], [{ ...given, [name]: other[name] }]).updated, [
        { ...full, [name]: other[name] }
      ])
      assert.deepStrictEqual(
        changes(merge, [{ ...given, id: "7" }], [{ ...given, [name]: other[name] }]).updated,
        [
          { ...given, id: "7", [name]: other[name] }
        ]
      )
    }
  )
})

describe("D3.6 which values leave what is there", () => {
  it.each(["", 0, -0, false, []])("%j does", (value) => assert.isTrue(isEmptyValue(value)))

  it.each(["0", " ", "false", 1, 0.001, true, [0], [{ id: "", quantity: 0 }]])("%j does not", (value) => {
    assert.isFalse(isEmptyValue(value))
  })

  it("so does a field that is not given", () => {
    const stored = { a: "1", b: "2" }
    assert.deepStrictEqual(overlay(stored, { a: "3" }, ["a", "b"]), { a: "3", b: "2" })
    assert.strictEqual(overlay(stored, {}, ["a", "b"]), stored)
  })

  it("an item with nothing but its key holds no other value", () => {
    for (const name of orderItemFieldNames) assert.isTrue(isEmptyValue(emptyOrderItem[name]), name)
  })
})

describe("WIRE.md DELETE", () => {
  it("WIRE.md DELETE: removes the items of that lpn + sku, in id order, and no other", () => {
    assert.deepStrictEqual(changes(remove, [l1, l2, l3], [anItem("L3", "S1"), anItem("L1", "S1")]), {
      ...none,
      removed: [l1, l3]
    })
  })

  it("WIRE.md DELETE: quantity fields are not used", () => {
    const withoutQuantity = { ...emptyOrderItem, lpn: "L1", sku: "S1" }
    const withAnother = anItem("L1", "S1", { quantity: 1, quantityUnit: "PALLET" })
    for (const incoming of [withoutQuantity, withAnother]) {
      assert.deepStrictEqual(changes(remove, [l1, l2], [incoming]), { ...none, removed: [l1] })
    }
  })

  it("WIRE.md DELETE: nothing matching succeeds with an empty removed", () => {
    const incoming = [anItem("L9", "S1"), anItem("L1", "S2")]
    assert.deepStrictEqual(changes(remove, [l1, l2], incoming), none)
    assert.deepStrictEqual(changes(remove, [], incoming), none)
  })
})

describe("WIRE.md OVERWRITE", () => {
  it("WIRE.md OVERWRITE: removes every existing item, then creates the incoming ones", () => {
    const incoming = [anItem("L9", "S1"), anItem("L1", "S1")]
    assert.deepStrictEqual(changes(overwrite, [l1, l2], incoming), {
      created: incoming,
      updated: [],
      removed: [l1, l2]
    })
    assert.deepStrictEqual(changes(overwrite, [], incoming), { ...none, created: incoming })
  })

  it("WIRE.md OVERWRITE: an item that stays the same is removed and created anew", () => {
    const { id: _, ...same } = l1
    assert.deepStrictEqual(changes(overwrite, [l1], [same]), { created: [same], updated: [], removed: [l1] })
  })

  it("D3.6 OVERWRITE can take a dangerous good's flag", () => {
    const dangerous = aStoredItem("7", "L1", "S1", { isDangerousGood: true })
    const { created } = changes(overwrite, [dangerous], [anItem("L1", "S1")])
    assert.deepStrictEqual(created, [anItem("L1", "S1", { isDangerousGood: false })])
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

  it("in every strategy", () => {
    const stored = distinct.map(([lpn, sku], index) => aStoredItem(String(index + 1), lpn, sku))
    for (const item of stored) {
      const others = stored.filter((each) => each !== item)
      const incoming = anItem(item.lpn, item.sku)
      assert.deepStrictEqual(changes(append, others, [incoming]), { ...none, created: [incoming] })
      assert.deepStrictEqual(changes(merge, others, [incoming]), { ...none, created: [incoming] })
      assert.deepStrictEqual(changes(remove, stored, [incoming]), { ...none, removed: [item] })
      assert.isTrue(Result.isFailure(append.apply(stored, [incoming])))
    }
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

  it("in every strategy", () => {
    for (const item of distinct) {
      const others = distinct.filter((each) => each !== item)
      const incoming = anItem(item.lpn, item.sku, { identifier: item.identifier })
      assert.deepStrictEqual(changes(append, others, [incoming]), { ...none, created: [incoming] })
      assert.deepStrictEqual(changes(merge, others, [incoming]), { ...none, created: [incoming] })
      assert.deepStrictEqual(changes(remove, distinct, [incoming]), { ...none, removed: [item] })
      assert.isTrue(Result.isFailure(append.apply(distinct, [incoming])))
    }
  })

  it("a refusal names the identifier", () => {
    const refusal = (item: OrderItem) =>
      refusalOf(Result.getOrThrow(Result.flip(append.apply([item], [item])))).message
    assert.strictEqual(refusal(loose("I1", "S1", "1")), "DUPLICATE_ORDER_ITEM_KEY: identifier=I1, sku=S1")
    assert.strictEqual(refusal(loose("", "S1", "1")), "DUPLICATE_ORDER_ITEM_KEY: lpn=, sku=S1")
  })

  it("the identifier of an item with an lpn is no part of its key: MERGE changes it", () => {
    const [updated] = changes(merge, [l1], [anItem("L1", "S1", { identifier: "new" })]).updated
    assert.strictEqual(updated?.identifier, "new")
  })
})
