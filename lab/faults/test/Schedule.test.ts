/** Schedules of faults: what no seed may say. */
import { assert, it } from "vitest"
import { faultKinds, leastSeconds, resourcesOf, schedule, seedsWith } from "../src/faults/Schedule.ts"

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

it("each kind is in as many consecutive seeds as there are kinds, and is the first in seeds that are said to begin with it", () => {
  for (const first of seeds.slice(0, -faultKinds.length)) {
    const faults = seeds.slice(first - 1, first - 1 + faultKinds.length).flatMap((seed) =>
      schedule(seed, 15).faults
    )
    assert.sameMembers([...new Set(faults.map(({ kind }) => kind))], [...faultKinds])
  }
  for (const kind of faultKinds) {
    const found = seedsWith(kind, 40, 3)
    assert.isTrue(found.length === 3 && found[0]! >= 40 && found[0]! < 40 + faultKinds.length, String(found))
    for (const seed of found) assert.strictEqual(schedule(seed, 15).faults[0]!.kind, kind)
  }
})
