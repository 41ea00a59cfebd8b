import { assert, describe, it } from "@effect/vitest"
import type { Had, Seen } from "../../bench/src/mix/customer/Protocol.ts"
import { faultsOf } from "../../bench/src/soak/Delivered.ts"
import type { Log } from "../../bench/src/soak/Delivered.ts"

const log: Log = { messages: 100, firstId: 1, lastId: 100, lostAtFailing: 0 }

const all = (name: string, change: Partial<Had> = {}): Had => ({
  name,
  messages: 100,
  firstId: 1,
  lastId: 100,
  repeats: 0,
  ...change
})

const seen = (change: Partial<Seen> = {}): Seen => ({
  port: 1,
  endpoints: [all("good"), all("flaky", { repeats: 3 }), all("failing", { messages: 0 })],
  followers: [all("follower 0"), all("follower 1")],
  connections: 2,
  expired: 0,
  refused: 0,
  faults: [],
  ...change
})

const acknowledged = { messages: 100, unknown: 0 }

/** The one fault there is. */
const faultOf = (change: Partial<Seen>, changedLog: Partial<Log> = {}, told = acknowledged): string => {
  const faults = faultsOf({ ...log, ...changedLog }, seen(change), told)
  assert.strictEqual(faults.length, 1, faults.join("; "))
  return faults[0]!
}

describe("bench soak: who has had every message", () => {
  it("nothing is missing when all have all, endpoints some of it twice", () => {
    assert.deepStrictEqual(faultsOf(log, seen(), acknowledged), [])
  })

  it("a follower that missed one, or the last, is told by name", () => {
    assert.include(
      faultOf({ followers: [all("follower 0", { messages: 99 })] }),
      "follower 0 has 99 messages"
    )
    assert.include(faultOf({ followers: [all("follower 0", { lastId: 99 })] }), "follower 0")
  })

  it("a follower may have none twice", () => {
    assert.include(faultOf({ followers: [all("follower 1", { repeats: 1 })] }), "more than once")
  })

  it("an endpoint that takes messages must have all", () => {
    assert.include(faultOf({ endpoints: [all("flaky", { messages: 99 })] }), "flaky has 99 messages")
  })

  it("of the failing endpoint nothing may be lost", () => {
    assert.include(faultOf({}, { lostAtFailing: 4 }), "4 messages are lost")
  })

  it("what was seen to be wrong meanwhile stays wrong", () => {
    assert.strictEqual(faultOf({ faults: ["good: out of order"] }), "good: out of order")
  })
})

describe("bench soak: acknowledged events are messages, one for one", () => {
  it("one without a message is lost", () => {
    assert.include(faultOf({}, {}, { messages: 101, unknown: 0 }), "101 pallet events")
  })

  it("a message that nobody was told of is one too many, unless it may be one without an answer", () => {
    assert.include(faultOf({}, {}, { messages: 98, unknown: 1 }), "100 messages are in the log")
    assert.deepStrictEqual(faultsOf(log, seen(), { messages: 98, unknown: 2 }), [])
  })
})
