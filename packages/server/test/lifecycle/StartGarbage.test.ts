/** What is left of the start is collected when it is over. */
import { Effect } from "effect"
import { setImmediate as turn } from "node:timers/promises"
import { assert, it } from "vitest"
import { collect } from "../../src/lifecycle/StartGarbage.ts"

it("collects what nothing refers to, and nothing else", async () => {
  const survivor = { name: "kept" }
  const references = [new WeakRef(survivor), new WeakRef({ name: "left" })]
  // The target of a new reference is held until its turn ends.
  await turn()
  await Effect.runPromise(collect)
  assert.deepStrictEqual(references.map((reference) => reference.deref()), [survivor, undefined])
  assert.notProperty(globalThis, "gc")
})
