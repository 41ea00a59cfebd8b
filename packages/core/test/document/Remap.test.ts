import {
  aCandidate,
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  decided,
  orderOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import type { Candidate } from "../../src/document/Remap.ts"
import { choose, isEligible } from "../../src/document/Remap.ts"
import { aStoredItem } from "../Stored.ts"

const candidate = (id: string, fields: Partial<Candidate> = {}): Candidate =>
  aCandidate(anOrder(id, "O1", [aStoredItem(`${id}0`, "L1", "S1")]), fields)

const chosenId = (...candidates: ReadonlyArray<Candidate>): string | undefined =>
  choose(candidates)("O1", "OUTBOUND")?.order.id

describe("D3.3 which orders may be remapped", () => {
  it("one whose shipment has not arrived and is not linked", () => {
    assert.isTrue(isEligible(candidate("1"), "OUTBOUND"))
  })

  it.each(["ARRIVED", "DEPARTED"] as const)("none from a shipment that is %s", (shipmentStatus) => {
    assert.isFalse(isEligible(candidate("1", { shipmentStatus }), "OUTBOUND"))
    assert.isUndefined(chosenId(candidate("1", { shipmentStatus })))
  })

  it("none from a shipment that is linked to another", () => {
    assert.isFalse(isEligible(candidate("1", { shipmentIsLinked: true }), "OUTBOUND"))
    assert.isUndefined(chosenId(candidate("1", { shipmentIsLinked: true })))
  })

  it("none of the other direction", () => {
    assert.isFalse(isEligible(candidate("1"), "INBOUND"))
    assert.isUndefined(choose([candidate("1")])("O1", "INBOUND"))
  })

  it("none of another number", () => {
    assert.isUndefined(choose([candidate("1")])("o1", "OUTBOUND"))
    assert.isUndefined(choose([])("O1", "OUTBOUND"))
  })
})

describe("D3.3 of several eligible orders the most recently created one is used", () => {
  const at = (id: string, createdAt: string, fields: Partial<Candidate> = {}) =>
    candidate(id, { createdAt, ...fields })
  const first = "2026-11-20T10:00:00.000Z"
  const second = "2026-11-20T10:00:00.001Z"
  const third = "2026-11-21T09:00:00.000Z"

  it("wherever it stands among them", () => {
    const orders = [at("1", first), at("2", third), at("3", second)]
    assert.strictEqual(chosenId(...orders), "2")
    assert.strictEqual(chosenId(...orders.toReversed()), "2")
  })

  it("by the time of creation, not by id", () => {
    assert.strictEqual(chosenId(at("99", first), at("3", second)), "3")
  })

  it("the later id where two were created at once, compared as numbers", () => {
    assert.strictEqual(chosenId(at("9", first), at("10", first)), "10")
    assert.strictEqual(chosenId(at("10", first), at("9", first)), "10")
    assert.strictEqual(
      chosenId(at("9007199254740993", first), at("9007199254740992", first)),
      "9007199254740993"
    )
  })
})

describe("D3.3 matching and remapping", () => {
  const target = aShipment({ orders: [anOrder("5", "O1", [aStoredItem("50", "L1", "S1")])] })
  const document = aDocument({}, orderOf("O1", "MERGE", [anItem("L1", "S1", { quantity: 9 })]))

  it("the order of that number on the target comes first, whatever is eligible elsewhere", () => {
    const plan = decided(document, aSnapshot({ target, candidates: [candidate("99")] }))
    assert.deepStrictEqual(plan.orders, [{
      order: { _tag: "Update", order: headerOnly("5"), changed: false, remappedFrom: null },
      items: { created: [], updated: [aStoredItem("50", "L1", "S1", { quantity: 9 })], removed: [] },
      changedItems: [aStoredItem("50", "L1", "S1", { quantity: 9 })]
    }])
  })

  it("else an eligible one is moved to the target, and keeps its id and items", () => {
    const plan = decided(document, aSnapshot({ candidates: [candidate("4"), candidate("6")] }))
    assert.deepStrictEqual(plan.orders, [{
      order: { _tag: "Update", order: headerOnly("6"), changed: false, remappedFrom: 9 },
      items: { created: [], updated: [aStoredItem("60", "L1", "S1", { quantity: 9 })], removed: [] },
      changedItems: [aStoredItem("60", "L1", "S1", { quantity: 9 })]
    }])
  })

  it("else a new order is created on the target", () => {
    const candidates = [
      candidate("4", { shipmentStatus: "ARRIVED" }),
      candidate("6", { shipmentIsLinked: true }),
      aCandidate(anOrder("7", "O1", [], { direction: "INBOUND" }))
    ]
    const { id: _, ...draft } = headerOnly("")
    assert.deepStrictEqual(decided(document, aSnapshot({ candidates })).orders, [{
      order: { _tag: "Create", order: draft },
      items: { created: [anItem("L1", "S1", { quantity: 9 })], updated: [], removed: [] },
      changedItems: []
    }])
  })
})

const headerOnly = (id: string) => {
  const { items: _, ...header } = anOrder(id, "O1")
  return header
}
