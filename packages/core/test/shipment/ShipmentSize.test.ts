import { aDocument, anItem, anOrder, aShipment, aSnapshot, orderOf } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide } from "../../src/document/Decision.ts"
import type { Document, DocumentOrder } from "../../src/document/Document.ts"
import { emptyOrderItem, itemFields } from "../../src/shipment/Shipment.ts"
import type { CaseSerial, OrderItem, OrderItemDraft, Shipment } from "../../src/shipment/Shipment.ts"
import {
  answerTextOf,
  itemText as itemOverhead,
  limits,
  orderText,
  sizeOfItem,
  sizeOfOrder,
  sizeOfShipment,
  smallAnswer,
  textOfHeader
} from "../../src/shipment/ShipmentSize.ts"
import { orderView } from "../../src/shipment/View.ts"
import * as FieldTable from "../../src/values/FieldTable.ts"
import { aStoredItem } from "../Stored.ts"

const { itemLimit, textLimit } = limits

const itemsOf = (count: number): ReadonlyArray<OrderItem> =>
  Array.from({ length: count }, (_, index) => aStoredItem(String(index + 1), `L${index}`, "S"))

const isTaken = (document: Document, target: Shipment | null = null): boolean => {
  const decision = decide(document, aSnapshot({ target }))
  if (Result.isFailure(decision)) assert.strictEqual(decision.failure.code, "SHIPMENT_TOO_LARGE")
  return Result.isSuccess(decision)
}

/** An item of `anItem("L", "S")` holds six characters of text: its lpn, its sku and the unit `CASE`. */
const itemText = 6
const ofText = (text: number, fields: Partial<OrderItemDraft> = {}): OrderItemDraft =>
  anItem("L", "S", { description: "x".repeat(text - itemText), ...fields })
const storedOfText = (id: string, lpn: string, text: number): OrderItem =>
  aStoredItem(id, lpn, "S", { description: "x".repeat(text - itemText) })

const documentOf = (...orders: ReadonlyArray<DocumentOrder>): Document => aDocument({}, ...orders)
const holding = (...items: ReadonlyArray<OrderItem>): Shipment =>
  aShipment({ orders: [anOrder("1", "O1", items)] })

describe("the size of an item", () => {
  it.each(FieldTable.namesOfKinds(itemFields, ["text", "identifier", "key", "word"]))(
    "counts its %s",
    (name) => {
      const item = anItem("L", "S")
      const longer = { ...item, [name]: `${item[name]}x` }
      assert.strictEqual(sizeOfItem(longer).text, sizeOfItem(item).text + 1)
    }
  )
})

describe("the size of what a page or an answer holds", () => {
  const items = [storedOfText("10", "L", 10), storedOfText("11", "B", 20)]
  const order = anOrder("1", "O1", items, { client: "ABC" })
  const shipment = aShipment({
    trailerNumber: "T12",
    additionalFields: [{ name: "n", value: "vw" }],
    orders: [order, anOrder("2", "O22")],
    pallets: [{ id: 1, lpn: "L", first: "LOADING", last: "LOADING", dockId: 3 }]
  })

  it("an order and each of its items are a row, with the text of all", () => {
    assert.deepStrictEqual(sizeOfOrder(order, [items]), { rows: 3, text: "O1ABC".length + 30 })
    assert.deepStrictEqual(sizeOfOrder(order, [items, items]), { rows: 5, text: "O1ABC".length + 60 })
  })

  it("a shipment, its orders, items and pallets are rows, with the text of all", () => {
    assert.strictEqual(textOfHeader(shipment), "S1T12nvw".length)
    assert.deepStrictEqual(sizeOfShipment(shipment), { rows: 6, text: "S1T12nvwO1ABCO22".length + 30 })
  })

  it("an answer is loaded without a look at its size up to 128 Ki characters", () => {
    assert.strictEqual(smallAnswer, 131_072)
  })

  it("an order and an item of an answer are about as long as is said, and no longer", () => {
    const lengthOf = (value: unknown) => JSON.stringify(value).length
    const item = { ...emptyOrderItem, id: "1".repeat(10), quantity: 1000 }
    const without = lengthOf(orderView(anOrder("1".repeat(10), "")))
    const withItem = lengthOf(orderView(anOrder("1".repeat(10), "", [item])))
    for (const [estimate, length] of [[orderText, without], [itemOverhead, withItem - without]] as const) {
      assert.isAtLeast(estimate, length)
      assert.isAtMost(estimate, length + 150)
    }
  })

  it("an answer has the names of the fields of each order and item too", () => {
    assert.strictEqual(
      answerTextOf(shipment, [items, items, []]),
      3 * orderText + 4 * itemOverhead + "nvw".length + 60
    )
  })
})

