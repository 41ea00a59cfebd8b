/**
 * The capability `skus`, the SKU master of facilities (D17.4): its operations, the fields that it adds to items of a shipment, and its port
 * in memory.
 */
import { Effect, Result, Struct } from "effect"
import { readScopes } from "../access/Access.ts"
import { AnswerMemory } from "../access/RequestLimits.ts"
import * as Capability from "../capability/Capability.ts"
import * as Extension from "../capability/Extension.ts"
import { over, stateOf } from "../memory/MemoryDatabase.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import { cutPage, nextNames } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import recorded from "./answers.json" with { type: "json" }
import { answerTextOf, textOfSku } from "./Sku.ts"
import type { Sku, SkuPlace } from "./Sku.ts"
import { deleteSkus, listSkus, requests, setSkus } from "./SkuOperations.ts"
import { Skus, SkuStore } from "./Skus.ts"

/** The SKUs of a facility, by their ids. */
type Master = ReadonlyMap<string, Sku>

const noMaster: Master = new Map()

/** The masters of a database in memory, by business and facility. */
const mastersOf = stateOf(() => new Map<string, Master>())

const idOf = ({ id }: Sku): string => id

const sizeOf = (sku: Sku) => ({ id: sku.id, text: textOfSku(sku) })

const afterReserving = <A>(
  read: () => A,
  skusIn: (result: A) => ReadonlyArray<Sku>
): Effect.Effect<A, Overloaded> =>
  Effect.tap(
    Effect.sync(read),
    (result) => Effect.flatMap(AnswerMemory, (memory) => memory.reserve(answerTextOf(skusIn(result))))
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
      afterReserving(
        () => cutPage(nextNames(Array.from(of(place).values()), idOf, page), page.limit, sizeOf),
        ({ items }) => items
      ),
    slice: (place, { id, limit, offset }) =>
      afterReserving(() => {
        const matches = Array.from(of(place).values()).filter((sku) => id === undefined || sku.id === id)
        const rest = nextNames(matches, idOf, { after: "", limit: matches.length }).slice(offset)
        return { skus: cutPage(rest, limit, sizeOf).items, total: matches.length }
      }, ({ skus }) => skus),
    descriptionsFor: (shipmentId, ids) =>
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

/** The fields that the master of the facility adds to items of a shipment. */
const ofItems = Extension.make<"items">()({
  fields: {
    skuDescription: shownText(
      "The description of its SKU in the SKU master if the item has none of its own, or empty"
    ),
    casesPerPallet: shownWhole("The cases on a pallet of its SKU by the SKU master, or 0")
  },
  example: recorded.views.items,
  load: Effect.map(SkuStore, ({ descriptionsFor }) => (input, items, principal) => {
    const ids = Array.from(new Set(items.map(({ sku }) => sku))).filter((id) => id !== "")
    return Effect.map(
      ids.length === 0 ? Effect.succeed([]) : descriptionsFor(Number(input.id), ids, readScopes(principal)),
      (descriptions) => {
        const byId = new Map(descriptions.map((each) => [each.id, each]))
        return items.map(({ description, sku }) => ({
          skuDescription: description === "" ? byId.get(sku)?.description ?? "" : "",
          casesPerPallet: byId.get(sku)?.casesPerPallet ?? 0
        }))
      }
    )
  })
})

/** The SKU master of facilities. */
export const skus = Capability.make("skus", {
  title: "SKUs",
  description: "Data about stock-keeping units at a facility, independent of orders",
  operations: {
    /** The SKU master of a facility, in the order of the SKUs (D17.4). */
    skus: listSkus,
    /**
     * Adds SKUs to the master of a facility, and changes the given fields of existing ones: `{ business, facility, skus: [{ id, … }] }`
     * (D17.4).
     */
    setSkus,
    /** Deletes SKUs from the master of a facility: `{ business, facility, ids }` (D17.4). */
    deleteSkus
  },
  services: Skus.layer,
  handlers: Effect.map(Skus, (skus) => ({
    skus: skus.list,
    setSkus: ({ body }, principal, keep) => skus.set(body, principal, keep),
    deleteSkus: ({ body }, principal, keep) => skus.delete(body, principal, keep)
  })),
  memory: memory,
  extensions: { items: ofItems },
  requests,
  answers: recorded.answers
})
