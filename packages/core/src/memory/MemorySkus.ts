/**
 * SKU masters in memory. Each change runs in one step of the event loop, so changes do not overlap.
 */
import { Effect, Layer, Result } from "effect"
import type { Sku, SkuPlace } from "../skus/Sku.ts"
import { SkuStore } from "../skus/SkuStore.ts"
import { nextNames, pageOfNames } from "../values/Page.ts"
import { MemoryDatabase, transactions } from "./MemoryDatabase.ts"

const idOf = ({ id }: Sku): string => id

export const skuStore: Layer.Layer<SkuStore, never, MemoryDatabase> = Layer.effect(
  SkuStore,
  Effect.map(Effect.all([MemoryDatabase, transactions]), ([database, transact]) => {
    const of = ({ business, facility }: SkuPlace): ReadonlyMap<string, Sku> =>
      database.skusOf(business, facility)
    return SkuStore.of({
      change: (place, ids, decide, keep) =>
        transact(keep, ({ now }) => {
          const there = of(place)
          const stored = ids.flatMap((id) => there.get(id) ?? [])
          const named = database.places.lookup(place.business, place.facility)
          return Result.map(decide({ ...named, now, stored, count: there.size }), (plan) => {
            const after = new Map(there)
            for (const sku of plan.writes) after.set(sku.id, sku)
            for (const id of plan.deletes) after.delete(id)
            database.putSkus(place.business, place.facility, after)
            return plan
          })
        }),
      list: (place, page) => Effect.sync(() => pageOfNames(of(place).values(), idOf, page)),
      slice: (place, { id, limit, offset }) =>
        Effect.sync(() => {
          const found = Array.from(of(place).values()).filter((sku) => id === undefined || sku.id === id)
          const skus = nextNames(found, idOf, { after: "", limit: found.length })
          return { skus: skus.slice(offset, offset + limit), total: found.length }
        })
    })
  })
)
