import { assert, describe, it } from "@effect/vitest"
import { nameText } from "../../src/values/Clip.ts"
import { BusinessNotFound, FacilityNotFound, UnknownDock } from "../../src/values/Errors.ts"

describe("a name in a message", () => {
  it.each([
    ["acme", "acme"],
    ["East Hub", "East Hub"],
    [" f1 ", "\" f1 \""],
    ["utc ", "\"utc \""],
    ["", "\"\""],
    ["f1\u200b", "f1\\u200b"]
  ])("%j is shown so that its ends can be seen", (name, text) => assert.strictEqual(nameText(name), text))

  it("is in quotes in each refusal of an unknown one", () => {
    const [business, facility, dockSlug] = [" f1", "utc ", "D1 "]
    assert.strictEqual(new BusinessNotFound({ business }).message, "Unknown business: \" f1\"")
    assert.include(new FacilityNotFound({ business, facility }).message, "\"utc \" of business \" f1\"")
    assert.include(new UnknownDock({ dockSlug, facility }).message, "\"D1 \" of facility \"utc \"")
  })
})
