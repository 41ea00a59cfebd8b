/**
 * The checker notices answers that are stale, show what cannot be there, or show a document by halves.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Asked } from "../../src/history/History.ts"
import { adding, item, reading, Script, shipment } from "./Script.ts"

const stored = (...lpns: ReadonlyArray<string>) => shipment("S1", lpns.map((lpn) => item(lpn)))

const shows = (...lpns: ReadonlyArray<string>) => ({ shipments: [stored(...lpns)] })

describe("reads are current", () => {
  it("an acknowledged item is shown, an unknown one may be", () => {
    const script = new Script().done(adding(["L1"])).done(reading(), shows("L1"))
    script.unknown(script.begin(adding(["L2"])))
    script.done(reading(), shows("L1")).done(reading(), shows("L1", "L2"))
    assert.deepStrictEqual(script.finds("reads are current"), [])
  })

  it("an acknowledged item is not shown", () => {
    assert.lengthOf(new Script().done(adding(["L1"])).done(reading(), shows()).finds("reads are current"), 1)
    const nothing = { shipments: [] }
    assert.lengthOf(new Script().done(adding(["L1"])).done(reading(), nothing).finds("reads are current"), 1)
  })

  it("a read that began before need not show it", () => {
    const script = new Script()
    const read = script.begin(reading())
    script.done(adding(["L1"])).ok(read, shows())
    assert.deepStrictEqual(script.finds("reads are current"), [])
  })

  it("an order alone shows its own items only", () => {
    const script = new Script().done({ operation: "add", shipment: "S1", own: { O1: ["L1"], O2: ["L2"] } })
    assert.deepStrictEqual(script.done(reading("S1", "O1"), shows("L1")).finds("reads are current"), [])
  })

  it("an item that was shown is gone, without having been acknowledged", () => {
    const script = new Script()
    script.unknown(script.begin(adding(["L1"]))).done(reading(), shows("L1")).done(reading(), shows())
    assert.lengthOf(script.finds("reads are current"), 1)
  })

  it("an item of a refused document, or of one that is not sent yet", () => {
    const script = new Script()
    script.refused(script.begin(adding(["L1"])), "SHIPMENT_CONFLICT").done(reading(), shows("L1"))
    assert.lengthOf(script.finds("reads are current"), 1)
    const early = new Script().done(reading(), shows("L1")).done(adding(["L1"]))
    assert.lengthOf(early.finds("reads are current"), 1)
  })

  it("a shipment is shown as it was before a step that was acknowledged", () => {
    const after = (status: string, operation: "arrive" | "depart" = "depart") =>
      new Script().done({ operation, shipmentId: 1 }).done(reading(), {
        shipments: [shipment("S1", [], { status })]
      })
        .finds("reads are current")
    assert.deepStrictEqual(after("DEPARTED"), [])
    assert.deepStrictEqual(after("DEPARTED", "arrive"), [])
    assert.lengthOf(after("ARRIVED"), 1)
    assert.lengthOf(after("SCHEDULED", "arrive"), 1)
    const beside = new Script()
    const step = beside.begin({ operation: "arrive", shipmentId: 1 })
    beside.done(reading(), { shipments: [stored()] }).ok(step)
    assert.deepStrictEqual(beside.finds("reads are current"), [])
  })

  it("a field says what was written before the last that was acknowledged, or nothing", () => {
    const marking = (value: string): Asked => ({
      operation: "add",
      shipment: "S1",
      own: {},
      mark: { order: "O1", lpn: "L", field: "upc", value }
    })
    const written = () => new Script().done(marking("a")).done(marking("b"))
    const saying = (upc: string) => ({ shipments: [shipment("S1", [item("L", "", { upc })])] })
    const judge = (script: Script) => script.finds("reads are current")
    assert.deepStrictEqual(judge(written().done(reading(), saying("b"))), [])
    assert.lengthOf(judge(written().done(reading(), saying("a"))), 1)
    assert.lengthOf(judge(written().done(reading(), saying(""))), 1)
    assert.lengthOf(judge(written().done(reading(), shows())), 1)
    assert.lengthOf(judge(written().done(reading("S1", "O1"), saying("a"))), 1)
    assert.deepStrictEqual(judge(written().done(reading("S1", "O2"), shows())), [])
    // One that is written beside it may be shown, one that is written afterwards may not.
    const beside = written()
    beside.unknown(beside.begin(marking("c")))
    assert.deepStrictEqual(judge(beside.done(reading(), saying("c"))), [])
    assert.lengthOf(judge(written().done(reading(), saying("c")).done(marking("c"))), 1)
  })
})

describe("all or nothing, of what is shown", () => {
  const both: Asked = { operation: "add", shipment: "S1", own: { O1: ["L1"], O2: ["L2"] } }
  const showing = (first: ReadonlyArray<string>, second: ReadonlyArray<string>) => ({
    shipments: [
      shipment("S1", [], {
        orders: [
          { orderNumber: "O1", status: "CREATED", items: first.map((lpn) => item(lpn)) },
          { orderNumber: "O2", status: "CREATED", items: second.map((lpn) => item(lpn)) }
        ]
      })
    ]
  })
  const judge = (script: Script) => script.finds("all or nothing")
  const beside = (answer: ReturnType<typeof showing>, asked: Asked = reading()) => {
    const script = new Script()
    const add = script.begin(both)
    return judge(script.done(asked, answer).ok(add, showing(["L1"], ["L2"])))
  }

  it("a read beside a document shows all of it or nothing", () => {
    assert.deepStrictEqual(beside(showing([], [])), [])
    assert.deepStrictEqual(beside(showing(["L1"], ["L2"])), [])
    assert.lengthOf(beside(showing(["L1"], [])), 1)
    assert.lengthOf(beside(showing([], ["L2"])), 1)
  })

  it("one order shows its part", () => {
    assert.deepStrictEqual(beside(shows("L1"), reading("S1", "O1")), [])
  })

  it("the answer to a document shows all of it, and others whole", () => {
    assert.lengthOf(judge(new Script().done(both, showing(["L1"], []))), 1)
    assert.lengthOf(judge(new Script().done(both, showing([], []))), 1)
    assert.deepStrictEqual(beside(showing(["L3"], []), adding(["L3"])), [])
    assert.lengthOf(beside(showing(["L3", "L1"], []), adding(["L3"])), 1)
  })
})
