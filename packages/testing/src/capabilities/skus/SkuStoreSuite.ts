/** The rules for the SKU masters of facilities, for every storage: changes, reads, and limits of texts and of answers (D5.1, D17.4). */
import type { Principal } from "@dockline/core/access/Access"
import type { NotRun } from "@dockline/core/access/Idempotency"
import type { IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { Directory } from "@dockline/core/places/Place"
import { decideSet, longestSkuText, skusAtMost } from "@dockline/core/skus/Sku"
import type { GivenSku, SetPlan, Sku, SkuSnapshot } from "@dockline/core/skus/Sku"
import { Skus, SkuStore } from "@dockline/core/skus/Skus"
import { pageBudget } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, orderOf } from "../../generators/Given.ts"
import * as Suite from "../../Suite.ts"
import { aBusiness, write } from "../../worlds/IntakeWorld.ts"
import { keepsAnswers } from "../../worlds/KeepWorld.ts"
import type { KeptCall } from "../../worlds/KeepWorld.ts"
import { at } from "../../worlds/MessageLogWorld.ts"
import { codeOf } from "../../worlds/MovementWorld.ts"
import { anAnswerMemory, pagesOf } from "../../worlds/ReadWorld.ts"

/** The port under test, and the ports that its tests need: documents create the shipments whose SKUs are looked up in a master. */
export type SkuStores = SkuStore | Directory | IntakeStore

type AddTest = Suite.AddTest<Skus | SkuStores>

const [first, second] = ["2026-11-20T12:00:00.000Z", "2026-11-20T13:00:00.000Z"]

/** The masters of a new business, whose client may write documents, and so change SKUs, at both facilities. */
const aMaster = Effect.gen(function*() {
  const business = yield* aBusiness
  const skus = yield* Skus
  const may = (
    facilities: ReadonlyArray<string>,
    ...permissions: Principal["grants"][number]["permissions"]
  ) => aClient("client", business, facilities, ...permissions)
  const client = may(["east", "west"], "documents:write")
  const place = { business, facility: "east" }
  return {
    business,
    client,
    may,
    place,
    skus,
    set: (...skusGiven: ReadonlyArray<GivenSku>) => skus.set({ ...place, skus: skusGiven }, client),
    ids: Effect.map(skus.list(place, client), ({ items }) => items.map(({ id }) => id))
  }
})

const nothing = {
  description: "",
  unitOfMeasure: "",
  unitOfWeight: "",
  casesPerPallet: 0,
  casesPerLayer: 0,
  layersPerPallet: 0,
  alternateIds: [],
  metadata: ""
}

