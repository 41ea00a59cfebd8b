/**
 * What was acknowledged by a database that is gone is exempt where the copy may lack it, and nothing else is.
 */
import { assert, describe, it } from "@effect/vitest"
import { adding, eventAt, item, reading, Script, shipment } from "./Script.ts"

const copied = (script: Script) =>
  script.tell({ type: "copied", phase: "begin" }).tell({ type: "copied", phase: "end" })
const gone = (script: Script) =>
  script.tell({ type: "promoted", phase: "begin" }).tell({
    type: "promoted",
    phase: "end",
    newest: { acme: 0 }
  })

describe("a promotion", () => {
  const durable = (script: Script) => script.finds("acknowledged is durable")

  it("loses what was acknowledged after the copy was begun", () => {
    assert.deepStrictEqual(durable(gone(copied(new Script()).done(adding(["L1"])))), [])
    assert.deepStrictEqual(durable(gone(copied(new Script()).done(eventAt(1), { messageId: 1 }))), [])
    const during = new Script()
    const call = during.begin(adding(["L1"]))
    assert.deepStrictEqual(durable(gone(copied(during).ok(call))), [])
  })

  it("loses nothing that was acknowledged before it, or that is acknowledged afterwards", () => {
    assert.lengthOf(durable(gone(copied(new Script().done(adding(["L1"]))))), 1)
    assert.lengthOf(durable(gone(copied(new Script())).done(adding(["L1"]))), 1)
  })

  it("loses nothing without a promotion", () => {
    assert.lengthOf(durable(copied(new Script()).done(adding(["L1"]))), 1)
  })

  it("may lack the record of what was refused after the copy was begun, and of nothing else", () => {
    const refused = (script: Script) => script.refused(script.begin(adding(["L1"])), "SHIPMENT_CANCELLED")
    const untold = (script: Script) =>
      script.finds("the record tells the truth").filter((text) => text.includes("is not recorded"))
    assert.deepStrictEqual(untold(gone(refused(copied(new Script())))), [])
    assert.lengthOf(untold(gone(copied(refused(new Script())))), 1)
    assert.lengthOf(untold(refused(gone(copied(new Script())))), 1)
  })

  it("leaves a document whole, or not there", () => {
    const lost = () => gone(copied(new Script()).done(adding(["L1", "L2"])))
    assert.deepStrictEqual(
      lost().stored(shipment("S1", [item("L1"), item("L2")])).finds("all or nothing"),
      []
    )
    assert.lengthOf(lost().stored(shipment("S1", [item("L1")])).finds("all or nothing"), 1)
  })

  it("leaves reads of what is lost out", () => {
    const read = (script: Script) => script.done(reading(), { shipments: [shipment("S1", [item("L1")])] })
    assert.deepStrictEqual(gone(read(copied(new Script()))).finds("reads are current"), [])
    const later = gone(copied(new Script().done(adding(["L1"])))).done(reading(), {
      shipments: [shipment("S1", [])]
    })
    assert.lengthOf(later.finds("reads are current"), 1)
  })

  it("ends what was begun before it, which nobody repeats then", () => {
    const script = new Script()
    const call = script.begin(adding(["L1"]))
    const live = (script: Script) =>
      script.tell({ type: "healed" }).tell({ type: "collected" }).finds("live after heal")
    assert.deepStrictEqual(live(gone(copied(script)).unknown(call)), [])
    const later = gone(copied(new Script()))
    assert.lengthOf(live(later.unknown(later.begin(adding(["L2"])))), 1)
  })
})
