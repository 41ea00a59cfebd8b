/** What REST shows of pallets at the end is what was acknowledged, each counted once. */
import { assert, describe, it } from "@effect/vitest"
import type { DockFacts } from "../../src/history/History.ts"
import { eventAt, item, moment, Script, shipment } from "./Script.ts"

const name = "docks tell the truth"

/** L1 was loaded, unloaded and loaded again, L2 loaded and unloaded; L3 has not come, and L4 is not expected. */
const history = (more: Partial<DockFacts> = {}): Script => {
  const script = new Script()
  const events = [["L1", "LOADING"], ["L2", "LOADING"], ["L1", "UNLOADING"], ["L2", "UNLOADING"], [
    "L1",
    "LOADING"
  ], ["L4", "LOADING"]] as const
  for (const [at, [lpn, direction]] of events.entries()) {
    const id = 10 + at
    script.done(eventAt(id, { lpn, direction }), { messageId: id })
      .log(id, { pallets: [{ palletId: lpn, direction, orders: [], occurredAt: moment(id) }] })
  }
  const items = ["L1", "L2", "L3", ""].map((lpn) => item(lpn))
  return script.stored(shipment("S1", items)).tell({
    type: "dock",
    shipmentId: 1,
    expected: 3,
    passed: 2,
    missing: 2,
    unexpected: 1,
    pallets: [
      { lpn: "L1", isLoaded: true, isExpected: true, messageIds: [10, 12, 14] },
      { lpn: "L2", isLoaded: false, isExpected: true, messageIds: [11, 13] },
      { lpn: "L4", isLoaded: true, isExpected: false, messageIds: [15] }
    ],
    discrepancies: ["OVER L4", "SHORT L2", "SHORT L3"],
    ...more
  })
}

describe(name, () => {
  it("when everything is counted once", () => {
    assert.deepStrictEqual(history().finds(name), [])
  })

  it.each<readonly [string, Partial<DockFacts>, RegExp]>([
    ["counts a pallet twice", { passed: 3 }, /shows passed as 3, and it is 2/],
    ["misses one that has passed", { missing: 3 }, /shows missing as 3, and it is 2/],
    ["expects items without lpn", { expected: 4 }, /shows expected as 4, and it is 3/],
    ["lacks a pallet", { pallets: [] }, /shows pallets as \[\], and it is \[/],
    ["has what was taken off", { discrepancies: ["OVER L4", "SHORT L3"] }, /shows discrepancies as/]
  ])("not when it %s", (_, more, text) => {
    const found = history(more).finds(name)
    assert.lengthOf(found, 1)
    assert.match(found[0]!, text)
  })

  it("not when an acknowledged event has not come to its pallet, or came twice", () => {
    const pallets = (messageIds: ReadonlyArray<number>) => [
      { lpn: "L1", isLoaded: true, isExpected: true, messageIds },
      { lpn: "L2", isLoaded: false, isExpected: true, messageIds: [11, 13] },
      { lpn: "L4", isLoaded: true, isExpected: false, messageIds: [15] }
    ]
    for (const ids of [[10, 14], [10, 12, 12, 14], [12, 10, 14]]) {
      assert.lengthOf(history({ pallets: pallets(ids) }).finds(name), 1)
    }
  })

  it("counts what has an unknown outcome when it is in the log, and not what was refused", () => {
    const script = new Script()
    script.unknown(script.begin(eventAt(10, { lpn: "L1" }))).log(10)
    script.refused(script.begin(eventAt(11, { lpn: "L9" })), "SHIPMENT_DEPARTED")
    script.stored(shipment("S1", [item("L1")])).tell({
      type: "dock",
      shipmentId: 1,
      expected: 1,
      passed: 1,
      missing: 0,
      unexpected: 0,
      pallets: [{ lpn: "L1", isLoaded: true, isExpected: true, messageIds: [10] }],
      discrepancies: []
    })
    assert.deepStrictEqual(script.finds(name), [])
  })

  it("not when a shipment is shown that is not stored", () => {
    const none = { expected: 0, passed: 0, missing: 0, unexpected: 0, pallets: [], discrepancies: [] }
    assert.lengthOf(new Script().tell({ type: "dock", shipmentId: 9, ...none }).finds(name), 1)
  })
})
