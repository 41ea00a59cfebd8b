import { aCandidate, anOrder } from "@dockline/testing/generators/Given"
import { assert, it } from "@effect/vitest"
import { choose } from "../../src/document/Remap.ts"

// Which order is taken of several is what the laws of remapping say.
it("D3.3 of two orders that were created at once the later id is used, compared as numbers", () => {
  const candidates = ["9007199254740992", "9007199254740993"].map((id) => aCandidate(anOrder(id, "O1")))
  assert.strictEqual(choose(candidates)("O1", "OUTBOUND")?.order.id, "9007199254740993")
})
