/** D15.3: profiles of payloads: the contract's, and those of capabilities. */
import { Context } from "effect"
import { assert, describe, it } from "vitest"
import { contractProfile, PayloadProfiles } from "../../src/places/MessageField.ts"
import { messageTypes } from "../../src/values/Vocabulary.ts"

describe("D15.3 the profile of the contract", () => {
  it("is the message as it is, to the byte", () => {
    const json = "{ \"a\" : 1 }"
    for (const type of messageTypes) assert.strictEqual(contractProfile.write(type, json), json)
    assert.deepStrictEqual([contractProfile.name, contractProfile.fieldNames], ["dockline", []])
  })

  it("is the only one that endpoints may use without capabilities", () => {
    assert.deepStrictEqual(Context.get(Context.empty(), PayloadProfiles), [contractProfile])
  })
})
