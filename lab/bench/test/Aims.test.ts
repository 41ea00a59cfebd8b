import { assert, describe, it } from "@effect/vitest"
import { aimsOf } from "../src/overload/Aims.ts"
import type { Leg } from "../src/overload/Aims.ts"
import type { Observed } from "../src/overload/Drive.ts"

const observed = (good: number, resident: number, errors = 0): Observed => ({
  tally: {
    good,
    seconds: 1,
    due: good,
    held: 0,
    refused: 0,
    timeouts: 0,
    errors,
    firstError: null,
    p50: 1,
    p99: 2,
    inFlight: 0
  },
  residentPeak: resident,
  cores: { server: 0, postgres: 0, load: 0 },
  waiting: 0
})

const leg = (factor: number, seen: Observed, isRecovery = false): Leg => ({
  manners: "rude",
  factor,
  isRecovery,
  observed: seen
})

/** The aims that are not met if the peak is 100. */
const unmet = (twice: Observed, after = observed(100, 110)): ReadonlyArray<string> =>
  aimsOf({
    search: [observed(40, 100), observed(100, 150)],
    peak: 100,
    legs: [leg(0.5, observed(50, 150)), leg(1, observed(100, 110)), leg(2, twice), leg(1, after, true)]
  }, "rude").filter(({ isMet }) => !isMet).map(({ text }) => text)

describe("bench overload: the aims", () => {
  it("are met by a service that keeps its level", () => {
    assert.deepStrictEqual(unmet(observed(90, 200)), [])
  })

  it("throughput that falls below 0.9 of the peak", () => {
    assert.deepStrictEqual(unmet(observed(89, 110)), ["at 2 times the load, 0.89 of the peak (aim 0.9)"])
  })

  it("memory that grows with the load", () => {
    assert.deepStrictEqual(unmet(observed(90, 210)), [
      "memory at most 2.10 times that before (aim 2)"
    ])
  })

  it("any error, whatever the throughput", () => {
    assert.deepStrictEqual(unmet(observed(90, 110, 1)), [
      "0 requests without an answer in time, 1 errors (aim 0)"
    ])
  })

  it("a service that does not recover", () => {
    assert.deepStrictEqual(unmet(observed(90, 110), observed(80, 110)), [
      "after it, 0.80 of the good answers before it (aim 0.9)"
    ])
  })
})
