/** What holds for the texts of SKUs, and for the room of answers with them, whatever they are stored in (D5.1, D17.4). */
import type { Directory } from "@dockline/core/places/Directory"
import { longestSkuText } from "@dockline/core/skus/Sku"
import type { Sku } from "@dockline/core/skus/Sku"
import { Skus } from "@dockline/core/skus/Skus"
import { SkuStore } from "@dockline/core/skus/SkuStore"
import { pageBudget } from "@dockline/core/values/Page"
import { Effect, Result } from "effect"
import * as assert from "../../Assert.ts"
import { aClient } from "../../generators/Given.ts"
import type { AddTest } from "../../Suite.ts"
import { aBusiness } from "../../worlds/IntakeWorld.ts"
import { codeOf } from "../../worlds/MovementWorld.ts"
import { aRoom } from "../../worlds/RoomWorld.ts"

const aPlace = Effect.map(aBusiness, (business) => {
  const place = { business, facility: "east" }
  const client = aClient("client", business, ["east"], "documents:write")
  return { place, client }
})

/** SKUs with texts of this length, as a store may have them whatever changes are let in. */
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
    createdAt: "2026-11-20T12:00:00.000Z",
    updatedAt: null
  }))

export const texts = (test: AddTest<Skus | SkuStore | Directory>): void => {
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
      const given = skusOf(count, characters).map(({ description, id }) => ({ id, description }))
      yield* skus.set({ ...place, skus: given }, client)
      const bare = { ...place, skus: given.map(({ id }) => ({ id })) }
      const reads = [
        Effect.map(skus.list(place, client), ({ items }) => items),
        Effect.map(skus.slice(place, slice, client), ({ skus }) => skus),
        Effect.map(skus.set(bare, client), ({ skus }) => skus)
      ]
      for (const read of reads) {
        const { room, within } = aRoom(Number.MAX_SAFE_INTEGER)
        const { length } = JSON.stringify(yield* within(read))
        assert.isTrue(
          room.asked >= length * 0.9 && room.asked <= length * 1.3,
          `${room.asked} for ${length}`
        )
        assert.strictEqual(yield* codeOf(aRoom(room.asked - 1).within(read)), "OVERLOADED")
      }
    }
    const none = aRoom(0).within(skus.set({ ...place, skus: [{ id: "0", description: "other" }] }, client))
    assert.strictEqual(yield* codeOf(none), "OVERLOADED")
    const { skus: [first] } = yield* skus.slice(place, { ...slice, id: "0" }, client)
    assert.strictEqual(first!.description, "x".repeat(1000))
  })

  test("D17.4 a change that makes the texts of a SKU too long is refused, and changes nothing", function*() {
    const { client, place } = yield* aPlace
    const skus = yield* Skus
    const alternateIds = Array.from({ length: 32 }, (_, n) => String(n).padStart(250, "x"))
    const description = "y".repeat(longestSkuText - 8000 - 1)
    const set = (...given: Parameters<typeof skus.set>[0]["skus"]) =>
      skus.set({ ...place, skus: given }, client)
    yield* set({ id: "a", alternateIds, description })
    const refused = yield* Effect.flip(set({ id: "b" }, { id: "a", unitOfMeasure: "CASE" }))
    assert.strictEqual(
      refused.message,
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
