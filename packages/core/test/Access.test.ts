import { assert, describe, it } from "@effect/vitest"
import { allows, canRead, permissions, readScopes } from "../src/Access.ts"
import { aGrant, aPrincipal } from "./Given.ts"

describe("WIRE.md: permission for the business and facility", () => {
  const client = aPrincipal(
    aGrant("acme", ["east"], ["documents:write", "messages:read"]),
    aGrant("acme", ["west"], ["messages:read"]),
    aGrant("globex", "*", ["documents:write"])
  )

  it.each(
    [
      ["documents:write", "acme", "east", true],
      ["messages:read", "acme", "east", true],
      ["pallets:write", "acme", "east", false],
      ["documents:write", "acme", "west", false],
      ["messages:read", "acme", "west", true],
      ["documents:write", "acme", "*", false],
      ["documents:write", "acme", "", false],
      ["documents:write", "acme", "East", false],
      ["documents:write", "globex", "main", true],
      ["documents:write", "globex", "any other", true],
      ["messages:read", "globex", "main", false],
      ["documents:write", "initech", "east", false],
      ["documents:write", "*", "east", false]
    ] as const
  )("%s at %s, %s: %s", (permission, business, facility, expected) => {
    assert.strictEqual(allows(client, permission, business, facility), expected)
  })

  it("a client without grants may do nothing", () => {
    for (const permission of permissions) assert.isFalse(allows(aPrincipal(), permission, "acme", "east"))
  })

  it("one permission does not bring another, operator included", () => {
    for (const held of permissions) {
      const holder = aPrincipal(aGrant("acme", "*", [held]))
      assert.deepStrictEqual(permissions.filter((each) => allows(holder, each, "acme", "east")), [held])
    }
  })

  it("business and permission must be of one grant", () => {
    const mixed = aPrincipal(aGrant("acme", ["east"], ["messages:read"]), aGrant("acme", ["west"]))
    assert.isFalse(allows(mixed, "documents:write", "acme", "east"))
  })
})

describe("D10.3 reading needs any permission at that facility", () => {
  const client = aPrincipal(
    aGrant("acme", ["east"], ["pallets:write"]),
    aGrant("acme", ["west"], []),
    aGrant("globex", "*", [])
  )

  it("canRead", () => {
    assert.deepStrictEqual(
      [["acme", "east"], ["acme", "west"], ["globex", "main"], ["initech", "east"]].map((
        [business, facility]
      ) => canRead(client, business!, facility!)),
      [true, false, false, false]
    )
    for (const permission of permissions) {
      assert.isTrue(canRead(aPrincipal(aGrant("acme", "*", [permission])), "acme", "east"))
    }
  })

  it("readScopes are the grants that hold any", () => {
    assert.deepStrictEqual(readScopes(client), [{ business: "acme", facilities: ["east"] }])
    assert.deepStrictEqual(readScopes(aPrincipal(aGrant("acme"), aGrant("globex", ["main"]))), [
      { business: "acme", facilities: "*" },
      { business: "globex", facilities: ["main"] }
    ])
    assert.deepStrictEqual(readScopes(aPrincipal()), [])
  })
})
