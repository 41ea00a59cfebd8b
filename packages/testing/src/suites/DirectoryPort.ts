/**
 * What a directory says a slug names, what setting places up again changes of them, and what it says of places that are
 * not there: cases of its suite.
 */
import { Directory } from "@dockline/core/places/Directory"
import { Effect } from "effect"
import * as assert from "../Assert.ts"
import type { AddTest } from "../Suite.ts"
import { aBusiness, aSlug, nowhere, outcome } from "../worlds/OperatorWorld.ts"

const facility = (slug: string, name: string) => ({ slug, name, docks: [] })

/** What slugs of facilities of a business name. */
const placeOf = (business: string, ...facilities: ReadonlyArray<string>) =>
  Directory.use((directory) => Effect.all(facilities.map((slug) => directory.lookup(business, slug))))

/** Adds the cases. */
export const directoryPort = (test: AddTest<Directory>): void => {
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
