/**
 * What holds for businesses and places on behalf of operators, whatever they are stored in: who may do what.
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant, aPrincipal } from "@dockline/testing/generators/Given"
import { aBusiness, aSlug, nowhere, operatorOf, outcome, whole } from "@dockline/testing/worlds/OperatorWorld"
import { pagesOf } from "@dockline/testing/worlds/PageWorld"
import { Effect } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import { Businesses } from "../../src/operator/Businesses.ts"
import { EdiPartners } from "../../src/operator/edi/EdiPartners.ts"
import { ordinary } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"

const of = <A, E, R>(use: (businesses: (typeof Businesses)["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Businesses, use)

type Operation = readonly [
  name: string,
  run: (business: string, principal: Principal) => Effect.Effect<
    unknown,
    { readonly code: string },
    Businesses
  >
]

/** Everything that is done with a business that exists. */
const operations: ReadonlyArray<Operation> = [
  ["get", (slug, principal) => of(({ getBusiness }) => getBusiness({ slug }, principal))],
  [
    "rename",
    (slug, principal) =>
      of(({ renameBusiness }) => renameBusiness({ slug, body: { name: "New" } }, principal))
  ],
  ["listFacilities", (slug, principal) => of(({ listFacilities }) => listFacilities({ slug }, principal))],
  [
    "createFacility",
    (slug, principal) =>
      of(({ createFacility }) => createFacility({ slug, body: { slug: aSlug(), name: "North" } }, principal))
  ],
  [
    "getFacility",
    (slug, principal) => of(({ getFacility }) => getFacility({ slug, facility: "east" }, principal))
  ],
  [
    "updateFacility",
    (slug, principal) =>
      of(({ updateFacility }) => updateFacility({ slug, facility: "east", body: { name: "New" } }, principal))
  ],
  ["listDocks", (slug, principal) => of(({ listDocks }) => listDocks({ slug, facility: "east" }, principal))],
  [
    "createDock",
    (slug, principal) =>
      of(({ createDock }) => createDock({ slug, facility: "east", body: { slug: aSlug() } }, principal))
  ],
  ["fieldMap", (slug, principal) => of(({ getFieldMap }) => getFieldMap({ slug }, principal))],
  ["setFieldMap", (slug, principal) => of(({ setFieldMap }) => setFieldMap({ slug, body: [] }, principal))]
]

/** The cases of businesses. */
export const businesses: Part = (test, describe) => {
  test(
    "D18.3 a text that is no slug names no EDI partner",
    Effect.gen(function*() {
      const own = yield* aBusiness
      const partners = yield* EdiPartners
      for (const partner of ["", "\0", "a\0", "\ud800", "A", "none", "x".repeat(5000)]) {
        const named = { slug: own, partner }
        const outcomes = [
          yield* outcome(partners.getEdiPartner(named, whole)),
          yield* outcome(partners.updateEdiPartner({ ...named, body: { name: "New" } }, whole)),
          yield* outcome(partners.deleteEdiPartner(named, whole))
        ]
        assert.deepStrictEqual(
          outcomes,
          ["EDI_PARTNER_NOT_FOUND", "EDI_PARTNER_NOT_FOUND", "EDI_PARTNER_NOT_FOUND"]
        )
      }
    })
  )

  describe("D11 who may operate a business", () => {
    for (const [name, run] of operations) {
      test(
        `${name}: who operates all of it or the whole service, and nobody else`,
        Effect.gen(function*() {
          const [own, other] = [yield* aBusiness, yield* aBusiness]
          const table: ReadonlyArray<readonly [who: string, principal: Principal, expected: string]> = [
            ["whole service", whole, "ok"],
            ["its operator", operatorOf(own), "ok"],
            ["operator of several", operatorOf(other, own), "ok"],
            ["operator of another", operatorOf(other), "FORBIDDEN"],
            ["operator at some facilities", aPrincipal(aGrant(own, ["east"], ["operator"])), "FORBIDDEN"],
            ["every other permission", aPrincipal(aGrant(own, "*", ordinary)), "FORBIDDEN"],
            ["every other permission everywhere", aPrincipal(aGrant("*", "*", ordinary)), "FORBIDDEN"],
            ["nothing", aPrincipal(), "FORBIDDEN"]
          ]
          for (const [who, principal, expected] of table) {
            assert.strictEqual(yield* outcome(run(own, principal)), expected, who)
          }
        })
      )

      test(
        `${name}: an unknown business is not there, and a malformed slug names none`,
        Effect.gen(function*() {
          for (const slug of [nowhere, "", "*", "UPPER", "a\0b", "\ud800", "x".repeat(10_000)]) {
            assert.strictEqual(yield* outcome(run(slug, whole)), "BUSINESS_NOT_FOUND", slug.slice(0, 20))
            assert.strictEqual(yield* outcome(run(slug, aPrincipal())), "FORBIDDEN", slug.slice(0, 20))
          }
        })
      )
    }

    test(
      "create: who operates the whole service, and nobody else",
      Effect.gen(function*() {
        const own = yield* aBusiness
        const create = (principal: Principal) =>
          outcome(
            of(({ createBusiness }) => createBusiness({ body: { slug: aSlug(), name: "New" } }, principal))
          )
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
            pagesOf((query) => of(({ listBusinesses }) => listBusinesses(query, principal)), 100),
            (pages) => pages.flat().map(({ slug }) => slug)
          )
        const mixed = aPrincipal(
          aGrant(one, "*", ["operator"]),
          aGrant(two, ["east"], ["operator"]),
          aGrant(three, "*", ordinary)
        )
        assert.deepStrictEqual(yield* slugs(mixed), [one])
        assert.deepStrictEqual(yield* slugs(operatorOf(three, one, nowhere)), [one, three].toSorted())
        assert.includeMembers([...(yield* slugs(whole))], [one, two, three])
        for (const principal of [aPrincipal(), aPrincipal(aGrant(one, ["east"], ["operator"]))]) {
          assert.strictEqual(
            yield* outcome(of(({ listBusinesses }) => listBusinesses({}, principal))),
            "FORBIDDEN"
          )
        }
      })
    )
  })
}
