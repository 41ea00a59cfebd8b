/** Exceptions that were acknowledged are listed once, and what was cancelled stays cancelled. */
import { assert, describe, it } from "@effect/vitest"
import type { Asked, EventOf } from "../../src/history/History.ts"
import { adding, Script, shipment } from "./Script.ts"

const report: Asked = { operation: "report", shipmentId: 1, description: "X1" }
const resolve: Asked = { operation: "resolve", shipmentId: 1, exceptionId: 7 }

const listing = (script: Script, ...listed: EventOf<"exceptions">["listed"]) =>
  script.tell({ type: "exceptions", shipmentId: 1, listed })

const open = { id: 7, description: "X1", isResolved: false }
const resolved = { ...open, isResolved: true }

const reported = () => new Script().done(report, { exceptionId: 7 })
const unknown = () => {
  const script = new Script()
  return script.unknown(script.begin(report))
}

describe("exceptions are listed once", () => {
  const name = "exceptions are listed once"

  it.each<readonly [string, () => Script]>([
    ["it was acknowledged, and resolved", () => listing(reported().done(resolve), resolved)],
    ["its outcome is unknown and it is listed", () => listing(unknown(), open)],
    ["its outcome is unknown and it is not listed", () => listing(unknown())],
    ["the outcome of its resolution is unknown", () => {
      const script = reported()
      return listing(script.unknown(script.begin(resolve)), resolved)
    }]
  ])("when %s", (_, history) => {
    assert.deepStrictEqual(history().finds(name), [])
  })

  it.each<readonly [string, () => Script, RegExp]>([
    ["is lost", () => listing(reported()), /was acknowledged as 7, and is listed as none/],
    ["cannot be listed", reported, /was acknowledged as 7, and is listed as none/],
    ["is there twice", () => listing(unknown(), open, { ...open, id: 8 }), /is listed 2 times/],
    ["has two ids", () => {
      const script = new Script().done(report, { exceptionId: 7 }, { request: "r" })
      return listing(script.done(report, { exceptionId: 8 }, { request: "r" }), open)
    }, /was acknowledged as 7, 8, and is listed as 7/],
    ["was refused", () => {
      const script = new Script()
      return listing(script.refused(script.begin(report), "SHIPMENT_NOT_FOUND"), open)
    }, /was refused, and is listed/],
    ["was reported by nobody", () => listing(new Script(), open), /nobody has reported it/],
    ["was resolved by nobody", () => listing(reported(), resolved), /nobody has resolved it/],
    ["is open again", () => listing(reported().done(resolve), open), /is open, though its resolution/]
  ])("not when an exception %s", (_, history, text) => {
    assert.match(history().finds(name).join("\n"), text)
  })
})

describe("cancelled is final", () => {
  const name = "cancelled is final"
  const cancel: Asked = { operation: "cancel", shipmentId: 1 }
  const cancelled = shipment("S1", [], {
    status: "CANCELLED",
    orders: [{ orderNumber: "O1", status: "CANCELLED", items: [] }]
  })
  const refused = () => {
    const script = new Script()
    return script.refused(script.begin(cancel), "INVALID_TRANSITION")
  }

  it.each<readonly [string, () => Script]>([
    ["it was acknowledged", () => new Script().done(cancel).stored(cancelled)],
    ["it was refused", () => refused().stored(shipment("S1", [], { status: "ARRIVED" }))],
    ["its outcome is unknown", () => {
      const script = new Script()
      return script.unknown(script.begin(cancel)).stored(cancelled)
    }]
  ])("when %s", (_, history) => {
    assert.deepStrictEqual(history().finds(name), [])
  })

  it.each<readonly [string, () => Script, RegExp]>([
    [
      "it is not stored",
      () => new Script().done(cancel).stored(shipment("S1", [])),
      /is stored as SCHEDULED/
    ],
    ["it was refused", () => refused().stored(cancelled), /though that was refused/],
    [
      "the shipment arrived",
      () => new Script().done(cancel).done({ operation: "arrive", shipmentId: 1 }).stored(cancelled),
      /though its arrival was acknowledged/
    ],
    [
      "its orders go on",
      () => new Script().done(cancel).stored(shipment("S1", [], { status: "CANCELLED" })),
      /and its orders are not/
    ],
    [
      "it takes a document",
      () => new Script().done(cancel).done(adding([])).stored(cancelled),
      /and took a document later/
    ],
    ["nobody asked for it", () => new Script().stored(cancelled), /nobody has asked for it/]
  ])("not when %s", (_, history, text) => {
    assert.match(history().finds(name).join("\n"), text)
  })
})
