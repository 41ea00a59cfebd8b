/** What a request of a delivery carries: JSON, or the text of an entry of an outbox. */
import { assert, describe, it } from "@effect/vitest"
import { contractProfile } from "../../src/places/MessageField.ts"
import { messageTypes, webhookPath } from "../../src/values/Vocabulary.ts"
import { deliveryBody, sizeOf } from "../../src/webhooks/Delivery.ts"
import { shouting } from "./Shouting.ts"

describe("the body of a delivery", () => {
  it("is the text of an entry of an outbox as it is, in whichever profile", () => {
    const entry = {
      type: "LETTER",
      path: "/api/letters",
      mediaType: "text/x-letter",
      text: "ä \"\\ 🚚\u0085~"
    }
    for (const profile of [contractProfile, shouting]) {
      assert.deepStrictEqual(deliveryBody(profile, entry), {
        path: entry.path,
        contentType: entry.mediaType,
        body: entry.text
      })
    }
    assert.strictEqual(sizeOf(entry), entry.text.length)
  })

  it("D9.1: is the payload of a message, as JSON", () => {
    const json = "{\"serviceShipmentId\":\"7\"}"
    for (const type of messageTypes) {
      assert.deepStrictEqual(deliveryBody(contractProfile, { type, json }), {
        path: webhookPath(type),
        contentType: "application/json",
        body: json
      })
    }
    assert.strictEqual(
      deliveryBody(shouting, { type: "SHIPMENT_ARRIVED", json }).body,
      "{\"SERVICESHIPMENTID\":\"7\"}"
    )
    assert.strictEqual(sizeOf({ type: "SHIPMENT_ARRIVED", json }), json.length)
  })
})
