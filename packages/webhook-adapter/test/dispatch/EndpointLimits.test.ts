/** D15.3: how many requests of an endpoint begin in a second. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { RequestRate } from "../../src/dispatch/EndpointLimits.ts"

/** When requests begin that are asked for at these times, each as soon as it may. */
const begins = (rate: RequestRate, times: ReadonlyArray<number>): ReadonlyArray<number> => {
  const beginnings: Array<number> = []
  let now = -Infinity
  for (const at of times) {
    now = Math.max(now, at)
    now += rate.wait(now)
    assert.strictEqual(rate.wait(now), 0, "the wait is enough")
    rate.begin(now)
    beginnings.push(now)
  }
  return beginnings
}

describe("the rate of requests", () => {
  it("D15.3 in no second do more begin than it says, and none waits longer than it must", () => {
    fc.assert(fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 80 }),
      (perSecond, pauses) => {
        let time = 1000
        const times = pauses.map((pause) => time += pause)
        const beginnings = begins(new RequestRate(perSecond, 0), times)
        beginnings.forEach((at, n) => {
          const inSecond = beginnings.filter((other) => other > at - 1000 && other <= at)
          assert.isAtMost(inSecond.length, perSecond)
          const before = beginnings[n - perSecond]
          const soonest = Math.max(
            times[n]!,
            beginnings[n - 1] ?? 0,
            before === undefined ? 0 : before + 1000
          )
          assert.strictEqual(at, soonest)
        })
      }
    ))
  })

  it("a new lease counts as many for the second before it", () => {
    assert.deepStrictEqual(begins(new RequestRate(2, 500), [500, 500, 500]), [1500, 1500, 2500])
  })

  it("no limit is none", () => {
    assert.deepStrictEqual(begins(new RequestRate(0, 0), [0, 0, 0]), [0, 0, 0])
  })

  it("a limit that is changed counts what has begun, and a first limit begins as that of a new lease", () => {
    const rate = new RequestRate(3, 0)
    assert.deepStrictEqual(begins(rate, [1000, 1000, 1000]), [1000, 1000, 1000])
    rate.set(1, 1100)
    assert.strictEqual(rate.wait(1100), 900)
    rate.set(4, 1100)
    assert.strictEqual(rate.wait(1100), 0)
    rate.set(0, 1100)
    rate.set(4, 1200)
    assert.strictEqual(rate.wait(1200), 1000)
  })
})
