import { assert, describe, it } from "@effect/vitest"
import { discrepanciesOf } from "../../src/shipment/Discrepancies.ts"
import type { Tracking } from "../../src/shipment/Discrepancies.ts"
import { d1, trackedPallets } from "./Sightings.ts"

const aTracking = (fields: Partial<Tracking> = {}): Tracking => ({
  direction: "OUTBOUND",
  status: "ARRIVED",
  dock: d1,
  expectedLpns: [],
  pallets: [],
  elsewhere: [],
  ...fields
})

const textsOf = (tracking: Tracking) =>
  discrepanciesOf(tracking).map(({ expectedOnNumber, kind, lpn, palletId }) =>
    [kind, lpn, palletId, expectedOnNumber].join(" ").trim()
  )

const s2 = { lpn: "L2", shipmentId: 2, shipmentNumber: "S2" }

describe("D13.4 discrepancies", () => {
  it.each(
    [
      ["nothing", {}, []],
      ["what is expected and has passed", { expectedLpns: ["L1"], pallets: trackedPallets("L1 LL") }, []],
      ["SHORT: expected, not seen", { expectedLpns: ["L2", "L1"] }, ["SHORT L2", "SHORT L1"]],
      ["SHORT: taken off again", { expectedLpns: ["L1"], pallets: trackedPallets("L1 LU") }, ["SHORT L1"]],
      ["SHORT: the wrong way", { expectedLpns: ["L1"], pallets: trackedPallets("L1 UU") }, ["SHORT L1"]],
      [
        "of an INBOUND shipment, what was not unloaded is SHORT",
        { direction: "INBOUND", expectedLpns: ["L1", "L2"], pallets: trackedPallets("L1 UU", "L2 LL") },
        ["SHORT L2"]
      ],
      ["OVER: passed, not expected", { pallets: trackedPallets("L1 LL") }, ["OVER L1 1"]],
      ["OVER: without lpn", { expectedLpns: ["L1"], pallets: trackedPallets("L1 LL", " LL") }, ["OVER  2"]],
      ["taken off again, not expected", { pallets: trackedPallets("L1 LU") }, []],
      [
        "WRONG_SHIPMENT, not OVER: expected on another open shipment",
        { pallets: trackedPallets("L1 LL", "L2 LL"), elsewhere: [s2] },
        ["OVER L1 1", "WRONG_SHIPMENT L2 2 S2"]
      ],
      ["expected elsewhere, but taken off again", { pallets: trackedPallets("L2 LU"), elsewhere: [s2] }, []],
      [
        "expected here and elsewhere",
        { expectedLpns: ["L2"], pallets: trackedPallets("L2 LL"), elsewhere: [s2] },
        []
      ],
      ["WRONG_DOCK: expected", { expectedLpns: ["L1"], pallets: trackedPallets("L1 LL D2") }, [
        "WRONG_DOCK L1 1"
      ]],
      ["WRONG_DOCK on top of OVER", { pallets: trackedPallets("L1 LL D2") }, [
        "OVER L1 1",
        "WRONG_DOCK L1 1"
      ]],
      ["WRONG_DOCK: taken off again there", { pallets: trackedPallets("L1 LU D2") }, ["WRONG_DOCK L1 1"]],
      ["no dock, no wrong one", { dock: null, expectedLpns: ["L1"], pallets: trackedPallets("L1 LL D2") }, []]
    ] as ReadonlyArray<readonly [string, Partial<Tracking>, ReadonlyArray<string>]>
  )("%s", (_, fields, expected) => {
    assert.deepStrictEqual(textsOf(aTracking(fields)), expected)
  })

  it("are shown with every field, and are provisional until the shipment departs", () => {
    const fields = { expectedLpns: ["L1"], pallets: trackedPallets("L2 LL D2"), dock: null, elsewhere: [s2] }
    for (const [status, provisional] of [["ARRIVED", true], ["DEPARTED", false]] as const) {
      assert.deepStrictEqual(discrepanciesOf(aTracking({ ...fields, status })), [
        {
          kind: "SHORT",
          lpn: "L1",
          palletId: "",
          dockSlug: "",
          expectedOnId: 0,
          expectedOnNumber: "",
          provisional
        },
        {
          kind: "WRONG_SHIPMENT",
          lpn: "L2",
          palletId: "1",
          dockSlug: "D2",
          expectedOnId: 2,
          expectedOnNumber: "S2",
          provisional
        }
      ])
    }
  })

  it("D13.9 a cancelled shipment has none", () => {
    assert.deepStrictEqual(discrepanciesOf(aTracking({ status: "CANCELLED", expectedLpns: ["L1"] })), [])
  })
})
