import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide } from "../src/Plan.ts"
import { limits } from "../src/ShipmentSize.ts"
import {
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  aStoredItem,
  orderOf
} from "../src/testing/Given.ts"

const stored = (count: number) =>
  Array.from({ length: count }, (_, index) => aStoredItem(String(index + 1), `L${index}`, "S"))

const codeOf = (count: number, strategy: string, lpns: ReadonlyArray<string>): string => {
  const order = anOrder("1", "O1", stored(count))
  const snapshot = aSnapshot({ target: aShipment({ orders: [order] }) })
  const items = lpns.map((lpn) => anItem(lpn, "S"))
  const decision = decide(aDocument({}, orderOf("O1", strategy, items)), snapshot)
  return Result.isSuccess(decision) ? "OK" : decision.failure.code
}

describe("a shipment stays small enough to be read, changed and answered", () => {
  it("APPEND up to the limit is taken, and beyond it refused", () => {
    assert.strictEqual(codeOf(limits.itemLimit - 1, "APPEND", ["NEW-1"]), "OK")
    assert.strictEqual(codeOf(limits.itemLimit - 1, "APPEND", ["NEW-1", "NEW-2"]), "SHIPMENT_TOO_LARGE")
  })

  it("one that is beyond the limit can be made smaller, by DELETE and OVERWRITE", () => {
    assert.strictEqual(codeOf(limits.itemLimit + 5, "DELETE", ["L0"]), "OK")
    assert.strictEqual(codeOf(limits.itemLimit + 5, "OVERWRITE", ["NEW-1"]), "OK")
    assert.strictEqual(codeOf(limits.itemLimit + 5, "MERGE", ["NEW-1"]), "SHIPMENT_TOO_LARGE")
  })

  it("text counts too", () => {
    const caseSerials = Array.from(
      { length: 10_000 },
      (_, index) => ({ id: "x".repeat(1000) + index, quantity: 1 })
    )
    const items = Array.from({ length: 4 }, (_, index) => anItem(`L${index}`, "S", { caseSerials }))
    const document = aDocument({}, orderOf("O1", "APPEND", items))
    const refusal = Result.getOrThrow(Result.flip(decide(document, aSnapshot())))
    assert.strictEqual(refusal.code, "SHIPMENT_TOO_LARGE")
  })
})
