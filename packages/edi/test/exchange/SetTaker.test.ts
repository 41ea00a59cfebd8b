/** D18.2: sets of a file that do not depend on each other are executed at once. */
import { assert, describe, it } from "vitest"
import { runsOf } from "../../src/exchange/SetTaker.ts"
import type { Meaning } from "../../src/sets/SetContent.ts"
import type { ReadSet } from "../../src/sets/SetReader.ts"

const segment = { id: "BSN", elements: [], position: 3, inSet: 2 }

const setOf = (control: string, meaning: Meaning | undefined): ReadSet => ({
  set: { id: "856", control, head: segment, segments: [], faults: [] },
  meaning,
  faults: []
})

/** A document of a shipment and its orders. */
const a = (shipmentNumber: string, ...orders: ReadonlyArray<string>): Meaning => ({
  _tag: "Document",
  document: {
    business: "acme",
    facility: "east",
    direction: "INBOUND",
    shipmentNumber,
    orders: orders.map((orderNumber) => ({ orderNumber }))
  },
  sourceAt: () => ({ segment, element: 2 })
})

const cancellation: Meaning = {
  _tag: "Cancellation",
  direction: "INBOUND",
  shipmentNumber: "S-9",
  source: { segment, element: 2 }
}

/** The number of sets in each run; also checks that the runs contain the sets in their order. */
const sizes = (...meanings: ReadonlyArray<Meaning | undefined>) => {
  const sets = meanings.map((meaning, index) => setOf(String(index + 1), meaning))
  const runs = runsOf(sets)
  assert.deepStrictEqual(runs.flat(), sets)
  return runs.map(({ length }) => length)
}

describe("D18.2: sets of a group", () => {
  it("are done at once where they share no number", () => {
    assert.deepStrictEqual(sizes(), [])
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), a("S-2", "O-2"), undefined, a("S-3", "O-3", "O-4")), [4])
  })

  it("wait for those before them with the number of their shipment or of an order, however it is spelt", () => {
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), a("S-2", "O-2"), a("S-1", "O-3"), a("S-4", "O-4")), [2, 2])
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), a("S-2", "O-2", "O-1")), [1, 1])
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), a("O-1", "O-2")), [1, 1])
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), a(" s-1", "O-2")), [1, 1])
  })

  it("wait for what replaces an earlier notice, and it waits for them", () => {
    const replacing: Meaning = {
      ...a("S-2", "O-2"),
      replaces: { source: { segment, element: 1 }, isWhole: true, remedy: "" }
    } as Meaning
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), replacing, a("S-3", "O-3")), [1, 1, 1])
  })

  it("wait for a cancellation, and it waits for them", () => {
    assert.deepStrictEqual(sizes(a("S-1", "O-1"), cancellation, cancellation, a("S-2", "O-2"), a("S-3")), [
      1,
      1,
      1,
      2
    ])
  })
})
