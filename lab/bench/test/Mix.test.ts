import { assert, describe, it } from "@effect/vitest"
import { Random } from "../../Random.ts"
import { Arrivals } from "../src/overload/Arrivals.ts"
import { kinds, life, Slots } from "../src/overload/Life.ts"
import type { Kind } from "../src/overload/Life.ts"
import { Requests } from "../src/overload/Requests.ts"
import { follow } from "../src/overload/Search.ts"
import { fateOf, Tallies } from "../src/overload/Tallies.ts"

describe("bench overload: requests fall due at the rate, whatever happens", () => {
  /** The times that pass within a number of seconds, checked every 10 ms. */
  const within = (seed: number, seconds: number): ReadonlyArray<number> => {
    const arrivals = new Arrivals(200, 0, Random.of(seed))
    const times: Array<number> = []
    for (let now = 0; now <= seconds * 1000; now += 10) {
      for (let at = arrivals.due(now); at !== undefined; at = arrivals.due(now)) times.push(at)
    }
    return times
  }

  it("as many as the rate says, on average", () => {
    assert.closeTo(within(1, 100).length / 100, 200, 6)
  })

  it("who looks late finds all that fell due meanwhile, with the times they had", () => {
    const late = new Arrivals(200, 0, Random.of(1))
    const times: Array<number> = []
    for (let at = late.due(5000); at !== undefined; at = late.due(5000)) times.push(at)
    assert.deepStrictEqual(times, within(1, 5))
  })
})

describe("bench overload: shipments go through their lives", () => {
  it("the mix is the same all the time once it has begun, and holds every kind", () => {
    const slots = new Slots(500, Random.of(1))
    const share = (count: number) => {
      const counts = new Map<Kind, number>(kinds.map((kind) => [kind, 0]))
      for (let sent = 0; sent < count; sent++) {
        const slot = slots.take()
        const { kind } = life[slot.at]!
        counts.set(kind, counts.get(kind)! + 1)
        slots.done(slot)
      }
      return (kind: Kind) => counts.get(kind)! / count
    }
    share(2000)
    for (let round = 0; round < 5; round++) {
      const of = share(4000)
      for (const kind of kinds) {
        const due = life.filter((step) => step.kind === kind).length / life.length
        assert.closeTo(of(kind), due, 0.03, kind)
      }
    }
  })

  it("a step that is not known to be done comes again, and none after it before", () => {
    const slots = new Slots(1, Random.of(1))
    const slot = slots.take()
    slots.again(slot)
    assert.strictEqual(slots.take(), slot)
    assert.strictEqual(slot.at, 0)
    slots.done(slot)
    assert.strictEqual(slots.take().at, 1)
  })
})

describe("bench overload: requests name their shipment", () => {
  const requests = new Requests({ customer: "C", tower: "T" })
  const request = (at: number) => requests.of({ number: 12, at, id: 4711 }, 90)
  const text = (at: number) => request(at).body?.toString() ?? ""

  it("each by its number or its id, with the token of who sends it", () => {
    for (const at of life.keys()) {
      const { headers, path } = request(at)
      assert.strictEqual(headers["authorization"], `Bearer ${/pallet-events|depart/.test(path) ? "T" : "C"}`)
      assert.match(path + text(at), /-00000012|4711|"afterId":90/)
      assert.notInclude(text(at), "##")
    }
  })
})

describe("bench overload: what counts as good", () => {
  it("a refusal says when to come again, or is an error", () => {
    assert.strictEqual(fateOf(200, undefined), "good")
    assert.strictEqual(fateOf(201, undefined), "good")
    assert.strictEqual(fateOf(503, 1), "refused")
    assert.strictEqual(fateOf(429, 1), "refused")
    assert.strictEqual(fateOf(503, undefined), "error")
    assert.strictEqual(fateOf(500, 1), "error")
    assert.strictEqual(fateOf(409, undefined), "error")
  })

  it("a tally counts what came since the last one, with times of good answers only", () => {
    const tallies = new Tallies(0)
    tallies.due(false)
    tallies.due(true)
    tallies.ended("good", 10, () => "")
    tallies.ended("good", 30, () => "")
    tallies.ended("refused", 1, () => "")
    tallies.ended("error", 1, () => "step: 500")
    tallies.ended("timeout", 1, () => "")
    tallies.ended("good", 20, () => "")
    assert.deepStrictEqual(tallies.take(2000, 3), {
      seconds: 2,
      due: 2,
      held: 1,
      good: 3,
      refused: 1,
      errors: 1,
      timeouts: 1,
      firstError: "step: 500",
      p50: 20,
      p99: 30,
      inFlight: 3
    })
    assert.deepInclude(tallies.take(3000, 0), { due: 0, good: 0, firstError: null, seconds: 1 })
  })
})

describe("bench overload: the search ends where good answers no longer grow", () => {
  /** Searches a service with this rate of good answers for each load; returns the peak and the rates. */
  const search = (good: (rate: number) => number) => {
    const steps: Array<{ rate: number; good: number }> = []
    for (;;) {
      const verdict = follow(steps, 100)
      if ("peak" in verdict) return { peak: verdict.peak, steps }
      steps.push({ rate: verdict.next, good: good(verdict.next) })
    }
  }

  it("at the level of a service that levels off", () => {
    const { peak, steps } = search((rate) => Math.min(rate, 640))
    assert.strictEqual(peak, 640)
    assert.isAbove(steps.at(-1)!.rate, 640)
  })

  it("at the top of one that collapses", () => {
    const { peak } = search((rate) => rate <= 500 ? rate : 100)
    assert.isAtLeast(peak, 400)
    assert.isAtMost(peak, 500)
  })
})
