/**
 * The rules for every directory: how the operations of operators create and show businesses, facilities, docks and field maps, and the
 * guarantees of the port itself.
 */
import type { AuditLog } from "@dockline/core/access/AuditLog"
import { Businesses } from "@dockline/core/operator/Businesses"
import { Directory } from "@dockline/core/places/Place"
import type { BusinessEntry } from "@dockline/core/places/Place"
import { Effect } from "effect"
import * as assert from "../Assert.ts"
import type { AddTest, Suite } from "../Suite.ts"
import {
  aBusiness,
  aSlug,
  faultsOf,
  nowhere,
  operatorOf,
  outcome,
  suiteOver,
  whole
} from "../worlds/OperatorWorld.ts"
import { pagesOf } from "../worlds/ReadWorld.ts"

const facility = (slug: string, name: string) => ({ slug, name, docks: [] })

/** The results of looking up facilities of a business by their slugs. */
const placeOf = (business: string, ...facilities: ReadonlyArray<string>) =>
  Directory.use((directory) => Effect.all(facilities.map((slug) => directory.lookup(business, slug))))

/** Adds the cases of the port itself. */
const directoryPort = (test: AddTest<Directory>): void => {
  test("names what its slugs name, exactly, and each facility under its own business", function*() {
    const directory = yield* Directory
    const [acme, globex, nobody] = [aSlug(), aSlug(), aSlug()]
    yield* directory.put([
      { slug: acme, name: "Acme", fieldMap: [], facilities: [facility("east", "East Hub")] },
      { slug: globex, name: "Globex", fieldMap: [], facilities: [facility("main", "Main")] }
    ])
    const business = { slug: acme, name: "Acme" }
    const east = { slug: "east", name: "East Hub" }
    const none = { business, facility: null }
    assert.deepStrictEqual(yield* placeOf(acme, "east", "main", "East", "", "__proto__"), [
      { business, facility: east },
      none,
      none,
      none,
      none
    ])
    assert.deepStrictEqual(yield* placeOf(globex, "main"), [
      { business: { slug: globex, name: "Globex" }, facility: { slug: "main", name: "Main" } }
    ])
    for (const slug of [nobody, acme.toUpperCase(), "", "__proto__"]) {
      assert.deepStrictEqual(yield* placeOf(slug, "east"), [{ business: null, facility: null }])
    }
  })

  test("adds and renames places that are set up again, and removes none", function*() {
    const directory = yield* Directory
    const slug = aSlug()
    const put = (name: string, ...facilities: ReadonlyArray<ReturnType<typeof facility>>) =>
      directory.put([{ slug, name, fieldMap: [], facilities }])
    yield* put("Acme Inc.", facility("east", "East Hub"), facility("west", "West Hub"))
    yield* put("Acme", facility("north", "North"), facility("east", "East"))
    const business = { slug, name: "Acme" }
    assert.deepStrictEqual(yield* placeOf(slug, "north", "east", "west"), [
      { business, facility: { slug: "north", name: "North" } },
      { business, facility: { slug: "east", name: "East" } },
      { business, facility: { slug: "west", name: "West Hub" } }
    ])
  })

  test("keeps the field map of a business that is set up again without one", function*() {
    const directory = yield* Directory
    const slug = aSlug()
    const fieldMap = [{ name: "Batch", label: "lot", list: false }]
    const put = (entry: Pick<BusinessEntry, "fieldMap">) =>
      directory.put([{ slug, name: slug, facilities: [], ...entry }])
    yield* put({})
    assert.deepStrictEqual(yield* directory.fieldMap(slug), [])
    yield* put({ fieldMap })
    yield* put({})
    assert.deepStrictEqual(yield* directory.fieldMap(slug), fieldMap)
    yield* put({ fieldMap: [] })
    assert.deepStrictEqual(yield* directory.fieldMap(slug), [])
  })

  test("has nothing to change of what is not there", function*() {
    const directory = yield* Directory
    const slug = yield* aBusiness
    const place = { slug: nowhere, name: "Nowhere" }
    const refusals = [
      yield* outcome(directory.rename(place)),
      yield* outcome(directory.setFieldMap(nowhere, [])),
      yield* outcome(
        directory.createFacility(nowhere, { ...place, timeZone: "UTC", detentionMinutes: 120 })
      ),
      yield* outcome(directory.updateFacility(slug, place)),
      yield* outcome(directory.updateFacility(nowhere, { slug: "east", name: "East" })),
      yield* outcome(directory.createDock(slug, nowhere, "D1")),
      yield* outcome(directory.createDock(nowhere, "east", "D1"))
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
    assert.isNull(yield* directory.fieldMap(nowhere))
    assert.deepStrictEqual(yield* directory.facilities(nowhere, page), none)
    assert.deepStrictEqual(yield* directory.docks(slug, nowhere, page), none)
    assert.deepStrictEqual(yield* directory.list([], page), none)
    assert.deepStrictEqual(
      yield* directory.facilitySlugs([slug, nowhere]),
      new Map([[slug, new Set(["east", "west"])]])
    )
    assert.strictEqual(
      yield* outcome(directory.setFieldMap(slug, [{ name: "dockId", label: "x", list: false }])),
      "INVALID_REQUEST"
    )
  })
}

const suiteOf = suiteOver(Businesses.layer)

/** The suite of the directory. */
export const directorySuite: Suite<Directory | AuditLog> = suiteOf("the directory", (test, describe) => {
  describe("D11 businesses, facilities and docks", () => {
    test("are there once they are made, and have the name they were given last", function*() {
      const { createBusiness, createFacility, createDock, renameBusiness, updateFacility, ...reads } =
        yield* Businesses
      const slug = aSlug()
      const acme = { slug, name: "Acme" }
      assert.deepStrictEqual(yield* createBusiness({ body: { slug, name: "Acme" } }, whole), acme)
      const east = { slug: "east", name: "East" }
      assert.deepStrictEqual(yield* createFacility({ slug, body: east }, whole), {
        ...east,
        timeZone: "UTC",
        detentionMinutes: 120
      })
      assert.deepStrictEqual(
        yield* createDock({ slug, facility: "east", body: { slug: "Tor 1 ä" } }, whole),
        {
          slug: "Tor 1 ä"
        }
      )
      assert.deepStrictEqual(yield* reads.getBusiness({ slug }, whole), acme)
      const changedBusiness = { ...acme, name: "Acme Inc." }
      assert.deepStrictEqual(
        yield* renameBusiness({ slug, body: { name: "Acme Inc." } }, whole),
        changedBusiness
      )
      assert.deepStrictEqual(
        yield* updateFacility({ slug, facility: "east", body: { name: "Hub" } }, whole),
        {
          slug: "east",
          name: "Hub",
          timeZone: "UTC",
          detentionMinutes: 120
        }
      )
      assert.deepStrictEqual(yield* reads.getBusiness({ slug }, whole), changedBusiness)
      const hub = { slug: "east", name: "Hub", timeZone: "UTC", detentionMinutes: 120 }
      assert.deepStrictEqual(yield* reads.getFacility({ slug, facility: "east" }, whole), hub)
      assert.deepStrictEqual(yield* reads.listFacilities({ slug }, whole), {
        items: [hub],
        next: null
      })
      assert.deepStrictEqual(yield* reads.listDocks({ slug, facility: "east" }, whole), {
        items: [{ slug: "Tor 1 ä" }],
        next: null
      })
      assert.deepStrictEqual(yield* reads.getFieldMap({ slug }, whole), [])
    })

    test("D13.7, D13.13 a facility has the time zone and the detention it was given last", function*() {
      const { createFacility, getFacility, listFacilities, updateFacility } = yield* Businesses
      const directory = yield* Directory
      const slug = yield* aBusiness
      const north = { slug: "north", name: "North", timeZone: "America/Sao_Paulo", detentionMinutes: 0 }
      assert.deepStrictEqual(yield* createFacility({ slug, body: north }, whole), north)
      const east = { slug: "east", name: "East", timeZone: "UTC", detentionMinutes: 120 }
      assert.deepStrictEqual(yield* getFacility({ slug, facility: "east" }, whole), east)
      const changedEast = { ...east, timeZone: "Europe/Berlin" }
      assert.deepStrictEqual(
        yield* updateFacility({ slug, facility: "east", body: { timeZone: "Europe/Berlin" } }, whole),
        changedEast
      )
      const renamedEast = { ...changedEast, name: "Hub", detentionMinutes: 90 }
      assert.deepStrictEqual(
        yield* updateFacility(
          { slug, facility: "east", body: { name: "Hub", detentionMinutes: 90 } },
          whole
        ),
        renamedEast
      )
      assert.deepStrictEqual(yield* updateFacility({ slug, facility: "east", body: {} }, whole), renamedEast)
      assert.deepStrictEqual((yield* listFacilities({ slug, limit: 2 }, whole)).items, [renamedEast, north])
      const zones = Effect.map(
        directory.describe(slug),
        (business) =>
          assert.present(business).facilities.map(({ slug, timeZone, detentionMinutes }) =>
            `${slug} ${timeZone} ${detentionMinutes}`
          )
      )
      const put = (
        facility: { readonly slug: string; readonly timeZone?: string; readonly detentionMinutes?: number }
      ) =>
        directory.put([{
          slug,
          name: "A",
          fieldMap: [],
          facilities: [{ name: "N", docks: [], ...facility }]
        }])
      yield* put({ slug: "east" })
      yield* put({ slug: "west", timeZone: "Asia/Tokyo" })
      yield* put({ slug: "south", timeZone: "Asia/Tokyo", detentionMinutes: 45 })
      assert.deepStrictEqual(yield* zones, [
        "east Europe/Berlin 90",
        "north America/Sao_Paulo 0",
        "south Asia/Tokyo 45",
        "west Asia/Tokyo 120"
      ])
      assert.strictEqual(yield* outcome(put({ slug: "east", timeZone: "Mars/Olympus" })), "INVALID_REQUEST")
      assert.strictEqual(
        yield* outcome(put({ slug: "east", detentionMinutes: 100_000 })),
        "INVALID_REQUEST"
      )
    })

    test("a slug that is taken is a conflict, and what has it stays as it is", function*() {
      const {
        createBusiness,
        createFacility,
        createDock,
        getBusiness,
        listFacilities,
        setFieldMap,
        getFieldMap
      } = yield* Businesses
      const slug = yield* aBusiness
      const fields = [{ name: "LPN", label: "lpn", list: false }]
      yield* setFieldMap({ slug, body: fields }, whole)
      assert.strictEqual(
        yield* outcome(createBusiness({ body: { slug, name: "Other" } }, whole)),
        "BUSINESS_EXISTS"
      )
      assert.strictEqual(
        yield* outcome(createFacility({ slug, body: { slug: "east", name: "Other" } }, whole)),
        "FACILITY_EXISTS"
      )
      assert.strictEqual(
        yield* outcome(createDock({ slug, facility: "east", body: { slug: "D1" } }, whole)),
        "DOCK_EXISTS"
      )
      assert.strictEqual((yield* getBusiness({ slug }, whole)).name, `The ${slug}`)
      assert.deepStrictEqual(
        (yield* listFacilities({ slug }, whole)).items.map(({ name }) => name),
        ["East", "West"]
      )
      assert.deepStrictEqual(yield* getFieldMap({ slug }, whole), fields)
      // Another business, or another facility, may have the same slug.
      const other = yield* aBusiness
      assert.strictEqual(
        yield* outcome(createDock({ slug, facility: "west", body: { slug: "D1" } }, whole)),
        "ok"
      )
      assert.strictEqual(
        yield* outcome(createDock({ slug: other, facility: "west", body: { slug: "D1" } }, whole)),
        "ok"
      )
    })

    test("an unknown facility is not there", function*() {
      const { getFacility, updateFacility, listDocks, createDock } = yield* Businesses
      const [slug, other] = [yield* aBusiness, yield* aBusiness]
      const { createFacility } = yield* Businesses
      yield* createFacility({ slug: other, body: { slug: "north", name: "North" } }, whole)
      for (const facility of ["north", "", "*", "East", "a\0b"]) {
        const refusals: ReadonlyArray<Effect.Effect<unknown, { readonly code: string }>> = [
          getFacility({ slug, facility }, whole),
          updateFacility({ slug, facility, body: { name: "New" } }, whole),
          listDocks({ slug, facility }, whole),
          createDock({ slug, facility, body: { slug: "D9" } }, whole)
        ]
        for (const each of refusals) assert.strictEqual(yield* outcome(each), "FACILITY_NOT_FOUND")
      }
    })

    test("lists come in pages, in slug order", function*() {
      const { listBusinesses, listFacilities, listDocks } = yield* Businesses
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
      const businesses = yield* pagesOf((query) => listBusinesses(query, principal), 2)
      assert.deepStrictEqual(
        businesses.map((page) => page.map(({ slug }) => slug)),
        [slugs.slice(0, 2), slugs.slice(2, 4), slugs.slice(4)]
      )
      const facilities = yield* pagesOf(
        (query) => listFacilities({ slug: assert.at(slugs, 0), ...query }, principal),
        3
      )
      assert.deepStrictEqual(
        facilities.map((page) => page.map(({ slug }) => slug)),
        [["9", "a", "a-1"], ["a1"]]
      )
      const pages = yield* pagesOf(
        (query) => listDocks({ slug: assert.at(slugs, 0), facility: "a", ...query }, principal),
        4
      )
      assert.deepStrictEqual(
        pages.map((page) => page.map(({ slug }) => slug)),
        [[" ", "D1", "D1 ", "D10"], ["D2", "d1", "Ä", "\uff21"], ["\u{1f69a}"]]
      )
      assert.strictEqual(
        (yield* listDocks({ slug: assert.at(slugs, 0), facility: "a", limit: 0 }, principal)).items.length,
        1
      )
      assert.strictEqual(
        (yield* listDocks({ slug: assert.at(slugs, 0), facility: "a", limit: 9 }, principal)).next,
        null
      )
    })
  })

  describe("D11 limits", () => {
    const names = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, number) => `${prefix}${number}`)

    test("a business has 1,000 facilities at most, a facility 1,000 docks, and a page 100", function*() {
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
      yield* createFacility({ slug, body: facility("last") }, whole)
      yield* createDock({ slug, facility: "f0", body: { slug: "last" } }, whole)
      const refusals = [
        yield* Effect.flip(createFacility({ slug, body: facility("more") }, whole)),
        yield* Effect.flip(createDock({ slug, facility: "f0", body: { slug: "more" } }, whole))
      ]
      assert.deepStrictEqual(refusals.map(({ message }) => message), [
        "TOO_MANY_ENTRIES: at most 1000 facilities of a business",
        "TOO_MANY_ENTRIES: at most 1000 docks of a facility"
      ])
      // An existing slug is a conflict even if the limit is reached.
      assert.strictEqual(
        yield* outcome(createFacility({ slug, body: facility("last") }, whole)),
        "FACILITY_EXISTS"
      )
      assert.strictEqual(
        yield* outcome(createDock({ slug, facility: "f0", body: { slug: "last" } }, whole)),
        "DOCK_EXISTS"
      )
      for (const limit of [undefined, 1000]) {
        assert.strictEqual((yield* listFacilities({ slug, limit }, whole)).items.length, 100)
      }
    })
  })

  describe("D6.4 field maps", () => {
    test("are what was set last", function*() {
      const { getFieldMap, setFieldMap } = yield* Businesses
      const slug = yield* aBusiness
      const first = [{ name: "LPN", label: "lpn", list: false }, { name: "SKUs", label: "sku", list: true }]
      assert.deepStrictEqual(yield* setFieldMap({ slug, body: first }, whole), first)
      assert.deepStrictEqual(yield* getFieldMap({ slug }, whole), first)
      const second = [{ name: "ä\"'", label: "lot", list: false }]
      yield* setFieldMap({ slug, body: second }, whole)
      assert.deepStrictEqual(yield* getFieldMap({ slug }, whole), second)
      yield* setFieldMap({ slug, body: [] }, whole)
      assert.deepStrictEqual(yield* getFieldMap({ slug }, whole), [])
    })

    test("a bad one is refused with every fault, and the one before stays", function*() {
      const { getFieldMap, setFieldMap } = yield* Businesses
      const slug = yield* aBusiness
      const good = [{ name: "LPN", label: "lpn", list: false }]
      yield* setFieldMap({ slug, body: good }, whole)
      const bad = [...good, { name: "orders", label: "o", list: false }, {
        name: "LPN",
        label: "l",
        list: true
      }]
      assert.deepStrictEqual(yield* faultsOf(setFieldMap({ slug, body: bad }, whole)), {
        code: "INVALID_REQUEST",
        errors: [
          { path: "[1].name", detail: "orders is a field of every message; choose another name" },
          { path: "[2].name", detail: "is the name of an earlier field; choose another name" }
        ]
      })
      const put = (yield* Directory).put([{ slug, name: "Put", fieldMap: bad, facilities: [] }])
      assert.strictEqual((yield* faultsOf(put)).code, "INVALID_REQUEST")
      assert.deepStrictEqual(yield* getFieldMap({ slug }, whole), good)
    })
  })

  describe("the directory", () => {
    directoryPort(test)

    test("refuses malformed slugs, names each, and writes nothing of what came with them", function*() {
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
  })
})
