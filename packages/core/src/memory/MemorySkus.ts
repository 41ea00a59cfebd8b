/**
 * SKU masters in memory. Each change runs in one step of the event loop, so changes do not overlap.
 */
import { Effect, Result } from "effect"
import { AnswerRoom } from "../access/RequestLimits.ts"
import { answerTextOf, textOfSku } from "../skus/Sku.ts"
import type { Sku, SkuPlace } from "../skus/Sku.ts"
import { SkuStore } from "../skus/SkuStore.ts"
import { cutPage, nextNames } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import { over } from "./MemoryDatabase.ts"

const idOf = ({ id }: Sku): string => id

const sizeOf = (sku: Sku) => ({ id: sku.id, text: textOfSku(sku) })

const roomy = <A>(
  read: () => A,
  skusIn: (found: A) => ReadonlyArray<Sku>
): Effect.Effect<A, Overloaded> =>
  Effect.tap(
    Effect.sync(read),
    (found) => Effect.flatMap(AnswerRoom, (room) => room.take(answerTextOf(skusIn(found))))
  )

export const skuStore = over(SkuStore, (database, transact) => {
  const of = ({ business, facility }: SkuPlace) => database.skusOf(business, facility)
  return {
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
    list: (place, page) =>
      roomy(
        () => cutPage(nextNames(Array.from(of(place).values()), idOf, page), page.limit, sizeOf),
        ({ items }) => items
      ),
    slice: (place, { id, limit, offset }) =>
      roomy(() => {
        const found = Array.from(of(place).values()).filter((sku) => id === undefined || sku.id === id)
        const rest = nextNames(found, idOf, { after: "", limit: found.length }).slice(offset)
        return { skus: cutPage(rest, limit, sizeOf).items, total: found.length }
      }, ({ skus }) => skus)
  }
})
