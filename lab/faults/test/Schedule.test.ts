/** Schedules of faults: what no seed may say. */
import { assert, it } from "vitest"
import { faultKinds, leastSeconds, resourcesOf, schedule, seedWith } from "../src/faults/Schedule.ts"

const seeds = Array.from({ length: 200 }, (_, index) => index + 1)
const schedules = [leastSeconds, 15, 60].flatMap((seconds) => seeds.map((seed) => schedule(seed, seconds)))

it("a schedule has a window at the beginning and one in the middle, in which nothing is wrong", () => {
  for (const { faults, length, windows } of schedules) {
    assert.strictEqual(windows[0]?.begin, 0)
    assert.isTrue(windows.some(({ begin, end }) => begin > length / 3 && end < length))
    for (const window of windows) {
      // What is asked in it is answered in peace.
      assert.isTrue(faults.every(({ begin, end }) => end <= window.begin || begin >= window.end + 500))
    }
    assert.isTrue(faults.every(({ begin, end }) => begin < end && end <= length))
  }
})

it("a schedule never lets two faults have one resource at once", () => {
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

it("each kind is in as many consecutive seeds as there are kinds, and in the next one that is said to have it", () => {
  for (const first of seeds.slice(0, -faultKinds.length)) {
    const faults = seeds.slice(first - 1, first - 1 + faultKinds.length).flatMap((seed) =>
      schedule(seed, 15).faults
    )
    assert.sameMembers([...new Set(faults.map(({ kind }) => kind))], [...faultKinds])
  }
  for (const kind of faultKinds) {
    assert.include(schedule(seedWith(kind, 40), 15).faults.map((fault) => fault.kind), kind)
  }
})
