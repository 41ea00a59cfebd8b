/**
 * The checker notices when an instance under attack does not say that it lives, when one hot number keeps others from
 * being served, and when writing does not go on after a promotion.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "../../src/history/History.ts"
import { adding, reading, Script } from "./Script.ts"

/** A history in which time passes as it is told to. */
class Timed extends Script {
  #now = 0
  pass(millis: number): this {
    this.#now += millis
    return this
  }
  override tell(occurrence: Parameters<Script["tell"]>[0]): this {
    super.tell(occurrence)
    Object.assign(this.history.at(-1) as Event, { at: this.#now })
    return this
  }
}

describe("probes are answered", () => {
  const judge = (status: number, millis: number) =>
    new Script().tell({ type: "probe", instance: 0, status, millis }).finds("probes are answered")

  it("in time", () => assert.deepStrictEqual(judge(200, 1500), []))

  it("late, not at all, or with a failure", () => {
    assert.lengthOf(judge(200, 2500), 1)
    assert.lengthOf(judge(0, 15_000), 1)
    assert.lengthOf(judge(503, 1), 1)
  })
})

describe("others are served", () => {
  const hot = { business: "acme", facility: "east", shipment: "HOT", instance: 0 } as const

  const held = () => new Timed().tell({ type: "held", phase: "begin", ...hot })
  const freed = (script: Timed) => script.tell({ type: "held", phase: "end", ...hot })
  const judge = (script: Script) => script.finds("others are served")

  it("at once, and those for the number after it is free", () => {
    const script = held()
    const waits = script.begin(adding(["L1"], "HOT"))
    const other = script.begin(adding(["L2"], "S2"))
    script.pass(100).ok(other)
    freed(script.pass(3900)).pass(50).ok(waits)
    assert.deepStrictEqual(judge(script), [])
  })

  /** Some writes for others, of which so many are answered at once, one not at all, and the others in the end. */
  const writes = (script: Timed, atOnce: number) => {
    const calls = ["S2", "S3", "S4", "S5"].map((name) => script.begin(adding(["L"], name)))
    script.pass(100)
    for (const call of calls.slice(0, atOnce)) script.ok(call)
    const [first, ...others] = calls.slice(atOnce)
    if (first !== undefined) script.unknown(first, "503 STORAGE_UNAVAILABLE")
    freed(script.pass(3900)).pass(50)
    for (const call of others) script.ok(call)
    return script
  }

  it("more of them than not", () => {
    for (const atOnce of [3, 4]) assert.deepStrictEqual(judge(writes(held(), atOnce)), [])
    for (const atOnce of [0, 1, 2]) assert.lengthOf(judge(writes(held(), atOnce)), 1)
  })

  it("what was asked shortly before the end may be answered after it", () => {
    const script = held().pass(3900)
    const calls = ["S2", "S3", "S4", "S5"].map((name) => script.begin(adding(["L"], name)))
    freed(script.pass(100)).pass(2500)
    for (const call of calls) script.ok(call)
    assert.deepStrictEqual(judge(script), [])
  })

  it("reads need no transaction", () => {
    const script = held()
    for (let left = 9; left > 0; left--) script.begin(reading("S2"))
    assert.deepStrictEqual(judge(freed(script.pass(4000))), [])
  })

  it("a document for the number has no answer long after it is free", () => {
    const script = held()
    const waits = script.begin(adding(["L1"], "HOT"))
    freed(script.pass(4000)).pass(8100).unknown(waits)
    assert.lengthOf(judge(script), 1)
  })

  it("a number that was kept for a moment only shows nothing", () => {
    const script = held()
    for (const name of ["S2", "S3", "S4", "S5"]) script.begin(adding(["L"], name))
    assert.deepStrictEqual(judge(freed(script.pass(2000))), [])
  })
})

describe("others have their share", () => {
  const burden = { type: "burden", kind: "large-reads", business: "bulk1", instance: 0 } as const
  const judge = (script: Script) => script.finds("others have their share")
  const refuse = (script: Script, reason: string, business: string) =>
    script.unknown(script.begin(reading(), { business }), reason)
  const beside = (reason: string, business = "acme") =>
    judge(
      refuse(new Script().tell({ ...burden, phase: "begin" }), reason, business).tell({
        ...burden,
        phase: "end"
      })
    )

  it("no call of another business is refused for overload, by REST or by GraphQL", () => {
    assert.deepStrictEqual(beside("503 OVERLOADED"), [
      "1 of 1 calls of others were refused for overload beside large-reads of bulk1"
    ])
    assert.lengthOf(beside("200 OVERLOADED"), 1)
  })

  it("the business of the client itself may be, and others may be refused for other reasons", () => {
    assert.deepStrictEqual(beside("503 OVERLOADED", "bulk1"), [])
    assert.deepStrictEqual(beside("503 STORAGE_UNAVAILABLE"), [])
    assert.deepStrictEqual(beside("TimeoutError"), [])
  })

  it("before it, after it, and at another instance", () => {
    const script = refuse(new Script(), "503 OVERLOADED", "acme")
    const late = script.tell({ ...burden, phase: "begin" }).begin(reading())
    script.tell({ ...burden, phase: "end" }).unknown(late, "503 OVERLOADED")
    assert.deepStrictEqual(judge(refuse(script, "503 OVERLOADED", "acme")), [])
    const elsewhere = new Script().tell({ ...burden, instance: 1, phase: "begin" })
    assert.deepStrictEqual(judge(refuse(elsewhere, "503 OVERLOADED", "acme")), [])
  })

  it("but for a small part of the calls, where a machine is busy", () => {
    const mixed = (answered: number) => {
      const script = new Script().tell({ ...burden, phase: "begin" })
      for (let left = answered; left > 0; left--) script.done(reading())
      return judge(refuse(script, "503 OVERLOADED", "acme").tell({ ...burden, phase: "end" }))
    }
    assert.deepStrictEqual(mixed(5), [])
    assert.lengthOf(mixed(4), 1)
  })

  it("and a client none of whose requests is answered is no burden", () => {
    const ended = (answered: number) =>
      judge(
        new Script().tell({ ...burden, phase: "begin" }).tell({ ...burden, phase: "end", answered })
      )
    assert.deepStrictEqual(ended(1), [])
    assert.deepStrictEqual(ended(0), ["nothing of large-reads of bulk1 was answered"])
  })

  it("beside each of several", () => {
    const script = new Script().tell({ ...burden, phase: "begin" }).tell({ ...burden, phase: "end" })
    refuse(script.tell({ ...burden, kind: "many-spellings", phase: "begin" }), "503 OVERLOADED", "globex")
    assert.lengthOf(judge(script.tell({ ...burden, kind: "many-spellings", phase: "end" })), 1)
  })
})

describe("writing goes on", () => {
  const promoted = (how: "kill" | "hang" | "isolation") =>
    new Timed().pass(1000).tell({ type: "failover", how, instances: 1 })
  const judge = (script: Script) => script.finds("writing goes on")

  it("within 5 s where the lost primary refuses connections, within 10 s where it is silent", () => {
    for (const [how, millis] of [["kill", 5000], ["hang", 10_000], ["isolation", 10_000]] as const) {
      assert.deepStrictEqual(judge(promoted(how).pass(millis).done(adding(["L1"]))), [])
      assert.lengthOf(judge(promoted(how).pass(millis + 1).done(adding(["L1"]))), 1)
    }
  })

  it("by a write that is acknowledged after the promotion, at every instance", () => {
    const before = new Timed().done(adding(["L1"])).tell({ type: "failover", how: "kill", instances: 1 })
    assert.lengthOf(judge(before), 1)
    assert.lengthOf(judge(promoted("kill").done(reading())), 1)
    const both = new Timed().tell({ type: "failover", how: "kill", instances: 2 }).done(adding(["L1"]))
    assert.deepStrictEqual(judge(both), [
      "instance 1 acknowledged no write for Infinity ms after a promotion (kill)"
    ])
  })
})
