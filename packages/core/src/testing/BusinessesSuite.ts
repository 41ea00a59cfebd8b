/**
 * What holds for businesses, facilities, docks and field maps on behalf of operators, whatever they are stored in.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Principal } from "../Access.ts"
import { Businesses } from "../Businesses.ts"
import { Directory } from "../Directory.ts"
import { Intake } from "../Intake.ts"
import { aDocument, aGrant } from "./Given.ts"
import {
  aBusiness,
  aPrincipal,
  aSlug,
  operatorOf,
  ordinary,
  outcome,
  pagesOf,
  suiteOf,
  whole
} from "./OperatorWorld.ts"

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
  ["get", (slug, principal) => of(({ get }) => get(slug, principal))],
  ["rename", (slug, principal) => of(({ rename }) => rename(slug, { name: "New" }, principal))],
  ["listFacilities", (slug, principal) => of(({ listFacilities }) => listFacilities(slug, {}, principal))],
  [
    "createFacility",
    (slug, principal) =>
      of(({ createFacility }) => createFacility(slug, { slug: aSlug(), name: "North" }, principal))
  ],
  ["getFacility", (slug, principal) => of(({ getFacility }) => getFacility(slug, "east", principal))],
  [
    "renameFacility",
    (slug, principal) => of(({ renameFacility }) => renameFacility(slug, "east", { name: "New" }, principal))
  ],
  ["listDocks", (slug, principal) => of(({ listDocks }) => listDocks(slug, "east", {}, principal))],
  [
    "createDock",
    (slug, principal) => of(({ createDock }) => createDock(slug, "east", { slug: aSlug() }, principal))
  ],
  ["fieldMap", (slug, principal) => of(({ fieldMap }) => fieldMap(slug, principal))],
  ["setFieldMap", (slug, principal) => of(({ setFieldMap }) => setFieldMap(slug, [], principal))]
]

/** The suite of businesses. */
export const businessesSuite = suiteOf((test) => {
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
          for (const slug of ["nowhere", "", "*", "UPPER", "a\0b", "\ud800", "x".repeat(10_000)]) {
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
          outcome(of(({ create }) => create({ slug: aSlug(), name: "New" }, principal)))
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
            pagesOf((query) => of(({ list }) => list(query, principal)), 100),
            (pages) => pages.flat().map(({ slug }) => slug)
          )
        const mixed = aPrincipal(
          aGrant(one, "*", ["operator"]),
          aGrant(two, ["east"], ["operator"]),
          aGrant(three, "*", ordinary)
        )
        assert.deepStrictEqual(yield* slugs(mixed), [one])
        assert.deepStrictEqual(yield* slugs(operatorOf(three, one, "nowhere")), [one, three].toSorted())
        assert.includeMembers([...(yield* slugs(whole))], [one, two, three])
        for (const principal of [aPrincipal(), aPrincipal(aGrant(one, ["east"], ["operator"]))]) {
          assert.strictEqual(yield* outcome(of(({ list }) => list({}, principal))), "FORBIDDEN")
        }
      })
    )
  })

  describe("D11 businesses, facilities and docks", () => {
    test(
      "are there once they are made, and have the name they were given last",
      Effect.gen(function*() {
        const { create, createFacility, createDock, rename, renameFacility, ...reads } = yield* Businesses
        const slug = aSlug()
        assert.deepStrictEqual(yield* create({ slug, name: "Acme" }, whole), { slug, name: "Acme" })
        const east = { slug: "east", name: "East" }
        assert.deepStrictEqual(yield* createFacility(slug, east, whole), east)
        assert.deepStrictEqual(yield* createDock(slug, "east", { slug: "Tor 1 ä" }, whole), {
          slug: "Tor 1 ä"
        })
        assert.deepStrictEqual(yield* reads.get(slug, whole), { slug, name: "Acme" })
        assert.deepStrictEqual(yield* rename(slug, { name: "Acme Inc." }, whole), { slug, name: "Acme Inc." })
        assert.deepStrictEqual(yield* renameFacility(slug, "east", { name: "Hub" }, whole), {
          slug: "east",
          name: "Hub"
        })
        assert.deepStrictEqual(yield* reads.get(slug, whole), { slug, name: "Acme Inc." })
        assert.deepStrictEqual(yield* reads.getFacility(slug, "east", whole), { slug: "east", name: "Hub" })
        assert.deepStrictEqual(yield* reads.listFacilities(slug, {}, whole), {
          items: [{ slug: "east", name: "Hub" }],
          next: null
        })
        assert.deepStrictEqual(yield* reads.listDocks(slug, "east", {}, whole), {
          items: [{ slug: "Tor 1 ä" }],
          next: null
        })
        assert.deepStrictEqual(yield* reads.fieldMap(slug, whole), [])
      })
    )

    test(
      "documents name them at once",
      Effect.gen(function*() {
        const { create, createFacility, createDock } = yield* Businesses
        const business = aSlug()
        yield* create({ slug: business, name: "Acme" }, whole)
        yield* createFacility(business, { slug: "east", name: "East" }, whole)
        yield* createDock(business, "east", { slug: "D1" }, whole)
        const intake = yield* Intake
        const { shipment } = yield* intake.submit(
          aDocument({ business, dockSlug: "D1" }),
          aPrincipal(aGrant(business))
        )
        assert.strictEqual(shipment.dockSlug, "D1")
        assert.match(shipment.dockId, /^\d+$/)
      })
    )

    test(
      "a slug that is taken is a conflict, and what has it stays as it is",
      Effect.gen(function*() {
        const { create, createFacility, createDock, get, listFacilities, setFieldMap, fieldMap } =
          yield* Businesses
        const slug = yield* aBusiness
        const fields = [{ name: "LPN", label: "lpn", list: false }]
        yield* setFieldMap(slug, fields, whole)
        assert.strictEqual(yield* outcome(create({ slug, name: "Other" }, whole)), "BUSINESS_EXISTS")
        assert.strictEqual(
          yield* outcome(createFacility(slug, { slug: "east", name: "Other" }, whole)),
          "FACILITY_EXISTS"
        )
        assert.strictEqual(yield* outcome(createDock(slug, "east", { slug: "D1" }, whole)), "DOCK_EXISTS")
        assert.strictEqual((yield* get(slug, whole)).name, `The ${slug}`)
        assert.deepStrictEqual(
          (yield* listFacilities(slug, {}, whole)).items.map(({ name }) => name),
          ["East", "West"]
        )
        assert.deepStrictEqual(yield* fieldMap(slug, whole), fields)
        // Another business, and another facility, may have the same.
        const other = yield* aBusiness
        assert.strictEqual(yield* outcome(createDock(slug, "west", { slug: "D1" }, whole)), "ok")
        assert.strictEqual(yield* outcome(createDock(other, "west", { slug: "D1" }, whole)), "ok")
      })
    )

    test(
      "an unknown facility is not there",
      Effect.gen(function*() {
        const { getFacility, renameFacility, listDocks, createDock } = yield* Businesses
        const [slug, other] = [yield* aBusiness, yield* aBusiness]
        const { createFacility } = yield* Businesses
        yield* createFacility(other, { slug: "north", name: "North" }, whole)
        for (const facility of ["north", "", "*", "East", "a\0b"]) {
          const refused: ReadonlyArray<Effect.Effect<unknown, { readonly code: string }>> = [
            getFacility(slug, facility, whole),
            renameFacility(slug, facility, { name: "New" }, whole),
            listDocks(slug, facility, {}, whole),
            createDock(slug, facility, { slug: "D9" }, whole)
          ]
          for (const each of refused) assert.strictEqual(yield* outcome(each), "FACILITY_NOT_FOUND")
        }
      })
    )

    test(
      "lists come in pages, in slug order",
      Effect.gen(function*() {
        const { list, listFacilities, listDocks } = yield* Businesses
        const directory = yield* Directory
        const slugs = [aSlug(), aSlug(), aSlug(), aSlug(), aSlug()].toSorted()
        const docks = ["D10", "D2", "d1", "D1", "\u{1f69a}", "\uff21", "Ä", " ", "D1 "]
        yield* directory.put(
          slugs.toReversed().map((slug) => ({
            slug,
            name: slug,
            fieldMap: [],
            facilities: ["9", "a-1", "a1", "a"].map((slug) => ({ slug, name: slug, docks }))
          }))
        )
        const principal = operatorOf(...slugs)
        const businesses = yield* pagesOf((query) => list(query, principal), 2)
        assert.deepStrictEqual(
          businesses.map((page) => page.map(({ slug }) => slug)),
          [slugs.slice(0, 2), slugs.slice(2, 4), slugs.slice(4)]
        )
        const facilities = yield* pagesOf((query) => listFacilities(slugs[0]!, query, principal), 3)
        assert.deepStrictEqual(
          facilities.map((page) => page.map(({ slug }) => slug)),
          [["9", "a", "a-1"], ["a1"]]
        )
        const pages = yield* pagesOf((query) => listDocks(slugs[0]!, "a", query, principal), 4)
        assert.deepStrictEqual(
          pages.map((page) => page.map(({ slug }) => slug)),
          [[" ", "D1", "D1 ", "D10"], ["D2", "d1", "Ä", "\uff21"], ["\u{1f69a}"]]
        )
        assert.strictEqual((yield* listDocks(slugs[0]!, "a", { limit: 0 }, principal)).items.length, 1)
        assert.strictEqual((yield* listDocks(slugs[0]!, "a", { limit: 9 }, principal)).next, null)
      })
    )
  })
})
