/** What is told of a history that breaks promises very often, by very large events. */
import { assert, it } from "@effect/vitest"
import { show } from "../src/run/Verdict.ts"
import { history } from "./Script.ts"

it("a verdict counts all violations, and shows the first of each invariant by a few events, in short lines", () => {
  const script = history().tell({ type: "strange", client: "somebody", text: "x".repeat(100_000) })
  const all = Array.from({ length: 10_000 }, (_, at) => ({
    invariant: at % 2 === 0 ? "all or nothing" : "reads are current",
    text: "y".repeat(100_000),
    events: Array.from({ length: 40 }, () => 0)
  }))
  const verdict = show(all, script.history)
  assert.deepStrictEqual(verdict.violated, { "all or nothing": 5000, "reads are current": 5000 })
  assert.lengthOf(verdict.violations, 20)
  const [first] = verdict.violations
  assert.deepStrictEqual([first!.events.length, first!.more], [10, 30])
  assert.isBelow(JSON.stringify(verdict).length, 1_000_000)
})
