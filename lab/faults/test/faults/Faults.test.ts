/** Faults that begin and are healed, whatever they are. */
import { assert, beforeEach, describe, it } from "vitest"
import { Faults } from "../../src/faults/Faults.ts"
import type { Begin, World } from "../../src/faults/Faults.ts"
import { faultKinds } from "../../src/faults/Schedule.ts"
import type { Fault, FaultKind, Side } from "../../src/faults/Schedule.ts"
import { eventsOf } from "../../src/history/History.ts"
import * as Record from "../../src/history/Record.ts"
import type { Recorder } from "../../src/history/Record.ts"

/** What happened, in its order. */
let said: Array<string>
let recorder: Recorder
/** Lets the beginning of a fault take its time. */
let gates: Map<number, Promise<void>>

type Small = Pick<World, "recorder">

const begin: Begin<Small> = async (_, { kind, number }) => {
  said.push(`${number} begins`)
  await gates.get(number)
  if (kind === "disk-full") return undefined
  return { heal: () => void said.push(`${number} heals`), details: () => `of ${number}` }
}

const begins = Object.fromEntries(faultKinds.map((kind) => [kind, begin])) as Readonly<
  Record<FaultKind, Begin<Small>>
>

const fault = (number: number, kind: FaultKind, ...sides: ReadonlyArray<Side>): Fault => ({
  number,
  kind,
  sides,
  begin: 0,
  end: 1,
  draw: 0
})

let faults: Faults<Small>

beforeEach(() => {
  said = []
  gates = new Map()
  recorder = Record.make()
  faults = new Faults({ recorder }, begins)
})

describe("a fault", () => {
  it("is healed once, however often it is ended", async () => {
    const one = fault(1, "way-cut", "a")
    faults.begin(one)
    await faults.end(one)
    await faults.end(one)
    await faults.healAll()
    assert.deepStrictEqual(said, ["1 begins", "1 heals"])
  })

  it("is recorded with its beginning before it begins and its end after it is healed, and counted", async () => {
    const one = fault(1, "way-cut", "a", "b")
    recorder.watch((event) => said.push(event.type === "fault" ? `${event.phase} is recorded` : event.type))
    faults.begin(one)
    await faults.end(one)
    assert.deepStrictEqual(said, ["begin is recorded", "1 begins", "1 heals", "end is recorded"])
    const [, end] = eventsOf(recorder.history, "fault")
    assert.deepInclude(end, { kind: "way-cut", target: "a and b", details: "of 1" })
    assert.deepStrictEqual([...faults.counts], [["way-cut", 1]])
  })

  it("waits for the one before it at the same resource, and not for others", async () => {
    const gate = Promise.withResolvers<void>()
    gates.set(1, gate.promise)
    const all = [
      fault(1, "instance-restart", "a"),
      fault(2, "instance-kill", "a"),
      fault(3, "instance-kill", "b")
    ]
    for (const each of all) faults.begin(each)
    await faults.end(all[2]!)
    assert.deepStrictEqual(said, ["1 begins", "3 begins", "3 heals"])
    const ended = Promise.all(all.map((each) => faults.end(each)))
    gate.resolve()
    await ended
    assert.deepStrictEqual(said.slice(3), ["1 heals", "2 begins", "2 heals"])
  })

  it("that the machine does not allow is left out, and holds up nothing", async () => {
    const all = [fault(1, "disk-full", "a", "b"), fault(2, "postgres-kill", "a", "b")]
    for (const each of all) faults.begin(each)
    await faults.healAll()
    assert.deepStrictEqual(said, ["1 begins", "2 begins", "2 heals"])
    assert.deepStrictEqual([...faults.leftOut], [["disk-full", 1]])
    assert.deepStrictEqual([...faults.counts], [["postgres-kill", 1]])
  })

  it("is healed with all others that have begun", async () => {
    faults.begin(fault(1, "way-cut", "a"))
    faults.begin(fault(2, "way-silent", "b"))
    await faults.healAll()
    assert.sameMembers(said, ["1 begins", "2 begins", "1 heals", "2 heals"])
  })
})