const changing = (test: AddTest): void => {
  test("D17.4 a SKU is added and changed with what is given; what is empty stays as it is", function*() {
    const { business, client, place, set, skus } = yield* aMaster
    const whole = {
      id: "SKU \"1\"",
      description: "Oat drink \\ 12 x 1 l ü 🚚",
      unitOfMeasure: "CASE",
      unitOfWeight: "KG",
      casesPerPallet: 60,
      casesPerLayer: 12,
      layersPerPallet: 5,
      alternateIds: ["b", "a", "b"],
      metadata: "{\"n\": 1e3, \"nul\": \"\\\\u0000\"}"
    }
    const result = yield* at(Date.parse(first))(set(whole, { id: "SKU-2" }))
    const view = { business, facility: "east", createdAt: first, updatedAt: "" }
    assert.deepStrictEqual(result, {
      added: 2,
      updated: 0,
      skus: [{ ...whole, ...view }, { ...nothing, id: "SKU-2", ...view }]
    })
    const { items } = yield* skus.list(place, client)
    assert.deepStrictEqual(items, result.skus)
    const update = yield* at(Date.parse(second))(
      set({ id: "SKU-3" }, { ...nothing, id: whole.id, description: "Oat drink" }, { id: "SKU-2" })
    )
    assert.deepStrictEqual(update, {
      added: 1,
      updated: 2,
      skus: [
        { ...nothing, id: "SKU-3", ...view, createdAt: second },
        { ...whole, ...view, description: "Oat drink", updatedAt: second },
        { ...nothing, id: "SKU-2", ...view }
      ]
    })
    const after = (yield* skus.list(place, client)).items
    assert.deepStrictEqual(after, [
      assert.at(update.skus, 1),
      assert.at(update.skus, 2),
      assert.at(update.skus, 0)
    ])
  })

  test("D17.4 SKUs are those of one facility, compared exactly; deleting others is no error", function*() {
    const { business, client, ids, place, set, skus } = yield* aMaster
    yield* set({ id: "a" }, { id: "A" }, { id: " a" }, { id: "0" }, { id: "00" })
    const west = { business, facility: "west" }
    yield* skus.set({ ...west, skus: [{ id: "a", description: "west" }] }, client)
    assert.deepStrictEqual(yield* skus.delete({ ...place, ids: ["a", "0", "none"] }, client), {
      deleted: 2
    })
    assert.deepStrictEqual(yield* ids, [" a", "00", "A"])
    assert.deepStrictEqual((yield* skus.list(west, client)).items.map(({ description }) => description), [
      "west"
    ])
    assert.deepStrictEqual(yield* skus.delete({ ...place, ids: ["a"] }, client), { deleted: 0 })
    assert.deepStrictEqual((yield* set({ id: "a" })).added, 1)
  })

  test("D17.4 changes at once lose nothing", function*() {
    const { ids, set } = yield* aMaster
    const all = Array.from({ length: 20 }, (_, n) => `S${String(n).padStart(2, "0")}`)
    const answers = yield* Effect.all(
      all.map((id, n) => set({ id }, { id: "same", casesPerPallet: n + 1 })),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(yield* ids, [...all, "same"])
    assert.strictEqual(answers.reduce((sum, { added }) => sum + added, 0), 21)
  })

  test("D17.4 a change that adds more SKUs than a facility may have changes nothing", function*() {
    const { ids, place } = yield* aMaster
    const store = yield* SkuStore
    const full = (snapshot: SkuSnapshot) =>
      decideSet(place, [{ id: "one" }], { ...snapshot, count: skusAtMost })
    assert.strictEqual(yield* codeOf(store.change(place, ["one"], full)), "INVALID_REQUEST")
    assert.deepStrictEqual(yield* ids, [])
  })
}

const reading = (test: AddTest): void => {
  test("D17.4 SKUs are listed by code point, in pages, and in slices with their number", function*() {
    const { client, place, set, skus } = yield* aMaster
    const ids = ["", "\uFF5E", "\u{1F69A}"].flatMap((end) => ["10", "9", "b"].map((id) => id + end))
      .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    yield* set(...ids.toReversed().map((id) => ({ id })))
    for (const limit of [1, 4, 9, 100]) {
      const pages = yield* pagesOf((page) => skus.list({ ...place, ...page }, client), limit)
      assert.deepStrictEqual(pages.flat().map(({ id }) => id), ids)
    }
    const slice = (offset: number, limit: number, id?: string) =>
      Effect.map(
        skus.slice(place, { id, offset, limit }, client),
        ({ skus, total }) => [skus.map(({ id }) => id), total]
      )
    assert.deepStrictEqual(yield* slice(0, 100), [ids, 9])
    assert.deepStrictEqual(yield* slice(7, 5), [ids.slice(7), 9])
    assert.deepStrictEqual(yield* slice(9, 5), [[], 9])
    assert.deepStrictEqual(yield* slice(0, 5, "b"), [["b"], 1])
    assert.deepStrictEqual(yield* slice(1, 5, "b"), [[], 1])
    assert.deepStrictEqual(yield* slice(0, 5, "none"), [[], 0])
  })

  test("D10.3 reading needs any permission at the facility, a change that of documents", function*() {
    const { business, may, place, skus } = yield* aMaster
    const input = { ...place, skus: [{ id: "a" }] }
    const everyCode = (principal: Principal) =>
      Effect.all([
        Effect.match(skus.list(place, principal), {
          onFailure: ({ code }) => code,
          onSuccess: () => "answered"
        }),
        codeOf(skus.set(input, principal)),
        codeOf(skus.delete({ ...place, ids: ["a"] }, principal))
      ])
    const refusalCode = "FORBIDDEN"
    assert.deepStrictEqual(yield* everyCode(may(["west"], "documents:write")), [
      refusalCode,
      refusalCode,
      refusalCode
    ])
    assert.deepStrictEqual((yield* everyCode(may(["east"], "shipments:write"))).slice(1), [
      refusalCode,
      refusalCode
    ])
    yield* skus.list(place, may(["east"], "messages:read"))
    const everywhere = may(["east", "none"], "documents:write")
    const none = { business, facility: "none" }
    assert.deepStrictEqual(
      yield* Effect.all([
        codeOf(skus.list(none, everywhere)),
        codeOf(skus.set({ ...none, skus: [{ id: "a" }] }, everywhere)),
        codeOf(skus.delete({ business: "nobody", facility: "east", ids: ["a"] }, everywhere))
      ]),
      ["FACILITY_NOT_FOUND", "FACILITY_NOT_FOUND", "BUSINESS_NOT_FOUND"]
    )
  })

  test("D17.4 the master of the facility of a shipment says what it knows of SKUs of the shipment", function*() {
    const { business, set } = yield* aMaster
    const store = yield* SkuStore
    yield* set({ id: "S1", description: "Oat drink", casesPerPallet: 60 }, { id: "S2" })
    const items = [anItem("L1", "S1"), anItem("L2", "s1"), anItem("", "S2", { identifier: "I" })]
    const descriptionsAt = Effect.fnUntraced(function*(facility: string) {
      const { ids } = yield* write(aDocument({ business, facility }, orderOf("O1", "APPEND", items)))
      return yield* store.descriptionsFor(Number(ids.shipment), ["S2", "S3", "S1", "s1"], [])
    })
    assert.deepStrictEqual(
      (yield* descriptionsAt("east")).toSorted((one, other) => one.id < other.id ? -1 : 1),
      [
        { id: "S1", description: "Oat drink", casesPerPallet: 60 },
        { id: "S2", description: "", casesPerPallet: 0 }
      ]
    )
    assert.deepStrictEqual(yield* descriptionsAt("west"), [])
    assert.deepStrictEqual(yield* store.descriptionsFor(1_000_000_000, ["S1"], []), [])
  })
}

/** A change of the store that adds another SKU at each call. */
const aChange = Effect.gen(function*() {
  const { ids, place } = yield* aMaster
  const store = yield* SkuStore
  let next = 0
  const call: KeptCall<never> = {
    call: (keep, deciding) =>
      Effect.suspend(() => {
        const id = `S${next++}`
        const decide = (snapshot: SkuSnapshot) => deciding(() => decideSet(place, [{ id }], snapshot))
        return store.change<SetPlan, unknown, NotRun>(place, [id], decide, keep)
      }),
    writeCount: Effect.map(ids, ({ length }) => length)
  }
  return call
})

const keeping = (test: AddTest): void => keepsAnswers(test, "the answer of a change of SKUs", aChange)

const aPlace = Effect.map(aBusiness, (business) => {
  const place = { business, facility: "east" }
  const client = aClient("client", business, ["east"], "documents:write")
  return { place, client }
})

/** SKUs with descriptions of this length. A store may contain them even if they are longer than a change may make them. */
const skusOf = (count: number, characters: number): ReadonlyArray<Sku> =>
  Array.from({ length: count }, (_, n) => ({
    id: String(n),
    description: "x".repeat(characters),
    unitOfMeasure: "",
    unitOfWeight: "",
    casesPerPallet: 0,
    casesPerLayer: 0,
    layersPerPallet: 0,
    alternateIds: [],
    metadata: "",
    createdAt: Timestamp.of("2026-11-20T12:00:00.000Z"),
    updatedAt: null
  }))

const texts = (test: AddTest): void => {
  test("D5.1 a page and a slice of SKUs end early where they held too much text", function*() {
    const { client, place } = yield* aPlace
    const store = yield* SkuStore
    const skus = yield* Skus
    const writes = skusOf(5, pageBudget.text / 2 - 100)
    yield* store.change(
      place,
      writes.map(({ id }) => id),
      () => Result.succeed({ writes, deletes: [] })
    )
    const { items, next } = yield* skus.list(place, client)
    assert.deepStrictEqual([items.map(({ id }) => id), next], [["0", "1"], "1"])
    const last = yield* skus.list({ ...place, after: "3" }, client)
    assert.deepStrictEqual([last.items.map(({ id }) => id), last.next], [["4"], null])
    const slice = yield* skus.slice(place, { id: undefined, offset: 1, limit: 10 }, client)
    assert.deepStrictEqual([slice.skus.map(({ id }) => id), slice.total], [["1", "2"], 5])
  })

  test("D12.3 SKUs are shown or changed if the answer has room, and refused otherwise", function*() {
    const { client, place } = yield* aPlace
    const skus = yield* Skus
    const slice = { id: undefined, offset: 0, limit: 1000 }
    for (const [count, characters] of [[2, 100], [50, 1000], [200, 1000]] as const) {
      const input = skusOf(count, characters).map(({ description, id }) => ({ id, description }))
      yield* skus.set({ ...place, skus: input }, client)
      const bare = { ...place, skus: input.map(({ id }) => ({ id })) }
      const reads = [
        Effect.map(skus.list(place, client), ({ items }) => items),
        Effect.map(skus.slice(place, slice, client), ({ skus }) => skus),
        Effect.map(skus.set(bare, client), ({ skus }) => skus)
      ]
      for (const read of reads) {
        const { memory, within } = anAnswerMemory(Number.MAX_SAFE_INTEGER)
        const { length } = JSON.stringify(yield* within(read))
        assert.isTrue(
          memory.asked >= length * 0.9 && memory.asked <= length * 1.3,
          `${memory.asked} for ${length}`
        )
        assert.strictEqual(yield* codeOf(anAnswerMemory(memory.asked - 1).within(read)), "OVERLOADED")
      }
    }
    const none = anAnswerMemory(0).within(
      skus.set({ ...place, skus: [{ id: "0", description: "other" }] }, client)
    )
    assert.strictEqual(yield* codeOf(none), "OVERLOADED")
    const { skus: [first] } = yield* skus.slice(place, { ...slice, id: "0" }, client)
    assert.strictEqual(assert.present(first).description, "x".repeat(1000))
  })

  test("D17.4 a change that makes the texts of a SKU too long is refused, and changes nothing", function*() {
    const { client, place } = yield* aPlace
    const skus = yield* Skus
    const alternateIds = Array.from({ length: 32 }, (_, n) => String(n).padStart(250, "x"))
    const description = "y".repeat(longestSkuText - 8000 - 1)
    const set = (...input: Parameters<typeof skus.set>[0]["skus"]) =>
      skus.set({ ...place, skus: input }, client)
    yield* set({ id: "a", alternateIds, description })
    const refusal = yield* Effect.flip(set({ id: "b" }, { id: "a", unitOfMeasure: "CASE" }))
    assert.strictEqual(
      refusal.message,
      `The request is not valid: skus[1]: would have texts of ${
        longestSkuText + 4
      } characters, more than the ${longestSkuText} \
that all texts of a SKU may have; shorten them`
    )
    const { items } = yield* skus.list(place, client)
    assert.deepStrictEqual(items.map(({ id, unitOfMeasure }) => [id, unitOfMeasure]), [["a", ""]])
    yield* set({ id: "a", casesPerPallet: 1, alternateIds: ["1"], metadata: "{}" })
  })

  test("D17.4 a text that no SKU can have finds none", function*() {
    const { client, place } = yield* aPlace
    const skus = yield* Skus
    for (const id of ["\0", "a\0", "\ud800", "x".repeat(2000)]) {
      assert.deepStrictEqual(yield* skus.slice(place, { id, offset: 0, limit: 1 }, client), {
        skus: [],
        total: 0
      })
    }
  })
}

/** The suite of `SkuStore`. */
export const skuStoreSuite: Suite.Suite<SkuStores> = Suite.ofParts(
  "SKU masters",
  { changing, reading, texts, keeping },
  Skus.layer
)
