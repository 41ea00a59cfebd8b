/** Schedules of faults: what a seed says, and what no seed may say. */
import { assert, describe, it } from "vitest"
import {
  faultKinds,
  leastSeconds,
  resourcesOf,
  schedule,
  seedWith,
  sides
} from "../../src/faults/Schedule.ts"

const seeds = Array.from({ length: 200 }, (_, index) => index + 1)
const lengths = [leastSeconds, 15, 60]
const schedules = lengths.flatMap((seconds) => seeds.map((seed) => schedule(seed, seconds)))

describe("a schedule of faults", () => {
  it("is the same for the same seed and length, and another for another seed", () => {
    assert.deepStrictEqual(schedule(7, 15), schedule(7, 15))
    const all = new Set(seeds.map((seed) => JSON.stringify(schedule(seed, 15).faults)))
    assert.strictEqual(all.size, seeds.length)
  })

  it("has a window at the beginning and one in the middle, in which nothing is wrong", () => {
    for (const { faults, length, windows } of schedules) {
      assert.strictEqual(windows[0]?.begin, 0)
      assert.isTrue(windows.some(({ begin, end }) => begin > length / 3 && end < length))
      for (const window of windows) {
        assert.isAbove(window.end, window.begin)
        for (const { begin, end } of faults) {
          assert.isTrue(
            end <= window.begin || begin >= window.end + 500,
            "what is asked in it is answered in peace"
          )
        }
      }
    }
  })

  it("ends every fault after it begins and before the run ends", () => {
    for (const { faults, length } of schedules) {
      for (const { begin, draw, end } of faults) {
        assert.isBelow(begin, end)
        assert.isAtMost(end, length)
        assert.isTrue(draw >= 0 && draw < 1)
      }
    }
  })

  it("numbers faults in the order of their beginnings", () => {
    for (const { faults } of schedules) {
      assert.deepStrictEqual(faults.map(({ number }) => number), faults.map((_, index) => index + 1))
      assert.deepStrictEqual(
        faults.map(({ begin }) => begin),
        faults.map(({ begin }) => begin).toSorted((a, b) => a - b)
      )
    }
  })

  it("never lets two faults have one resource at once", () => {
    for (const { faults } of schedules) {
      const freeAt = new Map<string, number>()
      for (const fault of faults) {
        for (const resource of resourcesOf(fault)) {
          assert.isAtLeast(fault.begin, freeAt.get(resource) ?? 0, resource)
          freeAt.set(resource, fault.end)
        }
      }
    }
  })

  it("lets faults of different resources overlap", () => {
    const overlapping = schedules.filter(({ faults }) =>
      faults.some((fault, index) => faults.slice(index + 1).some(({ begin }) => begin < fault.end))
    )
    assert.isAbove(overlapping.length, schedules.length / 2)
  })

  it("has each kind in any 23 consecutive seeds, on each instance where it is about one", () => {
    for (const first of seeds.slice(0, -23)) {
      const faults = seeds.slice(first - 1, first + 22).flatMap((seed) => schedule(seed, 15).faults)
      assert.sameMembers([...new Set(faults.map(({ kind }) => kind))], [...faultKinds])
    }
    const ofOne = schedules.flatMap(({ faults }) => faults).filter(({ sides }) => sides.length === 1)
    for (const kind of new Set(ofOne.map(({ kind }) => kind))) {
      const sides = ofOne.filter((fault) => fault.kind === kind).flatMap(({ sides }) => sides)
      assert.sameMembers([...new Set(sides)], ["a", "b"], kind)
    }
  })

  it("of the next seed with a kind has that kind", () => {
    for (const from of [1, 7, 40]) {
      for (const kind of faultKinds) {
        const seed = seedWith(kind, from)
        assert.isTrue(seed >= from && seed < from + faultKinds.length)
        assert.include(schedule(seed, 15).faults.map((fault) => fault.kind), kind)
      }
    }
  })

  it("has something go wrong every second or two outside of its windows", () => {
    for (const { faults, length } of schedules.filter(({ length }) => length >= 15_000)) {
      // Nothing else begins while one lasts that takes both instances and all that they need.
      const alone = faults.filter((fault) => resourcesOf(fault).length === 2 * sides.length + 1)
      assert.isAtLeast(faults.length + alone.length, length / 4000)
    }
  })

  it("is refused for a run without room for it", () => {
    assert.throws(() => schedule(1, leastSeconds - 1), RangeError)
  })
})
