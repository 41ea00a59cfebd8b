/** What one socket may send, over time. */
import { assert, describe, it } from "@effect/vitest"
import { makeFrameBudget } from "../../src/socket/Frames.ts"
import type { FrameBudget } from "../../src/socket/Frames.ts"

const rate = { frames: 3, framesPerSecond: 2, bytes: 100, bytesPerSecond: 10 }

/** How many frames of a size are taken at a time, until one is refused. */
const frames = (budget: FrameBudget, bytes: number, at: number): number => {
  let count = 0
  while (count < 1000 && budget.take(bytes, at)) count++
  return count
}

describe("the budget of a socket", () => {
  it("allows a burst at once, and no frame more", () => {
    assert.strictEqual(frames(makeFrameBudget(rate, 0), 1, 0), 3)
  })

  it("allows as many bytes as the burst has, however few frames they are", () => {
    assert.strictEqual(frames(makeFrameBudget(rate, 0), 40, 0), 2)
  })

  it("may be used again at its rate, up to the burst", () => {
    const budget = makeFrameBudget(rate, 0)
    for (let frame = 0; frame < 3; frame++) assert.isTrue(budget.take(0, 0))
    assert.isTrue(budget.take(0, 500))
    assert.isFalse(budget.take(0, 600))
    assert.strictEqual(frames(makeFrameBudget(rate, 0), 0, 3_600_000), 3)
  })

  it("does not count what is given back", () => {
    const budget = makeFrameBudget(rate, 0)
    for (let frame = 0; frame < 100; frame++) {
      assert.isTrue(budget.take(60, 0))
      budget.giveBack(60)
    }
  })
})
