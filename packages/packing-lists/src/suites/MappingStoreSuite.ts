/** The rules for the saved mappings of businesses, for every storage (D25.7). */
import type { Principal } from "@dockline/core/access/Access"
import type { NotRun } from "@dockline/core/access/Idempotency"
import type { Directory } from "@dockline/core/places/Place"
import * as assert from "@dockline/testing/Assert"
import { aClient } from "@dockline/testing/generators/Given"
import * as Suite from "@dockline/testing/Suite"
import { aBusiness } from "@dockline/testing/worlds/IntakeWorld"
import { keepsAnswers } from "@dockline/testing/worlds/KeepWorld"
import type { KeptCall } from "@dockline/testing/worlds/KeepWorld"
import { at } from "@dockline/testing/worlds/MessageLogWorld"
import { codeOf } from "@dockline/testing/worlds/MovementWorld"
import { pagesOf } from "@dockline/testing/worlds/ReadWorld"
import { Effect } from "effect"
import { decideSave, mappingLimit } from "../domain/SavedMapping.ts"
import type { MappingSnapshot, SavePlan } from "../domain/SavedMapping.ts"
import { MappingStore, SavedMappings } from "../domain/SavedMappings.ts"
import { emptyMapping } from "../mapping/Mapping.ts"
import type { Mapping } from "../mapping/Mapping.ts"

/** The port under test, and the ports that it needs. */
export type MappingStores = MappingStore | Directory

type AddTest = Suite.AddTest<SavedMappings | MappingStores>

const [first, second] = ["2026-11-20T12:00:00.000Z", "2026-11-20T13:00:00.000Z"]

const everywhere = "*"

const mappingOf = (column: string): Mapping => ({
  ...emptyMapping,
  columns: [{ column, field: "lpn" }, { column: "Größe \"ü\" \\ 🚚", field: "sku" }],
  values: [{ field: "direction", value: "INBOUND" }],
  strategy: "MERGE",
  decimal: "COMMA",
  dates: "DAY_MONTH_YEAR",
  separator: "TAB",
  sheet: "List",
  headerRow: 3
})

/** A new business with a client that may send documents to all its facilities. */
const aKeeper = Effect.gen(function*() {
  const business = yield* aBusiness
  const mappings = yield* SavedMappings
  const may = (
    facilities: "*" | ReadonlyArray<string>,
    ...permissions: Principal["grants"][number]["permissions"]
  ) => aClient("client", business, facilities, ...permissions)
  const client = may(everywhere, "documents:write")
  return {
    business,
    client,
    mappings,
    may,
    save: (name: string, mapping = mappingOf(name)) =>
      mappings.save({ body: { business, name, mapping } }, client),
    remove: (name: string) => mappings.delete({ body: { business, name } }, client),
    names: Effect.map(mappings.list({ business }, client), ({ items }) => items.map(({ name }) => name))
  }
})

