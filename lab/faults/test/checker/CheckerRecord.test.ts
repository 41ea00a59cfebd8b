/** The record of documents tells of each document what its clients were told, once. */
import { assert, describe, it } from "@effect/vitest"
import { adding, item, Script, shipment } from "./Script.ts"

const name = "the record tells the truth"

const stored = shipment("S1", [item("L1")])
const refusal = { outcome: "REFUSED", code: "SHIPMENT_CANCELLED", counts: [0, 0, 0] } as const

/** A document of one item that was acknowledged. */
const taken = () => new Script().done(adding(["L1"]), { counts: [1, 1, 0] }).stored(stored)

/** A document that was refused, by whoever cancelled its shipment. */
const refused = () => {
  const script = new Script()
  return script.refused(script.begin(adding(["L1"])), "SHIPMENT_CANCELLED")
}

/** A document whose first try has no answer and whose second is answered from its key. */
const repeated = () => {
  const script = new Script()
  script.unknown(script.begin(adding(["L1"]), { request: "r" }))
  return script.done(adding(["L1"]), { counts: [1, 1, 0], replayed: true }, { request: "r" }).stored(stored)
}

describe(name, () => {
  it.each<readonly [string, () => Script]>([
    ["a document was acknowledged, and is recorded", () => taken().recorded(1, "S1")],
    ["a document was refused, and is recorded", () => refused().recorded(1, "S1", refusal)],
    ["the first of two tries was done", () => repeated().recorded(1, "S1")],
    ["a document of unknown outcome was done", () => {
      const script = new Script()
      return script.unknown(script.begin(adding(["L1"]))).stored(stored).recorded(1, "S1")
    }],
    ["a document of unknown outcome was not done", () => {
      const script = new Script()
      script.done(adding(["L2"], "S2"), {}).stored(shipment("S2", [item("L2")])).recorded(1, "S2")
      return script.unknown(script.begin(adding(["L1"])))
    }]
  ])("when %s", (_, history) => {
    assert.deepStrictEqual(history().finds(name), [])
  })

  it.each<readonly [string, () => Script, RegExp]>([
    ["lacks an acknowledged document", taken, /was acknowledged, and is not recorded/],
    ["lacks a refused one", refused, /was refused with SHIPMENT_CANCELLED, and is not recorded/],
    ["lacks what was done without an answer", () => {
      const script = new Script()
      return script.unknown(script.begin(adding(["L1"]))).stored(stored)
    }, /is stored, and not recorded as taken/],
    ["has what was rolled back", () => {
      const script = new Script()
      return script.unknown(script.begin(adding(["L1"]))).recorded(1, "S1")
    }, /is not stored, and recorded as taken/],
    ["has a document twice", () => taken().recorded(1, "S1").recorded(1, "S1"), /is recorded 2 times/],
    ["has a key twice", () => repeated().recorded(1, "S1").recorded(2, "S1"), /is recorded as taken 2 times/],
    [
      "tells of a refusal for an acknowledged one",
      () => taken().recorded(1, "S1", refusal),
      /was acknowledged, and is recorded as REFUSED/
    ],
    [
      "counts otherwise than the answer",
      () => taken().recorded(1, "S1", { counts: [1, 0, 0] }),
      /answered with the counts 1,1,0, and is recorded with 1,0,0/
    ],
    ["has what was never sent", () => taken().recorded(1, "S1").recorded(9, "S1"), /was not sent \(call-9\)/],
    [
      "tells of another's",
      () => taken().recorded(1, "S1", { client: "globex-client" }),
      /of globex-client for S1 that was not sent/
    ],
    ["has another number", () => taken().recorded(1, "S2"), /for S2 that was not sent/]
  ])("not when it %s", (_, history, text) => {
    assert.match(history().finds(name).join("\n"), text)
  })
})
