import { assert, describe, it } from "@effect/vitest"
import { random } from "../../bench/src/mix/Arrivals.ts"
import { isBack, slopeOf, trendOf } from "../../bench/src/soak/Trend.ts"
import type { Bound, Point } from "../../bench/src/soak/Trend.ts"

const growth: Bound = { kind: "growth", most: 0.05, least: 2 }
const thirds: Bound = { kind: "thirds", most: 1.25, least: 3 }

/** A point a minute for half an hour. */
const halfHour = (value: (minute: number) => number): ReadonlyArray<Point> =>
  Array.from({ length: 30 }, (_, minute) => ({ at: minute * 60, value: value(minute) }))

const isFlat = (bound: Bound, points: ReadonlyArray<Point>) =>
  trendOf({ name: "memory", unit: "MiB", bound, points }).isFlat

/** Noise of so many percent of 100 to either side. */
const noise = (seed: number, percent: number) => {
  const next = random(seed)
  return () => (next() - 0.5) * 2 * percent
}

describe("bench soak: a slope is that of the many", () => {
  it("of a line it is the line's", () => {
    assert.closeTo(slopeOf(halfHour((minute) => 100 + minute * 3)), 3 / 60, 1e-9)
  })

  it("a quarter of wild points does not move it", () => {
    const wild = halfHour((minute) => minute % 4 === 0 ? 9000 : 100 + minute * 3)
    assert.closeTo(slopeOf(wild), 3 / 60, 0.01)
  })

  it("one point, or several of one time, have none", () => {
    assert.strictEqual(slopeOf([{ at: 0, value: 5 }]), 0)
    assert.strictEqual(slopeOf([{ at: 1, value: 5 }, { at: 1, value: 9 }]), 0)
  })
})

describe("bench soak: what grows is found, what only moves is not", () => {
  it("a leak of a tenth over the last two thirds", () => {
    assert.isFalse(isFlat(growth, halfHour((minute) => 100 + minute * 0.6)))
  })

  it("a leak beneath noise and collections", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = noise(seed, 3)
      const leaking = halfHour((minute) => 100 + minute * 0.8 + next() + (minute % 7 === 0 ? 60 : 0))
      assert.isFalse(isFlat(growth, leaking), `seed ${seed}`)
    }
  })

  it("noise alone is flat", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = noise(seed, 3)
      assert.isTrue(isFlat(growth, halfHour(() => 100 + next())), `seed ${seed}`)
    }
  })

  it("what grows at first and then stays is flat: caches fill", () => {
    assert.isTrue(isFlat(growth, halfHour((minute) => minute < 9 ? 60 + minute * 5 : 105)))
  })

  it("a saw is flat, and so is what shrinks", () => {
    assert.isTrue(isFlat(growth, halfHour((minute) => 100 + Math.abs(minute % 6 - 3) * 10)))
    assert.isTrue(isFlat(growth, halfHour((minute) => 200 - minute * 3)))
  })

  it("a rise below the floor is none, however small the level is", () => {
    assert.isTrue(isFlat(growth, halfHour((minute) => 1 + minute * 0.05)))
    assert.isFalse(isFlat(growth, halfHour((minute) => 1 + minute * 0.5)))
  })

  it("from nothing to something is a rise", () => {
    assert.isTrue(isFlat(growth, halfHour(() => 0)))
    const backlog = halfHour((minute) => minute < 21 ? 0 : (minute - 20) * 50)
    assert.isFalse(isFlat({ kind: "growth", most: 0.5, least: 100 }, backlog))
  })

  it("a few points tell nothing, and an unknown value nothing good", () => {
    assert.isFalse(isFlat(growth, halfHour(() => 100).slice(0, 5)))
    assert.isTrue(isFlat(growth, halfHour(() => 100).slice(0, 6)))
    assert.isFalse(isFlat(growth, halfHour((minute) => minute === 4 ? Number.NaN : 100)))
  })

  it("what is only shown is not judged", () => {
    assert.isUndefined(isFlat({ kind: "none" }, halfHour((minute) => minute)))
  })
})

describe("bench soak: times are held against those of the beginning", () => {
  it("a last third a quarter above the first is the limit", () => {
    assert.isTrue(isFlat(thirds, halfHour((minute) => minute < 15 ? 100 : 124)))
    assert.isFalse(isFlat(thirds, halfHour((minute) => minute < 15 ? 100 : 127)))
  })

  it("a slow minute is not a slow service", () => {
    assert.isTrue(isFlat(thirds, halfHour((minute) => minute === 25 ? 2000 : 100)))
  })

  it("a difference below the floor is none", () => {
    assert.isTrue(isFlat(thirds, halfHour((minute) => minute < 15 ? 2 : 4)))
  })
})

describe("bench soak: what is held at rest", () => {
  const held = (before: number, after: number) => isBack({ name: "sockets", before, after, slack: 2 })

  it("may be less, or a little more", () => {
    assert.isTrue(held(20, 18))
    assert.isTrue(held(20, 22))
    assert.isFalse(held(20, 23))
  })

  it("must be known", () => {
    assert.isFalse(held(20, Number.NaN))
    assert.isFalse(held(Number.NaN, 20))
  })
})
