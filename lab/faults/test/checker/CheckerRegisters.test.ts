/**
 * The checker knows which versions of a register may be read, when outcomes are unknown and requests land late.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Asked } from "../../src/history/History.ts"
import { item, reading, Script, shipment } from "./Script.ts"

const writing = (version: string): Asked => ({
  operation: "overwrite",
  shipment: "S1",
  version,
  orders: ["O1", "O2"],
  items: 2
})

const showing = (first: string, second = first) =>
  shipment("S1", [], {
    orders: [
      { orderNumber: "O1", status: "CREATED", items: [item("a", first), item("b", first)] },
      { orderNumber: "O2", status: "CREATED", items: [item("c", second), item("d", second)] }
    ]
  })

/** Writes, and is acknowledged. */
const write = (script: Script, version: string, request = version, once = true) =>
  script.done(writing(version), { shipments: [showing(version)] }, { request, once })

const read = (script: Script, version: string) => script.done(reading(), { shipments: [showing(version)] })

const judge = (script: Script) => script.finds("registers are linearizable")

describe("registers are linearizable", () => {
  it("reads show the latest version, before the first one nothing", () => {
    const script = new Script().done(reading(), { shipments: [] })
    write(script, "v1")
    read(script, "v1")
    write(script, "v2")
    read(script, "v2").stored(showing("v2"))
    assert.deepStrictEqual(judge(script), [])
  })

  it("a stale read", () => {
    const script = write(write(new Script(), "v1"), "v2")
    assert.lengthOf(judge(read(script, "v1")), 1)
  })

  it("nothing is there after the first version", () => {
    assert.lengthOf(judge(write(new Script(), "v1").done(reading(), { shipments: [] })), 1)
  })

  it("the last version is lost", () => {
    assert.lengthOf(judge(write(write(new Script(), "v1"), "v2").stored(showing("v1"))), 1)
  })

  it("the whole shipment is lost", () => {
    assert.lengthOf(judge(write(new Script(), "v1").tell({ type: "collected" })), 1)
    const unknown = new Script()
    unknown.unknown(unknown.begin(writing("v1"))).tell({ type: "collected" })
    assert.deepStrictEqual(judge(unknown), [])
  })

  it("a read beside a write shows either version, but not the new one and then the old one", () => {
    const during = (...versions: ReadonlyArray<string>) => {
      const script = write(new Script(), "v1")
      const call = script.begin(writing("v2"))
      for (const version of versions) read(script, version)
      return script.ok(call)
    }
    assert.deepStrictEqual(judge(during("v1", "v2")), [])
    assert.lengthOf(judge(during("v2", "v1")), 1)
  })

  it("an unknown write may land at any later time, once", () => {
    const script = new Script()
    script.unknown(script.begin(writing("v1.1"), { request: "v1", once: false }))
    write(script, "v1.2", "v1", false)
    write(script, "v2")
    read(script, "v2")
    read(script, "v1.1").stored(showing("v1.1"))
    assert.deepStrictEqual(judge(script), [])
    // It cannot have landed twice.
    assert.isNotEmpty(judge(read(read(write(script, "v3"), "v3"), "v1.1")))
  })

  it("an acknowledged try does not land again", () => {
    const script = new Script()
    script.unknown(script.begin(writing("v1.1"), { request: "v1", once: false }))
    write(write(script, "v1.2", "v1", false), "v2")
    assert.lengthOf(judge(read(script, "v1.2")), 1)
  })

  it("under a key an unknown try does not land after its repeat was acknowledged", () => {
    const script = new Script()
    script.unknown(script.begin(writing("v1"), { request: "v1" }))
    write(write(script, "v1", "v1"), "v2")
    read(script, "v2")
    assert.lengthOf(judge(read(script, "v1")), 1)
  })

  it("under a key the first try may land before its repeat", () => {
    const script = new Script()
    script.unknown(script.begin(writing("v1"), { request: "v1" }))
    assert.deepStrictEqual(judge(write(read(script, "v1"), "v1", "v1")), [])
  })

  it("a version that nobody wrote, that was refused, or that is not sent yet", () => {
    assert.lengthOf(judge(read(write(new Script(), "v1"), "v9")), 1)
    const refused = write(new Script(), "v1")
    refused.refused(refused.begin(writing("v2")), "SHIPMENT_CONFLICT")
    assert.isNotEmpty(judge(read(refused, "v2")))
    assert.isNotEmpty(judge(write(read(write(new Script(), "v1"), "v2"), "v2")))
  })
})

describe("registers are whole", () => {
  const whole = (script: Script) => script.finds("registers are whole")

  it("one version in all items of all orders", () => {
    assert.deepStrictEqual(whole(read(write(new Script(), "v1"), "v1").stored(showing("v1"))), [])
    const alone = shipment("S1", [item("a", "v1"), item("b", "v1")])
    const script = write(new Script(), "v1").done(reading("S1", "O1"), { shipments: [alone] })
    assert.deepStrictEqual(whole(script), [])
  })

  it("two versions at once, in a read and at the end", () => {
    const mixed = showing("v1", "v2")
    assert.lengthOf(whole(write(new Script(), "v1").done(reading(), { shipments: [mixed] })), 1)
    assert.lengthOf(whole(write(new Script(), "v1").stored(mixed)), 1)
  })

  it("not all of its items", () => {
    const part = shipment("S1", [item("a", "v1"), item("b", "v1")])
    assert.lengthOf(whole(write(new Script(), "v1").stored(part)), 1)
  })

  it("an answer that shows another version than was written", () => {
    assert.lengthOf(whole(new Script().done(writing("v1"), { shipments: [showing("v2")] })), 1)
  })
})
