/**
 * Port: the SKU master of facilities (D17.4). A change loads a snapshot under a lock of the facility's master, lets core decide, and
 * applies the plan, all in one transaction.
 *
 * Guarantee: changes of one facility behave as if they came one after another. `decide` is pure and may be called again when the
 * transaction is repeated; it is not called when the key of `keep` is taken (D5.2). Reads take the room of their answer before they
 * load much (`AnswerRoom`), and show no more text than a page (`pageBudget`).
 */
import { Context, Effect, Result, Struct } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { Keep } from "../access/Keep.ts"
import { AnswerRoom } from "../access/RequestLimits.ts"
import { over, stateOf } from "../memory/MemoryDatabase.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { cutPage, nextNames } from "../values/Page.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import { answerTextOf, textOfSku } from "./Sku.ts"
import type { Sku, SkuFacts, SkuPlace, SkuPlan, SkuSnapshot } from "./Sku.ts"

/** A part of the SKUs of a facility, in their order: after so many, and at most as many as the limit. */
export interface SkuSlice {
  /** Only the SKU of this id, if it is there. */
  readonly id: string | undefined
  readonly offset: number
  readonly limit: number
}

/** What the SKU master says of items of its SKU. */
export interface SkuWords extends Pick<SkuFacts, "description" | "casesPerPallet"> {
  readonly id: string
}

/** Stores the SKU masters of facilities. SKUs stand in the order of their code points. */
export class SkuStore extends Context.Service<SkuStore, {
  /** Changes the master of a facility; `ids` are all SKUs that the change names, each once. */
  readonly change: <Plan extends SkuPlan, E, F = never>(
    place: SkuPlace,
    ids: ReadonlyArray<string>,
    decide: (snapshot: SkuSnapshot) => Result.Result<Plan, E>,
    keep?: Keep<Plan, F> | undefined
  ) => Effect.Effect<Plan, E | F | StorageUnavailable>
  /** A page of the SKUs of a facility. */
  readonly list: (
    place: SkuPlace,
    page: NamePageRequest
  ) => Effect.Effect<Page<Sku>, StorageUnavailable | Overloaded>
  /** A slice of the SKUs of a facility, which ends early where it held too much text, and how many there are before it is cut. */
  readonly slice: (
    place: SkuPlace,
    slice: SkuSlice
  ) => Effect.Effect<
    { readonly skus: ReadonlyArray<Sku>; readonly total: number },
    StorageUnavailable | Overloaded
  >
  /** What the master of the facility of a shipment says of those of these SKUs that it has, for who may read these scopes. */
  readonly wordsFor: (
    shipmentId: number,
    ids: ReadonlyArray<string>,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<ReadonlyArray<SkuWords>, StorageUnavailable>
}>()("@dockline/core/SkuStore") {
  /** The port in memory. Each change runs in one step of the event loop, so changes do not overlap. */
  static readonly memory = over(SkuStore, (database, transact) => {
    const masters = mastersOf(database)
    const of = ({ business, facility }: SkuPlace) => masters.get(`${business}/${facility}`) ?? noMaster
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
          const found = Array.from(of(place).values()).filter((sku) => id === undefined || sku.id === id)
          const rest = nextNames(found, idOf, { after: "", limit: found.length }).slice(offset)
          return { skus: cutPage(rest, limit, sizeOf).items, total: found.length }
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
}

/** The SKUs of a facility, by their ids. */
type Master = ReadonlyMap<string, Sku>

const noMaster: Master = new Map()

/** The masters of a database in memory, by business and facility. */
const mastersOf = stateOf(() => new Map<string, Master>())

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
