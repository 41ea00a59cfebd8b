/**
 * The checker notices each way in which the message log may not be what was promised.
 */
import { assert, describe, it } from "@effect/vitest"
import { eventAt, moment, Script } from "./Script.ts"

describe("nothing is invented", () => {
  it("each message was caused by an event or a departure", () => {
    const script = new Script()
    script.done(eventAt(1)).unknown(script.begin(eventAt(2)))
    script.done({ operation: "depart", shipmentId: 1 }).log(1).log(2).completion(3)
    assert.deepStrictEqual(script.finds("nothing is invented"), [])
  })

  it("one that nothing caused, or something that was refused", () => {
    assert.lengthOf(new Script().log(1).finds("nothing is invented"), 1)
    assert.lengthOf(new Script().completion(1).finds("nothing is invented"), 1)
    const script = new Script()
    script.refused(script.begin(eventAt(1)), "SHIPMENT_DEPARTED").log(1)
    assert.lengthOf(script.finds("nothing is invented"), 1)
  })

  it("one in the log of another tenant", () => {
    assert.lengthOf(
      new Script().done(eventAt(1)).log(1, { business: "globex" }).finds("nothing is invented"),
      1
    )
    assert.lengthOf(
      new Script().done(eventAt(1)).log(1, { facility: "west" }).finds("nothing is invented"),
      1
    )
  })

  it("another shipment or direction than what caused it", () => {
    const judge = (script: Script) => script.finds("nothing is invented")
    assert.lengthOf(judge(new Script().done(eventAt(1)).log(1, { shipmentId: 2 })), 1)
    assert.lengthOf(judge(new Script().done(eventAt(1, { direction: "UNLOADING" })).log(1)), 1)
  })
})

describe("ids in real-time order", () => {
  it("what was acknowledged before has the smaller id", () => {
    const script = new Script().done(eventAt(1)).done(eventAt(2)).log(1).log(2)
    assert.deepStrictEqual(script.finds("ids in real-time order"), [])
  })

  it("what was acknowledged before has the larger id", () => {
    const swapped = { pallets: [{ palletId: "1", direction: "LOADING", orders: [], occurredAt: moment(2) }] }
    const script = new Script().done(eventAt(1)).done(eventAt(2)).log(3, {
      pallets: [{ palletId: "1", direction: "LOADING", orders: [], occurredAt: moment(1) }]
    }).log(2, swapped)
    assert.lengthOf(script.finds("ids in real-time order"), 1)
  })

  it("what happened at the same time, or at another business, may have any", () => {
    const script = new Script()
    const first = script.begin(eventAt(2))
    script.done(eventAt(1)).ok(first).log(1).log(2)
    assert.deepStrictEqual(script.finds("ids in real-time order"), [])
    const two = new Script().done(eventAt(2)).done(eventAt(1), {}, { business: "globex" })
      .log(1, { business: "globex" }).log(2)
    assert.deepStrictEqual(two.finds("ids in real-time order"), [])
  })

  it("a departure counts by its completion", () => {
    const script = new Script().done({ operation: "depart", shipmentId: 1 }).done(
      eventAt(1, { shipmentId: 2 })
    )
      .log(1, { shipmentId: 2 }).completion(2)
    assert.lengthOf(script.finds("ids in real-time order"), 1)
  })
})

describe("sentAt grows", () => {
  it("it may stay as it is, and is of each business", () => {
    const script = new Script().log(1, { sentAt: 5 }).log(2, { sentAt: 5 }).log(3, {
      business: "globex",
      sentAt: 1
    })
    assert.deepStrictEqual(script.finds("sentAt grows"), [])
  })

  it("it goes back", () => {
    assert.lengthOf(new Script().log(1, { sentAt: 5 }).log(2, { sentAt: 4 }).finds("sentAt grows"), 1)
  })
})

describe("completions tell the truth", () => {
  const pass = (script: Script, id: number, palletId: string, direction: string, at = id) =>
    script.log(id, { pallets: [{ palletId, direction, orders: [], occurredAt: moment(at) }] })
  const remaining = (palletId: string, direction: string) => ({ palletId, direction, orders: [] })
  const truck = () => {
    const script = new Script()
    pass(script, 1, "a", "LOADING")
    pass(script, 2, "b", "LOADING")
    pass(script, 3, "b", "UNLOADING")
    return pass(script, 4, "c", "LOADING")
  }

  it("it names those that remain, in order of occurrence", () => {
    const script = truck().completion(5, [remaining("c", "LOADING"), remaining("a", "LOADING")])
    assert.deepStrictEqual(script.finds("completions tell the truth"), [])
    const late = new Script()
    pass(late, 1, "a", "UNLOADING", 2)
    pass(late, 2, "a", "LOADING", 1)
    pass(late, 3, "a", "LOADING", 3).completion(4, [remaining("a", "LOADING")])
    assert.deepStrictEqual(late.finds("completions tell the truth"), [])
  })

  it("it names one that was unloaded, or misses one", () => {
    const all = [remaining("a", "LOADING"), remaining("b", "UNLOADING"), remaining("c", "LOADING")]
    assert.lengthOf(truck().completion(5, all).finds("completions tell the truth"), 1)
    assert.lengthOf(truck().completion(5, all.slice(0, 1)).finds("completions tell the truth"), 1)
  })

  it("a pallet passes after it", () => {
    const script = truck().completion(5, [remaining("a", "LOADING"), remaining("c", "LOADING")])
    assert.lengthOf(
      pass(pass(script, 6, "d", "LOADING"), 7, "d", "UNLOADING").finds("completions tell the truth"),
      2
    )
  })
})
