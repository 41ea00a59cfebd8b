import { aCandidate, anOrder } from "@dockline/testing/generators/Given"
import { assert, it } from "@effect/vitest"
import { chooseCandidate } from "../../src/document/Plan.ts"

// Which order is taken of several is what the laws of remapping say.
it("D3.3 of two orders that were created at once the later id is used, compared as numbers", () => {
  const candidates = ["9007199254740992", "9007199254740993"].map((id) => aCandidate(anOrder(id, "O1")))
  assert.strictEqual(chooseCandidate(candidates)("O1", "OUTBOUND")?.order.id, "9007199254740993")
})