const changing = (test: AddTest): void => {
  test("D25.7 a mapping is kept as it is, in place of what had its name, and deleted", function*() {
    const { business, client, mappings, names, remove, save } = yield* aKeeper
    const store = yield* MappingStore
    const view = yield* at(Date.parse(first))(save("nordwind"))
    assert.deepStrictEqual(view, {
      business,
      name: "nordwind",
      mapping: mappingOf("nordwind"),
      savedAt: first
    })
    yield* at(Date.parse(first))(save("alpha", emptyMapping))
    yield* at(Date.parse(second))(save("nordwind", mappingOf("other")))
    yield* at(Date.parse(second))(save("alpha", emptyMapping))
    const { items } = yield* mappings.list({ business }, client)
    assert.deepStrictEqual(
      items.map(({ mapping, name, savedAt }) => [name, mapping, savedAt]),
      [["alpha", emptyMapping, first], ["nordwind", mappingOf("other"), second]]
    )
    assert.deepStrictEqual((yield* store.find({ business, name: "nordwind" }))?.mapping, mappingOf("other"))
    assert.deepStrictEqual(yield* remove("nordwind"), { deleted: true })
    assert.deepStrictEqual(yield* remove("nordwind"), { deleted: false })
    assert.isNull(yield* store.find({ business, name: "nordwind" }))
    assert.deepStrictEqual(yield* names, ["alpha"])
  })

  test("D25.7 a business keeps a limited number of mappings, of which each may be replaced", function*() {
    const { names, remove, save } = yield* aKeeper
    const all = Array.from({ length: mappingLimit }, (_, n) => `m${String(n).padStart(3, "0")}`)
    yield* Effect.forEach(all, (name) => save(name), { concurrency: 4 })
    assert.strictEqual(yield* codeOf(save("one-more")), "TOO_MANY_ENTRIES")
    yield* save(all[0]!)
    assert.deepStrictEqual(yield* names, all)
    yield* remove(all[0]!)
    yield* save("one-more")
    assert.strictEqual((yield* names).length, mappingLimit)
  })

  test("D25.7 changes at once lose nothing", function*() {
    const { names, save } = yield* aKeeper
    const all = Array.from({ length: 12 }, (_, n) => `m${String(n).padStart(2, "0")}`)
    yield* Effect.all(all.flatMap((name) => [save(name), save("same")]), { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* names, [...all, "same"])
  })
}

const reading = (test: AddTest): void => {
  test("D25.7 mappings are listed by name, in pages", function*() {
    const { business, client, mappings, save } = yield* aKeeper
    const all = ["10", "9", "a", "a-1", "b"]
    yield* Effect.forEach(all.toReversed(), (name) => save(name))
    for (const limit of [1, 2, 5, 100]) {
      const pages = yield* pagesOf((page) => mappings.list({ business, ...page }, client), limit)
      assert.deepStrictEqual(pages.flat().map(({ name }) => name), all)
    }
  })

  test("D25.7 a business has its own mappings alone", function*() {
    const one = yield* aKeeper
    const other = yield* aKeeper
    const store = yield* MappingStore
    yield* one.save("nordwind")
    assert.deepStrictEqual(yield* other.names, [])
    assert.deepStrictEqual(yield* other.remove("nordwind"), { deleted: false })
    assert.isNull(yield* store.find({ business: other.business, name: "nordwind" }))
    yield* other.save("nordwind", mappingOf("other"))
    assert.deepStrictEqual(
      (yield* store.find({ business: one.business, name: "nordwind" }))?.mapping,
      mappingOf("nordwind")
    )
    const input = { business: one.business, name: "nordwind", mapping: emptyMapping }
    const codes = yield* Effect.all([
      codeOf(one.mappings.list({ business: one.business }, other.client)),
      codeOf(one.mappings.save({ body: input }, other.client)),
      codeOf(one.mappings.delete({ body: input }, other.client))
    ])
    assert.deepStrictEqual(codes, ["FORBIDDEN", "FORBIDDEN", "FORBIDDEN"])
    assert.deepStrictEqual(yield* one.names, ["nordwind"])
  })

  test("D10.3 reading needs any permission at the business, a change that of documents at all its facilities", function*() {
    const { business, mappings, may, names } = yield* aKeeper
    const input = { business, name: "nordwind", mapping: emptyMapping }
    const changes = (principal: Principal, of = input) =>
      Effect.all([
        codeOf(mappings.save({ body: of }, principal)),
        codeOf(mappings.delete({ body: of }, principal))
      ])
    for (
      const client of [may(["east", "west"], "documents:write"), may(everywhere, "shipments:write")]
    ) {
      assert.deepStrictEqual(yield* changes(client), ["FORBIDDEN", "FORBIDDEN"])
      assert.deepStrictEqual(yield* mappings.list({ business }, client), { items: [], next: null })
    }
    assert.strictEqual(yield* codeOf(mappings.list({ business }, may(["east"]))), "FORBIDDEN")
    const anywhere = aClient("client", everywhere, everywhere, "documents:write")
    assert.deepStrictEqual(yield* changes(anywhere, { ...input, business: "nobody" }), [
      "BUSINESS_NOT_FOUND",
      "BUSINESS_NOT_FOUND"
    ])
    assert.strictEqual(
      yield* codeOf(mappings.list({ business: "nobody" }, anywhere)),
      "BUSINESS_NOT_FOUND"
    )
    assert.deepStrictEqual(yield* names, [])
  })
}

/** A change through the store, with a new name each time. */
const aChange = Effect.gen(function*() {
  const { business, names } = yield* aKeeper
  const store = yield* MappingStore
  let next = 0
  const call: KeptCall<never> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const input = { business, name: `m${next++}`, mapping: emptyMapping }
        const decide = (snapshot: MappingSnapshot) => deciding(() => decideSave(input, snapshot))
        return store.change<SavePlan, unknown, NotRun>(input, decide, keep)
      }),
    writeCount: Effect.map(names, ({ length }) => length)
  }
  return call
})

const keeping = (test: AddTest): void => keepsAnswers(test, "the answer of a change of mappings", aChange)

/** The suite of `MappingStore`. */
export const mappingStoreSuite: Suite.Suite<MappingStores> = Suite.ofParts(
  "mappings of packing lists",
  { changing, reading, keeping },
  SavedMappings.layer
)
