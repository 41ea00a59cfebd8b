/**
 * What holds for businesses and places on behalf of operators, whatever they are stored in: who may do what.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { aBusiness, aSlug, nowhere, operatorOf, outcome, whole } from "@dockline/testing/worlds/OperatorWorld"
import { pagesOf } from "@dockline/testing/worlds/ReadWorld"
import { Effect } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import { ask, ordinary } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"

/** The cases of businesses. */
export const businesses: Part = (test, describe) => {
  describe("D11 who may operate businesses", () => {
    test(
      "create: who operates the whole service, and nobody else",
      Effect.gen(function*() {
        const own = yield* aBusiness
        const create = (principal: Principal) =>
          outcome(ask("createBusiness", { body: { slug: aSlug(), name: "New" } }, principal))
        assert.strictEqual(yield* create(whole), "ok")
        for (
          const principal of [
            operatorOf(own),
            aPrincipal(aGrant("*", "*", ordinary)),
            aPrincipal(aGrant("*", ["east"], ["operator"])),
            aPrincipal()
          ]
        ) assert.strictEqual(yield* create(principal), "FORBIDDEN")
      })
    )

    test(
      "list: what one operates, and 403 for who operates nothing",
      Effect.gen(function*() {
        const [one, two, three] = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
        const slugs = (principal: Principal) =>
          Effect.map(
            pagesOf((query) => ask("listBusinesses", query, principal), 100),
            (pages) => pages.flat().map(({ slug }) => slug)
          )
        const principal = aPrincipal(
          aGrant(one, "*", ["operator"]),
          aGrant(two, ["east"], ["operator"]),
          aGrant(three, "*", ordinary)
        )
        assert.deepStrictEqual(yield* slugs(principal), [one])
        assert.deepStrictEqual(yield* slugs(operatorOf(three, one, nowhere)), [one, three].toSorted())
        assert.includeMembers([...(yield* slugs(whole))], [one, two, three])
        for (const principal of [aPrincipal(), aPrincipal(aGrant(one, ["east"], ["operator"]))]) {
          assert.strictEqual(yield* outcome(ask("listBusinesses", {}, principal)), "FORBIDDEN")
        }
      })
    )
  })
}
