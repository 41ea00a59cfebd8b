/** The contract has completions signed in to with Basic; an operator is told of an endpoint where it is otherwise. */
import { assert, describe, it } from "vitest"
import { defaultMessageTypes, defaultSchemes, warningsOf } from "../../src/webhooks/WebhookEndpoint.ts"

const warnings = (type: string, ...messageTypes: Parameters<typeof warningsOf>[0]["messageTypes"]) =>
  warningsOf({ authentication: { type, settings: {}, secrets: {} }, messageTypes })

describe("an endpoint with the authentication", () => {
  for (const type of [...defaultSchemes.map(({ type }) => type), "agreed"]) {
    it(`${type} has a warning only where it gets completions without Basic`, () => {
      assert.deepStrictEqual(warnings(type, "PALLET_EVENT", "SHIPMENT_ARRIVED"), [])
      assert.deepStrictEqual(warnings(type, ...defaultMessageTypes), [])
      for (
        const lines of [
          warnings(type, "SHIPMENT_COMPLETE"),
          warnings(type, "PALLET_EVENT", "SHIPMENT_COMPLETE")
        ]
      ) {
        assert.lengthOf(lines, type === "basic" ? 0 : 1)
        if (type !== "basic") assert.include(lines[0], `is ${type}:`)
      }
    })
  }
})
