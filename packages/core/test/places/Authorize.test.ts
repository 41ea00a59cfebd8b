/** Who may do what at a place that a request names, and what is told first (D3.9, D10.3). */
import { aGrant, aPrincipal, places } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import * as Memory from "../../src/memory/Memory.ts"
import * as Authorize from "../../src/places/Authorize.ts"
import { Directory } from "../../src/places/Place.ts"

type Permission = Parameters<typeof Authorize.permits>[1]

const refusalOf = (principal: Principal, permission: Permission, slugs: Authorize.PlaceSlugs) =>
  Effect.gen(function*() {
    const directory = yield* Directory
    yield* directory.put(places)
    const refusal = yield* Effect.flip(Authorize.place(directory, principal, permission, slugs))
    if (permission !== "read") {
      const same = yield* Effect.flip(Authorize.permission(directory, principal, permission, slugs))
      assert.deepStrictEqual(same, refusal)
    }
    return [refusal._tag, refusal.message]
  }).pipe(Effect.provide(Memory.layer))

const lacking = (permission: string, facility = "east") => [
  "Forbidden",
  `The client lacks the permission ${permission} for business=acme, facility=${facility}`
]

const east = { business: "acme", facility: "east" }
const all = (...permissions: ReadonlyArray<Exclude<Permission, "read">>) =>
  aPrincipal(aGrant("acme", "*", permissions))

describe("D3.9 unknown business, then unknown facility, then the missing permission", () => {
  it.effect.each<[string, Authorize.PlaceSlugs, string]>([
    ["an unknown business", { business: "nobody", facility: "east" }, "BusinessNotFound"],
    ["a facility of another business", { business: "acme", facility: "main" }, "FacilityNotFound"],
    ["a known place", east, "Forbidden"],
    ["a whole business", { business: "acme" }, "Forbidden"]
  ])(
    "%s",
    ([, slugs, tag]) =>
      Effect.map(refusalOf(aPrincipal(), "pallets:write", slugs), ([code]) => assert.strictEqual(code, tag))
  )
})

describe("D10.3 a permission holds where it is granted, and nowhere else", () => {
  it.effect.each<[string, Principal]>([
    ["at another facility", aPrincipal(aGrant("acme", ["west"], ["pallets:write"]))],
    ["at another business", aPrincipal(aGrant("globex", "*", ["pallets:write"]))],
    ["nowhere", aPrincipal()],
    ["for other things", all("documents:write", "shipments:write")]
  ])("pallets:write %s is no permission here", ([, principal]) =>
    Effect.map(
      refusalOf(principal, "pallets:write", east),
      (tags) => assert.deepStrictEqual(tags, lacking("pallets:write"))
    ))

  it.effect("a whole business takes the permission at all of its facilities, but reading it takes some", () =>
    Effect.gen(function*() {
      const atEast = aPrincipal(aGrant("acme", ["east"], ["messages:read"]))
      const tags = yield* refusalOf(atEast, "messages:read", { business: "acme" })
      assert.deepStrictEqual(tags, lacking("messages:read", "*"))
      assert.isTrue(Authorize.permits(atEast, "read", { business: "acme" }))
      assert.isTrue(Authorize.permits(atEast, "messages:read", east))
      assert.isTrue(Authorize.permits(all("messages:read"), "messages:read", { business: "acme" }))
      assert.isFalse(Authorize.permits(atEast, "read", { business: "acme", facility: "west" }))
    }))
})
