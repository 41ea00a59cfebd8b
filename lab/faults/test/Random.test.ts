/** Numbers of a seed. */
import { assert, describe, it } from "vitest"
import { Random } from "../../Random.ts"

const take = (random: Random, count = 20): ReadonlyArray<number> =>
  Array.from({ length: count }, () => random.next())

describe("numbers of a seed", () => {
  it("are the same for the same seed and others for another", () => {
    assert.deepStrictEqual(take(Random.of(1)), take(Random.of(1)))
    assert.notDeepEqual(take(Random.of(1)), take(Random.of(2)))
  })

  it("of a name do not depend on what was drawn before, nor on other names", () => {
    const random = Random.of(1)
    const before = take(random.split("clients"))
    take(random)
    take(random.split("faults"))
    assert.deepStrictEqual(take(random.split("clients")), before)
    assert.notDeepEqual(take(random.split("faults")), before)
    assert.notDeepEqual(take(random.split("a").split("b")), take(random.split("b").split("a")))
  })

  it("are spread evenly over the whole range", () => {
    const numbers = take(Random.of(3), 20_000)
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = numbers.filter((number) => Math.floor(number * 10) === tenth).length / numbers.length
      assert.approximately(share, 0.1, 0.01)
    }
  })

  it("whole ones include both ends and nothing beyond", () => {
    const random = Random.of(4)
    const drawn = new Set(Array.from({ length: 1000 }, () => random.int(3, 6)))
    assert.sameMembers([...drawn], [3, 4, 5, 6])
  })

  it("pick each of several, and refuse to pick from nothing", () => {
    const random = Random.of(5)
    assert.sameMembers([...new Set(Array.from({ length: 200 }, () => random.pick(["a", "b", "c"])))], [
      "a",
      "b",
      "c"
    ])
    assert.throws(() => random.pick([]), RangeError)
  })

  it("shuffle to another order of the same", () => {
    const all = Array.from({ length: 50 }, (_, index) => index)
    const shuffled = Random.of(6).shuffle(all)
    assert.sameMembers([...shuffled], all)
    assert.notDeepEqual(shuffled, all)
  })

  it("let happen what has a probability about as often as it says", () => {
    const random = Random.of(7)
    const happened =
      Array.from({ length: 10_000 }, () => random.chance(0.3)).filter((happens) => happens).length
    assert.approximately(happened / 10_000, 0.3, 0.02)
  })
})
