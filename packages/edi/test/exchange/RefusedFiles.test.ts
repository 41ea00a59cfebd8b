/** D18.3: the search through a refused file is bounded, and runs in slices. */
import { sliceCost } from "@dockline/core/input/Slices"
import type { Steps } from "@dockline/core/input/Slices"
import { assert, describe, it } from "vitest"
import { headOf } from "../../src/exchange/Record.ts"
import { fileWith } from "../Files.ts"

const good = fileWith("856", "SH", ["BSN*00*S-1*20261120*1700"])

/** The result of steps, with their costs. */
const costsOf = <A>(steps: Steps<A>) => {
  const costs: Array<number> = []
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return { value, costs }
    costs.push(value)
  }
}

describe("D18.3: the beginning of a refused file", () => {
  it("is no longer looked for once another interchange begins", () => {
    const { costs, value } = costsOf(headOf(good + "ISA*".repeat(2_500_000)))
    assert.isUndefined(value)
    assert.isEmpty(costs)
  })

  it("is found in slices, however long the file is and whatever is in it", () => {
    for (const filling of ["ISA", "AISA*", "x"]) {
      const { costs, value } = costsOf(headOf(good + "B" + filling.repeat(1_000_000)))
      assert.strictEqual(value?.control, "000000007")
      assert.isTrue(costs.every((cost) => cost < sliceCost))
      if (filling !== "x") assert.isAbove(costs.length, 40)
    }
  })
})
