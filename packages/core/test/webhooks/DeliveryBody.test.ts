/** D18.3: what a request of a delivery carries: JSON, or an interchange as it was written. */
import { assert, describe, it } from "@effect/vitest"
import { contractProfile } from "../../src/places/PayloadProfile.ts"
import { messageTypes } from "../../src/values/Vocabulary.ts"
import { deliveryBody, interchangeMessage, testInterchange } from "../../src/webhooks/DeliveryBody.ts"
import { shouting } from "./Shouting.ts"

describe("the body of a delivery", () => {
  it("D18.3: is an interchange byte for byte, in whichever profile", () => {
    const text = "ISA*00*~\nä \"\\ 🚚\u0085~"
    const { payload, ...message } = interchangeMessage(
      { business: "acme", facility: "east", shipmentId: 7 },
      text
    )
    assert.deepStrictEqual(message, {
      business: "acme",
      facility: "east",
      shipmentId: 7,
      type: "EDI_INTERCHANGE"
    })
    for (const profile of [contractProfile, shouting]) {
      assert.deepStrictEqual(deliveryBody(profile, "EDI_INTERCHANGE", JSON.stringify(payload)), {
        contentType: "application/edi-x12",
        body: text
      })
    }
  })

  it("D9.1: is the payload of every other message, as JSON", () => {
    const json = "{\"serviceShipmentId\":\"7\"}"
    for (const type of messageTypes) {
      assert.deepStrictEqual(deliveryBody(contractProfile, type, json), {
        contentType: "application/json",
        body: json
      })
    }
    assert.strictEqual(
      deliveryBody(shouting, "SHIPMENT_ARRIVED", json).body,
      "{\"SERVICESHIPMENTID\":\"7\"}"
    )
  })

  it("D9.9: of a test is an interchange for tests, of the time of the test", () => {
    const { body } = deliveryBody(
      contractProfile,
      "EDI_INTERCHANGE",
      JSON.stringify(testInterchange("2026-11-20T17:04:59.000Z"))
    )
    const [isa = "", iea, ...rest] = body.split("~")
    const elements = isa.split("*")
    assert.strictEqual(isa.length, 105)
    assert.deepStrictEqual([elements[9], elements[10], elements[15]], ["261120", "1704", "T"])
    assert.deepStrictEqual([iea, rest], ["\nIEA*0*000000001", [""]])
  })
})
