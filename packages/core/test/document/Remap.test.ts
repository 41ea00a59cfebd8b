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
import { choose } from "../../src/document/Remap.ts"
import { aStoredItem } from "../Stored.ts"

const candidate = (id: string, fields: Partial<Candidate> = {}): Candidate =>
  aCandidate(anOrder(id, "O1", [aStoredItem(`${id}0`, "L1", "S1")]), fields)

const chosenId = (...candidates: ReadonlyArray<Candidate>): string | undefined =>
  choose(candidates)("O1", "OUTBOUND")?.order.id

// Which order is taken of several is what the laws of remapping say.
it("D3.3 of two orders that were created at once the later id is used, compared as numbers", () => {
  assert.strictEqual(
    chosenId(candidate("9007199254740992"), candidate("9007199254740993")),
    "9007199254740993"
  )
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
