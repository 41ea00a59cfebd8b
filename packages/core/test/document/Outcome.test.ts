import {
  acme,
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  east,
  now,
  orderOf,
  planOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { IntakeResult, intakeResult, notesOf, outcome } from "../../src/document/Outcome.ts"
import { compareIds, noIds } from "../../src/document/Plan.ts"
import type { NewIds } from "../../src/document/Plan.ts"
import {
  EntityReference,
  itemReference,
  orderReference,
  shipmentReference
} from "../../src/shipment/Shipment.ts"
import type { OrderItemDraft } from "../../src/shipment/Shipment.ts"
import { aStoredItem, headerOf } from "../Stored.ts"

const noNewIds: NewIds = { shipment: "", orders: [], items: [] }
const reference = (type: "SHIPMENT" | "ORDER" | "ORDER_ITEM", id: string, of: string) => ({
  type,
  id,
  reference: of
})

const range = (count: number) => Array.from({ length: count }, (_, at) => at)

/** An SSCC whose check digit does not fit. */
const wrongSscc = (at: number) => {
  const body = `34012345000${String(at).padStart(6, "0")}`
  const sum = Array.from(body).reduce(
    (sum, digit, place) => sum + Number(digit) * (place % 2 === 0 ? 3 : 1),
    0
  )
  return `${body}${(11 - sum % 10) % 10}`
}

const planning = (...args: Parameters<typeof planOf>) => [args[1], planOf(...args)] as const

describe("WIRE.md reference rules", () => {
  it("a shipment's is its number, which is the order number where none was given", () => {
    assert.deepStrictEqual(shipmentReference({ id: 7, number: "S1" }), reference("SHIPMENT", "7", "S1"))
    assert.deepStrictEqual(shipmentReference({ id: "", number: "S1" }), reference("SHIPMENT", "", "S1"))
  })

  it("an order's is its number", () => {
    assert.deepStrictEqual(orderReference({ id: "8", number: "O1" }), reference("ORDER", "8", "O1"))
  })

  it.each([
    ["I1", "L1", "S1", "I1"],
    ["", "L1", "S1", "L1"],
    ["", "", "S1", "S1"],
    ["I1", "", "S1", "I1"],
    ["", "0", "S1", "0"],
    [" ", "L1", "S1", " "]
  ])("an item's is identifier %j, else lpn %j, else sku %j: %j", (identifier, lpn, sku, expected) => {
    assert.deepStrictEqual(
      itemReference({ id: "9", identifier, lpn, sku }),
      reference("ORDER_ITEM", "9", expected)
    )
  })
})

describe("the schemas of an answer", () => {
  it("name what the answer has, and the types of what it names", () => {
    const [before, plan] = planning(aDocument(), aSnapshot())
    const answer = intakeResult(outcome(before, plan, noIds(plan)), { business: acme, facility: east }, [
      "note"
    ])
    assert.sameMembers(Object.keys(IntakeResult.fields), Object.keys(answer))
    assert.sameMembers(Object.keys(EntityReference.fields), Object.keys(answer.created[0]!))
    assert.deepStrictEqual(EntityReference.fields.type.literals, ["SHIPMENT", "ORDER", "ORDER_ITEM"])
  })
})

describe("D22.3 the notes of an answer", () => {
  const notesFor = (count: number) => {
    const document = aDocument(
      {},
      orderOf("O1", "APPEND", range(count).map((at) => anItem(wrongSscc(at), "S1")))
    )
    return notesOf(document, planOf(document, aSnapshot()))
  }

  it("are a hundred, and how many more there are", () => {
    assert.lengthOf(notesFor(100), 100)
    assert.notInclude(notesFor(100).at(-1), "more")
    assert.deepStrictEqual(notesFor(102).slice(99), [...notesFor(100).slice(99), "2 more like these"])
  })
})

describe("D3.4 created, updated, removed", () => {
  it("a first document creates its shipment, its orders and their items, each order before its items", () => {
    const [before, plan] = planning(
      aDocument(
        {},
        orderOf("O2", "APPEND", [anItem("L2", "S1"), anItem("L1", "S1", { identifier: "I1" })]),
        orderOf("O1", "MERGE", [anItem("L0", "S1")])
      ),
      aSnapshot()
    )
    const after = outcome(before, plan, { shipment: 1, orders: ["2", "5"], items: ["3", "4", "6"] })
    const items = [
      [aStoredItem("3", "L2", "S1"), aStoredItem("4", "L1", "S1", { identifier: "I1" })],
      [aStoredItem("6", "L0", "S1")]
    ] as const
    assert.deepStrictEqual(after, {
      created: [
        reference("SHIPMENT", "1", "S1"),
        reference("ORDER", "2", "O2"),
        reference("ORDER_ITEM", "3", "L2"),
        reference("ORDER_ITEM", "4", "I1"),
        reference("ORDER", "5", "O1"),
        reference("ORDER_ITEM", "6", "L0")
      ],
      updated: [],
      removed: [],
      shipment: {
        ...headerOf(aShipment({ scheduledAt: now, expectedArrivalAt: now })),
        orders: [anOrder("2", "O2", items[0]), anOrder("5", "O1", items[1])],
        pallets: []
      }
    })
  })

  // What else is updated and removed, and how it is named, is what the laws of answers say.
  it("updated items appear in request order, changed or not", () => {
    const items = ["L1", "L2", "L3"].map((lpn, index) => aStoredItem(`5${index}`, lpn, "S1"))
    const [before, plan] = planning(
      aDocument({}, orderOf("O1", "MERGE", [anItem("L3", "S1"), anItem("L1", "S1", { quantity: 9 })])),
      aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", items)] }) })
    )
    assert.deepStrictEqual(outcome(before, plan, noNewIds).updated.slice(2), [
      reference("ORDER_ITEM", "52", "L3"),
      reference("ORDER_ITEM", "50", "L1")
    ])
  })
})

describe("D4.1 ids are compared as numbers", () => {
  it.each([
    ["9", "10", -1],
    ["10", "9", 1],
    ["10", "10", 0],
    ["9007199254740993", "9007199254740992", 1],
    ["99", "100", -1],
    ["", "1", 1],
    ["1", "", -1],
    ["", "", 0]
  ])("%j compared with %j", (left, right, sign) => {
    assert.strictEqual(Math.sign(compareIds(left, right)), sign)
  })
})

describe("D5.3 a dry run: the exact answer, ids of would-be entities empty", () => {
  const items: ReadonlyArray<OrderItemDraft> = [anItem("L1", "S1"), anItem("L2", "S1", { identifier: "I2" })]

  it("ids of what is there are shown, and new entities stand last", () => {
    const target = aShipment({ orders: [anOrder("9", "O1", [aStoredItem("50", "L0", "S1")])] })
    const [before, plan] = planning(
      aDocument({}, orderOf("O2"), orderOf("O1", "APPEND", items)),
      aSnapshot({ target })
    )
    assert.deepStrictEqual(noIds(plan), { shipment: "", orders: [""], items: ["", ""] })
    assert.deepStrictEqual(outcome(before, plan, noIds(plan)), {
      created: [
        reference("ORDER", "", "O2"),
        reference("ORDER_ITEM", "", "L1"),
        reference("ORDER_ITEM", "", "I2")
      ],
      updated: [reference("SHIPMENT", "1", "S1"), reference("ORDER", "9", "O1")],
      removed: [],
      shipment: {
        ...target,
        version: 2,
        orders: [
          anOrder("9", "O1", [aStoredItem("50", "L0", "S1"), ...items.map((item) => ({ ...item, id: "" }))]),
          anOrder("", "O2")
        ]
      }
    })
  })

  it("a store that gives fewer ids than the plan creates is found out", () => {
    const [before, plan] = planning(aDocument(), aSnapshot())
    assert.throws(() => outcome(before, plan, noNewIds), "The store gave fewer ids than the plan creates")
  })
})
