/** The marks of an advice that replaces another, and their places (D23.8). */
import { assert, describe, it } from "vitest"
import { replacing } from "../../src/sets/AdviceSets.ts"
import { segment } from "../../src/x12/Fault.ts"

const note = "REPLACES THE ADVICE OF THIS ORDER AND SHIPMENT THAT WAS SENT BEFORE"

const idsOf = (id: "944" | "945", ...ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  replacing({ id, segments: ids.map((each) => segment(each)) }).segments.map(({ elements, id }) =>
    id === "NTE" ? String(elements[1]) : id
  )

describe("an advice that replaces another says so in a note", () => {
  it("before its first item, or its transport, or its total", () => {
    assert.deepStrictEqual(idsOf("945", "W06", "N1", "W27", "W03"), ["W06", "N1", note, "W27", "W03"])
    assert.deepStrictEqual(idsOf("944", "W17", "N1", "W07", "W14"), ["W17", "N1", note, "W07", "W14"])
    assert.deepStrictEqual(idsOf("944", "W17", "N1", "W14"), ["W17", "N1", note, "W14"])
  })

  it("at its end without any of these", () => {
    assert.deepStrictEqual(idsOf("944", "W17", "N1", "N9"), ["W17", "N1", "N9", note])
  })
})
