/** D15.3: payloads in the form that clients of Kargo expect. */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { messageTypes } from "@dockline/core/values/Vocabulary"
import { testPayload } from "@dockline/core/webhooks/MessageKinds"
import { assert, describe, it } from "vitest"
import { kargoProfile } from "../src/KargoCapability.ts"

const kargo = (type: Parameters<typeof kargoProfile.write>[0], payload: object) =>
  JSON.parse(kargoProfile.write(type, JSON.stringify(payload)))

const place = { businessSlug: "acme", facilitySlug: "east" }

const payload = {
  occurredAt: "2026-11-20T17:00:00.000Z",
  url: "https://dashboard.example/shipments/4711/pallets/17",
  direction: "LOADING",
  orders: ["SO-1"],
  dockId: "3"
}

const pallet = {
  ...place,
  serviceShipmentId: "4711",
  servicePalletId: "17",
  ...payload,
  LPN: "P-1",
  SKUs: ["A", "B"],
  LotNumber: "",
  ["__proto__"]: "x"
}

const kargoPallet = {
  ...place,
  kargoShipmentId: "4711",
  kargoPalletId: "17",
  ...payload,
  LPN: ["P-1"],
  SKUs: ["A", "B"],
  LotNumber: [],
  ["__proto__"]: ["x"]
}

describe("D15.3 the payload profile kargo", () => {
  it("has its names and lists in the pallet message, in the same order", () => {
    assert.strictEqual(
      kargoProfile.write("PALLET_EVENT", JSON.stringify(pallet)),
      JSON.stringify(kargoPallet)
    )
  })

  it("has them in the pallets of a completion, whose own fields stay as they are", () => {
    const completion = { serviceShipmentId: "4711", orders: [], url: "u", dockId: "", pallets: [pallet] }
    assert.deepStrictEqual(kargo("SHIPMENT_COMPLETE", completion), {
      kargoShipmentId: "4711",
      orders: [],
      url: "u",
      dockId: "",
      pallets: [kargoPallet]
    })
  })

  it("has the name of the shipment in other messages, and nothing else of theirs changes", () => {
    const others = { ...place, ...payload, shipmentNumber: "S", exception: { note: "" } }
    for (const type of messageTypes.filter((type) => !/PALLET|COMPLETE/.test(type))) {
      assert.deepStrictEqual(kargo(type, { ...others, serviceShipmentId: "7" }), {
        ...others,
        kargoShipmentId: "7"
      })
    }
  })

  it("leaves the mark of a test as it is", () => {
    const settings = { dashboardUrl: "d", fieldMap: [{ name: "LPN", label: "lpn", list: false }] }
    const place = { business: "acme", facility: "east" }
    const test = testPayload("PALLET_EVENT", place, Timestamp.of("2026-11-20T17:00:00.000Z"), settings)
    assert.deepInclude(kargo("PALLET_EVENT", test), { test: true, LPN: [], kargoPalletId: "0" })
  })
})
