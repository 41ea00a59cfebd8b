/** SKU masters in memory. Each change runs in one step of the event loop, so changes do not overlap. */
import { Effect, Result, Struct } from "effect"
import { AnswerRoom } from "../../access/RequestLimits.ts"
import { over, stateOf } from "../../memory/MemoryDatabase.ts"
import { cutPage, nextNames } from "../../values/Page.ts"
import type { Overloaded } from "../../values/RequestErrors.ts"
import { answerTextOf, textOfSku } from "../Sku.ts"
import type { Sku, SkuPlace } from "../Sku.ts"
import { SkuStore } from "../SkuStore.ts"

/** The SKUs of a facility, by their ids. */
type Master = ReadonlyMap<string, Sku>

const noMaster: Master = new Map()

/** The masters of a database in memory, by business and facility. */
const mastersOf = stateOf(() => new Map<string, Master>())

const idOf = ({ id }: Sku): string => id

const sizeOf = (sku: Sku) => ({ id: sku.id, text: textOfSku(sku) })

const roomy = <A>(
  read: () => A,
  skusIn: (result: A) => ReadonlyArray<Sku>
): Effect.Effect<A, Overloaded> =>
  Effect.tap(
    Effect.sync(read),
    (result) => Effect.flatMap(AnswerRoom, (room) => room.take(answerTextOf(skusIn(result))))
  )

/** The port in memory. */
export const memory = over(SkuStore, (database, transact) => {
  const masters = mastersOf(database)
  const of = ({ business, facility }: SkuPlace) => masters.get(`${business}/${facility}`) ?? noMaster
  return {
    change: (place, ids, decide, keep) =>
      transact(keep, ({ now }) => {
        const there = of(place)
        const skus = ids.flatMap((id) => there.get(id) ?? [])
        const names = database.places.lookup(place.business, place.facility)
        return Result.map(decide({ ...names, now, rows: skus, count: there.size }), (plan) => {
          const after = new Map(there)
          for (const sku of plan.writes) after.set(sku.id, sku)
          for (const id of plan.deletes) after.delete(id)
          masters.set(`${place.business}/${place.facility}`, after)
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
        const matches = Array.from(of(place).values()).filter((sku) => id === undefined || sku.id === id)
        const rest = nextNames(matches, idOf, { after: "", limit: matches.length }).slice(offset)
        return { skus: cutPage(rest, limit, sizeOf).items, total: matches.length }
      }, ({ skus }) => skus),
    wordsFor: (shipmentId, ids) =>
      Effect.sync(() => {
        const place = database.locatedShipment(shipmentId)?.location
        if (place === undefined) return []
        const master = of({ business: place.business.slug, facility: place.facility.slug })
        return ids.flatMap((id) => master.get(id) ?? []).map((sku) =>
          Struct.pick(sku, ["id", "description", "casesPerPallet"])
        )
      })
  }
})
