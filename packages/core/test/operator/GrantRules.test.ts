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
const rightsOf = (grants: ReadonlyArray<Grant>): ReadonlySet<string> =>
  new Set(
    grants.flatMap(({ business, facilities: at, permissions }) =>
      (at === "*" ? [...facilities, "other"] : at).flatMap((facility) =>
        permissions.map((permission) => `${business} ${facility} ${permission}`)
      )
    )
  )

describe("grants", () => {
  it("allow, once more are added, what they did and what was added, each place once", () => {
    fc.assert(fc.property(grants, grants, (before, additions) => {
      const all = Result.getOrThrow(withGrants(before, additions))
      assert.deepStrictEqual(rightsOf(all), rightsOf([...before, ...additions]))
      assert.deepStrictEqual(Result.getOrThrow(withGrants(all, additions)), all)
    }))
  })

  it("allow nothing any more that was taken away, and all else that they did", () => {
    fc.assert(fc.property(grants, grants, (before, withdrawals) => {
      const result = lessGrants(before, withdrawals, whole)
      // What is part of a grant for all facilities cannot be taken away.
      fc.pre(Result.isSuccess(result))
      const remainder = before.flatMap((each): ReadonlyArray<string> => {
        const all = Array.from(rightsOf([each]))
        // A withdrawal at named facilities leaves grants for all of them as they are.
        const reaching = withdrawals.filter(({ facilities: at }) => each.facilities !== "*" || at === "*")
        const rights = rightsOf(reaching)
        return all.filter((right) => !rights.has(right))
      })
      assert.deepStrictEqual(rightsOf(result.success), new Set(remainder))
    }))
  })

  // @threat requests.18
  it("are compared in time that grows with their length, at as many facilities as they may name", () => {
    const grantsFrom = (first: number) =>
      Array.from({ length: maxGrants / 2 }, (_, at): Grant => ({
        business: "acme",
        facilities: Array.from({ length: maxFacilities }, (_, facility) =>
          facility < maxFacilities - 1 ? `facility-${facility}` : `facility-${first + at}`),
        permissions: ["documents:write", "messages:read"] satisfies ReadonlyArray<Permission>
      }))
    const [before, additions] = [grantsFrom(2000), grantsFrom(3000)]
    const start = performance.now()
    const all = Result.getOrThrow(withGrants(before, additions))
    assert.lengthOf(all, maxGrants)
    assert.deepStrictEqual(Result.getOrThrow(lessGrants(all, all, whole)), [])
    // Comparing each facility of each with each of the others took 25 s.
    assert.isBelow(performance.now() - start, 5000)
  })
})
