import type { Principal } from "@dockline/core/access/Access"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as fc from "fast-check"
import {
  allows,
  allowsEverywhere,
  canRead,
  canReadSome,
  checkOperator,
  Grant,
  holds,
  isInScope,
  isWithin,
  notOperator,
  operatedBusinesses,
  operates,
  operatorScope,
  permissions,
  readScopes,
  writePermissions
} from "../../src/access/Access.ts"

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
    for (const permission of permissions) {
      const holder = aPrincipal(aGrant("acme", "*", [permission]))
      assert.deepStrictEqual(permissions.filter((each) => allows(holder, each, "acme", "east")), [permission])
    }
  })

  it("business and permission must be of one grant", () => {
    const principal = aPrincipal(aGrant("acme", ["east"], ["messages:read"]), aGrant("acme", ["west"]))
    assert.isFalse(allows(principal, "documents:write", "acme", "east"))
  })
})

describe("a look-up of a permission", () => {
  /** What the grants say, one after another. */
  const holdsIn = (
    { grants }: Principal,
    business: string,
    facility: string | undefined,
    is: (own: ReadonlyArray<string>) => boolean
  ): boolean =>
    grants.some((grant) =>
      (grant.business === "*" || grant.business === business) && is(grant.permissions) &&
      (grant.facilities === "*" || (facility !== undefined && grant.facilities.includes(facility)))
    )

  it("says for any grants what they say", () => {
    const slugs = fc.constantFrom("a", "b", "*")
    const grant = fc.record({
      business: slugs,
      facilities: fc.oneof(fc.constant("*" as const), fc.uniqueArray(slugs)),
      permissions: fc.subarray([...permissions])
    })
    fc.assert(fc.property(
      fc.array(grant, { maxLength: 5 }),
      fc.constantFrom("a", "b", "c", "*"),
      fc.constantFrom("a", "b", "c", "*"),
      fc.constantFrom(...permissions),
      (grants, business, facility, permission) => {
        const principal = aPrincipal(...grants)
        const has = (own: ReadonlyArray<string>) => own.includes(permission)
        const any = (own: ReadonlyArray<string>) => own.length > 0
        assert.strictEqual(
          allows(principal, permission, business, facility),
          holdsIn(principal, business, facility, has)
        )
        assert.strictEqual(
          allowsEverywhere(principal, permission, business),
          holdsIn(principal, business, undefined, has)
        )
        assert.strictEqual(
          canRead(principal, business, facility),
          holdsIn(principal, business, facility, any)
        )
      }
    ))
  })

  it("reads the facilities of a grant once, however many look-ups there are", () => {
    let reads = 0
    const facilities = new Proxy(Array.from({ length: 1000 }, (_, at) => `f${at}`), {
      get: (list, name) => {
        if (typeof name === "string" && /^\d+$/.test(name)) reads++
        return Reflect.get(list, name) as unknown
      }
    })
    const client = aPrincipal(aGrant("acme", facilities, ["messages:read"]))
    for (let at = 0; at < 1000; at++) {
      assert.isTrue(allows(client, "messages:read", "acme", `f${at}`))
      assert.isTrue(canRead(client, "acme", `f${at}`))
      assert.isFalse(canRead(client, "acme", `g${at}`))
    }
    assert.strictEqual(reads, 1000)
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

describe("D10.3 a grant for every business", () => {
  const everywhere = aPrincipal(aGrant("*", "*", ["messages:read"]))

  it("holds at each, and for the permissions it names", () => {
    assert.isTrue(allows(everywhere, "messages:read", "acme", "east"))
    assert.isTrue(allowsEverywhere(everywhere, "messages:read", "globex"))
    assert.isTrue(allowsEverywhere(aPrincipal(aGrant("*", "*", ["operator"])), "operator", "*"))
    assert.isTrue(canRead(everywhere, "initech", "main"))
    assert.isTrue(canReadSome(everywhere, "initech"))
    assert.isFalse(allows(everywhere, "documents:write", "acme", "east"))
    assert.isFalse(allowsEverywhere(everywhere, "documents:write", "acme"))
  })

  it("is more than a grant for each, and a business cannot pass for all of them", () => {
    const acme = aPrincipal(aGrant("acme", "*", ["operator", "messages:read"]))
    assert.isFalse(allowsEverywhere(acme, "operator", "*"))
    assert.isFalse(allowsEverywhere(aPrincipal(aGrant("*", ["east"], ["operator"])), "operator", "*"))
    assert.isFalse(allows(acme, "messages:read", "*", "east"))
    assert.isFalse(canReadSome(acme, "*"))
    assert.isFalse(canReadSome(acme, "globex"))
  })

  it("without permissions reads nothing", () => {
    const nothing = aPrincipal(aGrant("*", "*", []))
    assert.isFalse(canRead(nothing, "acme", "east"))
    assert.isFalse(canReadSome(nothing, "acme"))
    assert.isFalse(holds(nothing, "messages:read"))
    assert.deepStrictEqual(readScopes(nothing), [])
    assert.deepStrictEqual(readScopes(everywhere), [{ business: "*", facilities: "*" }])
  })

  it.each(
    [
      ["*", "*", true],
      ["*", ["east"], true],
      ["*", ["west"], false],
      ["acme", "*", true],
      ["acme", ["west", "east"], true],
      ["acme", [], false],
      ["globex", "*", false],
      ["acme", ["*"], false]
    ] as const
  )("the scope %s, %j holds acme, east: %s", (business, facilities, expected) => {
    assert.strictEqual(isInScope({ business, facilities }, "acme", "east"), expected)
  })
})

describe("D11 the businesses that a principal operates", () => {
  it("are those where it does so at all facilities", () => {
    const { clientId, grants } = aPrincipal(
      aGrant("acme", "*", ["documents:write", "operator"]),
      aGrant("globex", ["main"], ["operator"]),
      aGrant("initech", "*", ["documents:write"]),
      aGrant("acme", ["east"], ["messages:read"])
    )
    assert.deepStrictEqual(operatedBusinesses({ clientId, grants }), ["acme"])
    assert.deepStrictEqual(operatedBusinesses(aPrincipal()), [])
    const whole = aGrant("*", "*", ["operator"])
    assert.strictEqual(operatedBusinesses({ clientId, grants: [...grants, whole] }), "*")
    assert.deepStrictEqual(operatedBusinesses(aPrincipal(aGrant("*", ["east"], ["operator"]))), [])
  })
})

describe("D11 an operator", () => {
  const ofAcme = aPrincipal(aGrant("acme", "*", ["operator"]), aGrant("globex", ["main"], ["operator"]))
  const ofOneFacility = aPrincipal(aGrant("globex", ["main"], ["operator"]))
  const worker = aPrincipal(aGrant("acme", "*", ["documents:write"]))

  it("operates the businesses of its grants for all facilities, and no others", () => {
    assert.deepStrictEqual(["acme", "globex", "*"].map((business) => operates(ofAcme, business)), [
      true,
      false,
      false
    ])
    assert.isTrue(operates(aPrincipal(aGrant("*", "*", ["operator"])), "*"))
    assert.isFalse(operates(worker, "acme"))
  })

  it("is refused with the permission, the business and all facilities", () => {
    const { business, facility, permission } = notOperator("acme")
    assert.deepStrictEqual({ business, facility, permission }, {
      business: "acme",
      facility: "*",
      permission: "operator"
    })
  })

  it("has a scope, and without one is refused before any look-up", async () => {
    assert.deepStrictEqual(await Effect.runPromise(operatorScope(ofAcme)), ["acme"])
    for (const principal of [worker, ofOneFacility]) {
      assert.deepStrictEqual(await Effect.runPromise(Effect.flip(operatorScope(principal))), notOperator("*"))
    }
    assert.deepStrictEqual(checkOperator(worker), Result.fail(notOperator("*")))
    assert.deepStrictEqual(checkOperator(ofOneFacility), Result.void)
  })
})

describe("D10.3 a permission held anywhere at all", () => {
  const client = aPrincipal(aGrant("acme", ["east"], ["messages:read"]), aGrant("globex", "*", ["operator"]))

  it("is one of any grant", () => {
    assert.isTrue(holds(client, "operator"))
    assert.isTrue(holds(client, "messages:read"))
    assert.isFalse(holds(client, "documents:write"))
    assert.isFalse(holds(aPrincipal(), "operator"))
  })
})

describe("D10.3 a grant names a business, facilities or all of them, and permissions", () => {
  const isGrant = Schema.is(Grant)

  it.each(
    [
      ["of all facilities", aGrant("acme"), true],
      ["of some", aGrant("acme", ["east", "west"], permissions), true],
      ["without a business", { facilities: "*", permissions: [] }, false],
      ["of another word for all", { ...aGrant("acme"), facilities: "" }, false],
      ["of a permission that there is not", { ...aGrant("acme"), permissions: ["everything"] }, false]
    ] as const
  )("%s", (_, grant, expected) => {
    assert.strictEqual(isGrant(grant), expected)
  })
})

describe("D11 who holds grants within the businesses of a scope", () => {
  const acme = aGrant("acme", ["east"])
  const globex = aGrant("globex")

  it.each(
    [
      ["all of them there", [acme, globex], ["acme", "globex"], true],
      ["one of them elsewhere", [acme, globex], ["acme"], false],
      ["all of them elsewhere", [globex], ["acme"], false],
      ["every business, and some is not all", [aGrant("*")], ["acme"], false],
      ["some, and the scope is empty", [acme], [], false],
      ["none at all", [], ["acme"], false],
      ["some, of all businesses", [acme, aGrant("*")], "*", true],
      ["none, of all businesses", [], "*", true]
    ] as const
  )("%s", (_, grants, scope, expected) => {
    assert.strictEqual(isWithin({ grants }, scope), expected)
  })
})

describe("D10.3 the permissions to change something at a facility", () => {
  it("are those to write", () => {
    assert.deepStrictEqual(writePermissions, permissions.filter((each) => each.endsWith(":write")))
  })
})