describe("a shipment stays small enough to be read, changed and answered", () => {
  it("20,000 items and 16 Mi characters of text", () => {
    assert.deepStrictEqual(limits, { itemLimit: 20_000, textLimit: 16_777_216 })
  })

  it("a refusal names the shipment and both limits", () => {
    const refusal = Result.getOrThrow(
      Result.flip(decide(documentOf(orderOf("O1", "APPEND", [ofText(textLimit + 1)])), aSnapshot()))
    )
    assert.strictEqual(
      refusal.message,
      "SHIPMENT_TOO_LARGE: shipmentNumber=S1; a shipment holds at most 20000 items and 16777216 characters; " +
        "spread the orders over several shipments"
    )
  })
})

describe("items count over all orders of the shipment", () => {
  const items = itemsOf(itemLimit - 1)
  const beyond = [...items, ...["A", "B", "C"].map((lpn, index) => aStoredItem(`9${index}`, lpn, "S"))]
  const submit = (items: ReadonlyArray<OrderItem>, strategy: string, lpns: ReadonlyArray<string>) =>
    isTaken(documentOf(orderOf("O1", strategy, lpns.map((lpn) => anItem(lpn, "S")))), holding(...items))

  it("up to the limit they are taken, and beyond it refused", () => {
    assert.isTrue(submit(items, "APPEND", ["NEW-1"]))
    assert.isFalse(submit(items, "APPEND", ["NEW-1", "NEW-2"]))
    assert.isFalse(submit(items, "MERGE", ["L0", "NEW-1", "NEW-2"]))
  })

  it("those of other orders too, named or not", () => {
    const target = (number: string) =>
      aShipment({ orders: [anOrder("1", number, items), anOrder("2", "O2")] })
    const one = orderOf("O2", "APPEND", [anItem("NEW-1", "S")])
    const two = orderOf("O2", "APPEND", [anItem("NEW-1", "S"), anItem("NEW-2", "S")])
    assert.isTrue(isTaken(documentOf(one), target("O9")))
    assert.isFalse(isTaken(documentOf(two), target("O9")))
    assert.isFalse(isTaken(documentOf(two, orderOf("O1")), target("O1")))
  })

  it("of one that is beyond the limit some can be removed, replaced and updated, and none added", () => {
    assert.isTrue(submit(beyond, "DELETE", ["L0"]))
    assert.isTrue(submit(beyond, "OVERWRITE", ["NEW-1"]))
    assert.isTrue(submit(beyond, "MERGE", ["L0"]))
    assert.isFalse(submit(beyond, "MERGE", ["NEW-1"]))
  })
})

