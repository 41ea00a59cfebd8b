/** Grants that are added and taken away: what is left, and what it costs at most. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { permissions } from "../../src/access/Access.ts"
import type { Grant, Permission } from "../../src/access/Access.ts"
import { lessGrants, maxFacilities, maxGrants, withGrants } from "../../src/operator/internal/GrantRules.ts"

const businesses = ["acme", "globex"] as const

const facilities = ["east", "north", "west"] as const

const grant: fc.Arbitrary<Grant> = fc.record({
  business: fc.constantFrom(...businesses),
  facilities: fc.oneof(
    fc.constant("*" as const),
    fc.array(fc.constantFrom(...facilities), { minLength: 1, maxLength: 4 })
  ),
  permissions: fc.uniqueArray(fc.constantFrom(...permissions), { minLength: 1, maxLength: 3 })
})

const grants = fc.array(grant, { maxLength: 5 })

const whole = {
  clientId: "operator",
  grants: [{ business: "*", facilities: "*" as const, permissions: ["operator" as const] }]
}

/** What grants allow: each permission at each facility, and at those that are not named (`other`). */
const rightsOf = (given: ReadonlyArray<Grant>): ReadonlySet<string> =>
  new Set(
    given.flatMap(({ business, facilities: at, permissions }) =>
      (at === "*" ? [...facilities, "other"] : at).flatMap((facility) =>
        permissions.map((permission) => `${business} ${facility} ${permission}`)
      )
    )
  )

describe("grants", () => {
  it("allow, once more are added, what they did and what was added, each place once", () => {
    fc.assert(fc.property(grants, grants, (known, added) => {
      const all = Result.getOrThrow(withGrants(known, added))
      assert.deepStrictEqual(rightsOf(all), rightsOf([...known, ...added]))
      assert.deepStrictEqual(Result.getOrThrow(withGrants(all, added)), all)
    }))
  })

  it("allow nothing any more that was taken away, and all else that they did", () => {
    fc.assert(fc.property(grants, grants, (known, withdrawn) => {
      const result = lessGrants(known, withdrawn, whole)
      // What is part of a grant for all facilities cannot be taken away.
      fc.pre(Result.isSuccess(result))
      const kept = known.flatMap((each): ReadonlyArray<string> => {
        const all = Array.from(rightsOf([each]))
        // A withdrawal at named facilities leaves grants for all of them as they are.
        const reaching = withdrawn.filter(({ facilities: at }) => each.facilities !== "*" || at === "*")
        const taken = rightsOf(reaching)
        return all.filter((right) => !taken.has(right))
      })
      assert.deepStrictEqual(rightsOf(result.success), new Set(kept))
    }))
  })

  // @threat requests.18
  it("are compared in time that grows with their length, at as many facilities as they may name", () => {
    const named = (first: number) =>
      Array.from({ length: maxGrants / 2 }, (_, at): Grant => ({
        business: "acme",
        facilities: Array.from({ length: maxFacilities }, (_, facility) =>
          facility < maxFacilities - 1 ? `facility-${facility}` : `facility-${first + at}`),
        permissions: ["documents:write", "messages:read"] satisfies ReadonlyArray<Permission>
      }))
    const [known, added] = [named(2000), named(3000)]
    const begun = performance.now()
    const all = Result.getOrThrow(withGrants(known, added))
    assert.lengthOf(all, maxGrants)
    assert.deepStrictEqual(Result.getOrThrow(lessGrants(all, all, whole)), [])
    // Comparing each facility of each with each of the others took 25 s.
    assert.isBelow(performance.now() - begun, 5000)
  })
})
