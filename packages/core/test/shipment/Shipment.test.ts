/** Shipments: their additional fields (D3.7), their times (D13.10), and the sightings of their pallets (D6.6). */
import { assert, describe, it } from "@effect/vitest"
import { mergeAdditionalFields, sightAgain, timeOf } from "../../src/shipment/Shipment.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"

const fields = (...pairs: ReadonlyArray<readonly [name: string, value: string]>) =>
  pairs.map(([name, value]) => ({ name, value }))

const before = fields(["seal", "1"], ["driverName", "Ann"])

describe("D3.7 additional fields are merged by name", () => {
  it.each([
    [
      "a given value replaces in its place",
      fields(["seal", "2"]),
      fields(["seal", "2"], ["driverName", "Ann"])
    ],
    ["a new name is added at the end", fields(["gate", "7"]), [...before, ...fields(["gate", "7"])]],
    [
      "the last of several values counts",
      fields(["seal", "2"], ["seal", "3"]),
      fields(["seal", "3"], ["driverName", "Ann"])
    ]
  ])(
    "%s",
    (_, additions, expected) => assert.deepStrictEqual(mergeAdditionalFields(before, additions), expected)
  )
})

describe("D3.2 what changes nothing is no change, so that a departed shipment can be sent it again", () => {
  it.each([
    ["nothing given", []],
    ["empty values", fields(["seal", ""], ["gate", ""])],
    ["what is stored", before],
    ["another value first, then what is stored", fields(["driverName", "Bob"], ["driverName", "Ann"])]
  ])("%s", (_, additions) => assert.strictEqual(mergeAdditionalFields(before, additions), before))
})

const at = (hour: string) => Timestamp.of(`2026-11-20T${hour}:00:00.000Z`)
const [early, middle, late] = [at("08"), at("09"), at("10")] as const

describe("D13.10 the time of a shipment", () => {
  it.each([
    [
      "that has departed is its departure",
      { departedAt: late, arrivedAt: middle, expectedArrivalAt: early },
      late
    ],
    ["at a dock is its arrival", { departedAt: null, arrivedAt: middle, expectedArrivalAt: early }, middle],
    [
      "that is expected is that expectation",
      { departedAt: null, arrivedAt: null, expectedArrivalAt: early },
      early
    ]
  ])("%s", (_, shipment, expected) => assert.strictEqual(timeOf(shipment), expected))
})

describe("D6.6 the sightings of a pallet after a further event", () => {
  const first = sightAgain(null, "LOADING", middle, 1)

  it("are the event at first", () => {
    assert.deepStrictEqual(first, {
      first: "LOADING",
      firstSeenAt: middle,
      last: "LOADING",
      lastSeenAt: middle,
      dockId: 1
    })
  })

  it.each([
    ["later is the last one", late, { last: "UNLOADING", lastSeenAt: late, dockId: 2 }],
    ["at the same instant is the last one", middle, { last: "UNLOADING", lastSeenAt: middle, dockId: 2 }],
    ["earlier is the first one", early, { first: "UNLOADING", firstSeenAt: early }]
  ])("an event %s", (_, at, changes) => {
    assert.deepStrictEqual(
      sightAgain(first, "UNLOADING", at, 2),
      { ...first, ...changes }
    )
  })
})