describe("text counts over all orders of the shipment", () => {
  const isTakenAs = (item: OrderItemDraft) => isTaken(documentOf(orderOf("O1", "APPEND", [item])))

  it("of two fields together", () => {
    assert.isTrue(isTakenAs(ofText(textLimit - 3, { lot: "LOT" })))
    assert.isFalse(isTakenAs(ofText(textLimit - 2, { lot: "LOT" })))
  })

  it("of each case serial, and 32 characters for its place in the list", () => {
    const caseSerials: ReadonlyArray<CaseSerial> = [{ id: "C1", quantity: 1 }, { id: "C22", quantity: 1 }]
    assert.isTrue(isTakenAs(ofText(textLimit - 69, { caseSerials })))
    assert.isFalse(isTakenAs(ofText(textLimit - 68, { caseSerials })))
  })

  it("of the names and values of additional fields", () => {
    const additionalFields = [{ name: "a", value: "bc" }, { name: "def", value: "ghij" }]
    const submit = (text: number) =>
      isTaken(aDocument({ additionalFields }, orderOf("O1", "APPEND", [ofText(text)])))
    assert.isTrue(submit(textLimit - 10))
    assert.isFalse(submit(textLimit - 9))
  })

  it("of what stays, what is updated and what is new, but not of what goes", () => {
    const half = textLimit / 2
    const target = aShipment({
      orders: [
        anOrder("1", "O1", [storedOfText("10", "A", half - 20), storedOfText("11", "B", 20)]),
        anOrder("2", "O2", [storedOfText("12", "C", half - 20)])
      ]
    })
    const merge = (text: number) => orderOf("O1", "MERGE", [{ ...ofText(text), lpn: "B" }])
    assert.isTrue(isTaken(documentOf(merge(40)), target))
    assert.isFalse(isTaken(documentOf(merge(41)), target))
    const add = (text: number) => orderOf("O1", "APPEND", [ofText(text)])
    assert.isTrue(isTaken(documentOf(add(20)), target))
    assert.isFalse(isTaken(documentOf(add(21)), target))
    const replace = (text: number) => orderOf("O1", "OVERWRITE", [ofText(text)])
    assert.isTrue(isTaken(documentOf(replace(half + 20)), target))
    assert.isFalse(isTaken(documentOf(replace(half + 21)), target))
  })
})

describe("a shipment that is beyond the limit of text", () => {
  const target = aShipment({
    additionalFields: [{ name: "n", value: "v" }],
    orders: [anOrder("1", "O1", [storedOfText("10", "L", textLimit + 100), storedOfText("11", "B", 50)])]
  })
  const isTakenWith = (fields: Parameters<typeof aDocument>[0], ...orders: ReadonlyArray<DocumentOrder>) =>
    isTaken(aDocument(fields, ...orders), target)
  const merge = (text: number) => orderOf("O1", "MERGE", [{ ...ofText(text), lpn: "B" }])

  it("may keep its size or lose some, and not grow by a character", () => {
    assert.isTrue(isTakenWith({ trailerNumber: "T1" }))
    assert.isTrue(isTakenWith({}, merge(50)))
    assert.isTrue(isTakenWith({}, merge(49)))
    assert.isFalse(isTakenWith({}, merge(51)))
  })

  it("nor by one of an additional field", () => {
    assert.isTrue(isTakenWith({ additionalFields: [{ name: "n", value: "w" }] }))
    assert.isFalse(isTakenWith({ additionalFields: [{ name: "n", value: "vw" }] }))
  })

  it("nor by an item, though it loses text", () => {
    assert.isFalse(isTakenWith({}, orderOf("O1", "MERGE", [{ ...ofText(20), lpn: "B" }, anItem("C", "S")])))
  })
})

describe("a shipment that is beyond the limit of items", () => {
  it("may not grow by a character, though it loses items", () => {
    const target = holding(...itemsOf(itemLimit + 5))
    const overwrite = (length: number) =>
      orderOf(
        "O1",
        "OVERWRITE",
        itemsOf(itemLimit + 4).map((item, index) => index === 0 ? { ...item, lot: "x".repeat(length) } : item)
      )
    const item = target.orders[0]!.items.at(-1)!
    const text = item.lpn.length + item.sku.length + item.quantityUnit.length
    assert.isTrue(isTaken(documentOf(overwrite(text)), target))
    assert.isFalse(isTaken(documentOf(overwrite(text + 1)), target))
  })
})
