/** Endpoints spread over the partitions, however their ids step (D12.4, D19). */
import { assert, describe, it } from "vitest"
import { partitionCount, partitionOf } from "../../src/webhooks/DeliveryStore.ts"

describe("ids that step by", () => {
  for (const step of [1, 2, 3, 64, 100, 512, 1000, 1024, 1025, 4096, 65_536, 1_000_000, 2 ** 33]) {
    it(`${step} are in all of them, and no partition has a twentieth`, () => {
      for (const first of [1, 2, 7, 1024, 1_000_000_007]) {
        const counts = Array.from({ length: partitionCount }, () => 0)
        for (let n = 0; n < 10 * partitionCount; n++) counts[partitionOf(first + n * step)]!++
        assert.isAbove(Math.min(...counts), 0, `from ${first}: ${counts.join(" ")}`)
        assert.isBelow(Math.max(...counts), 10 * partitionCount / 20, `from ${first}: ${counts.join(" ")}`)
      }
    })
  }
})

it("every id up to the largest has one", () => {
  for (const id of [0, 1, 2 ** 31, 2 ** 32, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER]) {
    assert.isTrue(Number.isInteger(partitionOf(id)))
    assert.isAtLeast(partitionOf(id), 0)
    assert.isBelow(partitionOf(id), partitionCount)
  }
})
