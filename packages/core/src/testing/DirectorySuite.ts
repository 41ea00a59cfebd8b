/**
 * What holds for field maps, limits and the directory itself, whatever it is stored in.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { Businesses } from "../Businesses.ts"
import { Directory } from "../Directory.ts"
import { aBusiness, aSlug, faultsOf, outcome, suiteOf, whole } from "./OperatorWorld.ts"

/** The suite of the directory. */
export const directorySuite = suiteOf((test) => {
  describe("D11 limits", () => {
    const names = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, number) => `${prefix}${number}`)

    test(
      "a business has 1,000 facilities at most, a facility 1,000 docks, and a page 100",
      Effect.gen(function*() {
        const { createFacility, createDock, listFacilities } = yield* Businesses
        const directory = yield* Directory
        const slug = aSlug()
        yield* directory.put([{
          slug,
          name: slug,
          fieldMap: [],
          facilities: names(999, "f").map((slug) => ({
            slug,
            name: slug,
            docks: slug === "f0" ? names(999, "D") : []
          }))
        }])
        const facility = (slug: string) => ({ slug, name: slug })
        yield* createFacility(slug, facility("last"), whole)
        yield* createDock(slug, "f0", { slug: "last" }, whole)
        const refusals = [
          yield* Effect.flip(createFacility(slug, facility("more"), whole)),
          yield* Effect.flip(createDock(slug, "f0", { slug: "more" }, whole))
        ]
        assert.deepStrictEqual(refusals.map(({ message }) => message), [
          "TOO_MANY_ENTRIES: at most 1000 facilities of a business",
          "TOO_MANY_ENTRIES: at most 1000 docks of a facility"
        ])
        // What is there is a conflict, full or not.
        assert.strictEqual(
          yield* outcome(createFacility(slug, facility("last"), whole)),
          "FACILITY_EXISTS"
        )
        assert.strictEqual(yield* outcome(createDock(slug, "f0", { slug: "last" }, whole)), "DOCK_EXISTS")
        for (const limit of [undefined, 1000]) {
          assert.strictEqual((yield* listFacilities(slug, { limit }, whole)).items.length, 100)
        }
      })
    )
  })

  describe("D6.4 field maps", () => {
    test(
      "are what was set last",
      Effect.gen(function*() {
        const { fieldMap, setFieldMap } = yield* Businesses
        const slug = yield* aBusiness
        const first = [{ name: "LPN", label: "lpn", list: false }, { name: "SKUs", label: "sku", list: true }]
        assert.deepStrictEqual(yield* setFieldMap(slug, first, whole), first)
        assert.deepStrictEqual(yield* fieldMap(slug, whole), first)
        const second = [{ name: "ä\"'", label: "lot", list: false }]
        yield* setFieldMap(slug, second, whole)
        assert.deepStrictEqual(yield* fieldMap(slug, whole), second)
        yield* setFieldMap(slug, [], whole)
        assert.deepStrictEqual(yield* fieldMap(slug, whole), [])
      })
    )

    test(
      "a bad one is refused with every fault, and the one before stays",
      Effect.gen(function*() {
        const { fieldMap, setFieldMap } = yield* Businesses
        const slug = yield* aBusiness
        const good = [{ name: "LPN", label: "lpn", list: false }]
        yield* setFieldMap(slug, good, whole)
        const bad = [...good, { name: "orders", label: "o", list: false }, {
          name: "LPN",
          label: "l",
          list: true
        }]
        assert.deepStrictEqual(yield* faultsOf(setFieldMap(slug, bad, whole)), {
          code: "INVALID_REQUEST",
          errors: [
            { path: "[1].name", detail: "orders is a field of every message; take another name" },
            { path: "[2].name", detail: "is the name of an earlier field; take another name" }
          ]
        })
        assert.deepStrictEqual(yield* fieldMap(slug, whole), good)
      })
    )
  })

  describe("the directory", () => {
    test(
      "refuses malformed slugs, names each, and writes nothing of what came with them",
      Effect.gen(function*() {
        const directory = yield* Directory
        const good = aSlug()
        const entry = (
          slug: string,
          facilities: ReadonlyArray<readonly [string, ReadonlyArray<string>]>
        ) => ({
          slug,
          name: slug,
          fieldMap: [],
          facilities: facilities.map(([slug, docks]) => ({ slug, name: slug, docks }))
        })
        const { code, errors } = yield* faultsOf(directory.put([
          entry(good, [["east", ["D1"]]]),
          entry("Upper", [["-x", ["D1", "", "x".repeat(65), "a\0b"]], ["x".repeat(64), []]])
        ]))
        assert.strictEqual(code, "INVALID_REQUEST")
        assert.deepStrictEqual(errors.map(({ path }) => path), [
          "[1].slug",
          "[1].facilities[0].slug",
          "[1].facilities[0].docks[1]",
          "[1].facilities[0].docks[2]",
          "[1].facilities[0].docks[3]",
          "[1].facilities[1].slug"
        ])
        assert.isNull((yield* directory.lookup(good, "east")).business)
      })
    )

    test(
      "has nothing to change of what is not there",
      Effect.gen(function*() {
        const directory = yield* Directory
        const slug = yield* aBusiness
        const place = { slug: "nowhere", name: "Nowhere" }
        const refusals = [
          yield* outcome(directory.rename(place)),
          yield* outcome(directory.setFieldMap("nowhere", [])),
          yield* outcome(directory.createFacility("nowhere", place)),
          yield* outcome(directory.renameFacility(slug, place)),
          yield* outcome(directory.renameFacility("nowhere", { slug: "east", name: "East" })),
          yield* outcome(directory.createDock(slug, "nowhere", "D1")),
          yield* outcome(directory.createDock("nowhere", "east", "D1"))
        ]
        assert.deepStrictEqual(refusals, [
          "BUSINESS_NOT_FOUND",
          "BUSINESS_NOT_FOUND",
          "BUSINESS_NOT_FOUND",
          "FACILITY_NOT_FOUND",
          "FACILITY_NOT_FOUND",
          "FACILITY_NOT_FOUND",
          "FACILITY_NOT_FOUND"
        ])
        const none = { items: [], next: null }
        const page = { limit: 10, after: "" }
        assert.isNull(yield* directory.fieldMap("nowhere"))
        assert.deepStrictEqual(yield* directory.facilities("nowhere", page), none)
        assert.deepStrictEqual(yield* directory.docks(slug, "nowhere", page), none)
        assert.deepStrictEqual(yield* directory.list([], page), none)
        assert.deepStrictEqual(
          yield* directory.facilitySlugs([slug, "nowhere"]),
          new Map([[slug, new Set(["east", "west"])]])
        )
        assert.strictEqual(
          yield* outcome(directory.setFieldMap(slug, [{ name: "dockId", label: "x", list: false }])),
          "INVALID_REQUEST"
        )
      })
    )
  })
})
