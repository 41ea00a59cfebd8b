/**
 * The checker notices when an instance under attack does not say that it lives, and when one hot number keeps others
 * from being served.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "../src/History.ts"
import { adding, reading, Script } from "./Script.ts"

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

  it("only when the number is free, or not at all", () => {
    const script = held()
    const [document, read, gone] = [
      script.begin(adding(["L2"], "S2")),
      script.begin(reading("S3")),
      script.begin(reading("S4"))
    ]
    assert.isDefined(gone)
    script.pass(100).unknown(read, "503 STORAGE_UNAVAILABLE")
    freed(script.pass(3900)).pass(50).ok(document)
    assert.lengthOf(judge(script), 3)
  })

  it("what was asked shortly before the end may be answered after it", () => {
    const script = held().pass(3900)
    const other = script.begin(adding(["L2"], "S2"))
    freed(script.pass(100)).pass(2500).ok(other)
    assert.deepStrictEqual(judge(script), [])
  })

  it("a document for the number has no answer long after it is free", () => {
    const script = held()
    const waits = script.begin(adding(["L1"], "HOT"))
    freed(script.pass(4000)).pass(5100).unknown(waits)
    assert.lengthOf(judge(script), 1)
  })

  it("a number that was kept for a moment only shows nothing", () => {
    const script = held()
    const other = script.begin(adding(["L2"], "S2"))
    freed(script.pass(2000)).ok(other)
    assert.deepStrictEqual(judge(script), [])
  })
})
