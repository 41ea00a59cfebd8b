/** Counting in windows: what is counted together, and what is forgotten. */
import { assert, describe, it } from "@effect/vitest"
import * as RateLimits from "../../src/tokens/RateLimits.ts"

describe("windows", () => {
  it("count the events of a key until they end, and begin anew with the next event", () => {
    const windows = RateLimits.fixedWindows(1000, 10)
    assert.deepStrictEqual({ ...windows.count("a", 5000) }, { count: 1, endsAt: 6000 })
    assert.deepStrictEqual({ ...windows.count("a", 5999) }, { count: 2, endsAt: 6000 })
    assert.deepStrictEqual({ ...windows.peek("a", 5999) }, { count: 2, endsAt: 6000 })
    assert.deepStrictEqual({ ...windows.peek("a", 6000) }, { count: 0, endsAt: 7000 })
    assert.deepStrictEqual({ ...windows.count("a", 6300) }, { count: 1, endsAt: 7300 })
  })

  it("are of each key alone", () => {
    const windows = RateLimits.fixedWindows(1000, 10)
    windows.count("a", 0)
    windows.count("a", 0)
    assert.strictEqual(windows.count("b", 0).count, 1)
    assert.strictEqual(windows.peek("c", 0).count, 0)
  })

  it("that are only looked at take no room", () => {
    const windows = RateLimits.fixedWindows(1000, 10)
    for (let key = 0; key < 100; key++) windows.peek(`k${key}`, 0)
    assert.strictEqual(windows.size(), 0)
  })

  it("are dropped once they have ended", () => {
    const windows = RateLimits.fixedWindows(1000, 1000)
    for (let key = 0; key < 500; key++) windows.count(`old ${key}`, key)
    windows.count("new", 1499)
    assert.deepStrictEqual([windows.size(), windows.peek("old 499", 1498).count], [1, 0])
  })

  it("are never more than the capacity: those that began first are forgotten", () => {
    const windows = RateLimits.fixedWindows(1_000_000, 100)
    for (let key = 0; key < 100; key++) windows.count(`k${key}`, key)
    // An event in an open window does not make it younger.
    windows.count("k0", 200)
    for (let key = 100; key < 150; key++) windows.count(`k${key}`, 300)
    assert.strictEqual(windows.size(), 100)
    const counts = ["k0", "k49", "k50", "k149"].map((key) => windows.peek(key, 300).count)
    assert.deepStrictEqual(counts, [0, 0, 1, 1])
  })

  it("stay no longer than they are long when the clock is set back", () => {
    const windows = RateLimits.fixedWindows(1000, 10)
    windows.count("a", 1_000_000)
    assert.strictEqual(windows.peek("a", 500).count, 0)
    assert.deepStrictEqual({ ...windows.count("a", 500) }, { count: 1, endsAt: 1500 })
  })
})
