/**
 * SKU masters on PostgreSQL: a change is one transaction of two statements, under a lock of its facility's master.
 */
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import { smallAnswer } from "@dockline/core/shipment/ShipmentSize"
import { textOfSku } from "@dockline/core/skus/Sku"
import type { Sku, SkuFacts, SkuPlace, SkuPlan, SkuSnapshot } from "@dockline/core/skus/Sku"
import { SkuStore } from "@dockline/core/skus/SkuStore"
import type { SkuWords } from "@dockline/core/skus/SkuStore"
import { cutPage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer } from "effect"
import type { Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { operations } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/BusinessId.ts"
import { readsOf, readsOfBusiness } from "../rows/ListArguments.ts"
import { ownersOfShipments } from "../rows/Owners.ts"
import * as KeptAnswers from "../stores/KeptAnswers.ts"

/** A SKU as functions show it. */
type SkuBody = readonly [id: string, facts: SkuFacts, createdAt: string, updatedAt: string | null]

/** What `sku_load` returns. */
interface Loaded extends Omit<SkuSnapshot, "now" | "stored"> {
  readonly facilityId: number | null
  readonly stored: ReadonlyArray<SkuBody>
}

/** What is found of SKUs: without them where they have more characters than the statement may load. */
interface Found {
  readonly characters: number
  readonly skus?: ReadonlyArray<SkuBody>
}

const toSku = ([id, facts, createdAt, updatedAt]: SkuBody): Sku => ({ ...facts, id, createdAt, updatedAt })

const sizeOf = (sku: Sku) => ({ id: sku.id, text: textOfSku(sku) })

const rowOf = ({ createdAt, id, updatedAt, ...facts }: Sku) => ({ id, facts, createdAt, updatedAt })

/** SKU masters in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<SkuStore, never, SqlClient.SqlClient> = Layer.effect(
  SkuStore,
  Effect.gen(function*() {
    const means = yield* operations
    const { call, loan, operation } = means
    const answers = KeptAnswers.make(means)
    const ownerOf = yield* ownersOfShipments

    const work = Effect.fnUntraced(function*<Plan extends SkuPlan, E>(
      { business, facility }: SkuPlace,
      ids: ReadonlyArray<string>,
      decide: (snapshot: SkuSnapshot) => Result.Result<Plan, E>
    ) {
      const now = yield* Timestamp.now
      const loaded = yield* call<Loaded>`dockline.sku_load(${businessId(business)}, ${facility}, ${ids})`
      const { facilityId, stored, ...named } = loaded
      const plan = yield* Effect.fromResult(decide({ ...named, now, rows: stored.map(toSku) }))
      if (plan.writes.length + plan.deletes.length > 0) {
        yield* call`dockline.sku_apply(${businessId(business)}, ${facilityId},
          ${JSON.stringify(plan.writes.map(rowOf))}, ${plan.deletes})`
      }
      return plan
    })

    /** Reads SKUs once there is room for the answer with them; no connection is held while it waits. */
    const roomy = <A extends Found>(
      business: string,
      read: (small: number | null) => Effect.Effect<A, SqlError.SqlError>
    ) =>
      operation(Effect.gen(function*() {
        const room = yield* AnswerRoom
        const lent = loan({ ...readsOfBusiness(businessId(business)), business: businessId(business) })
        const found = yield* lent(read(smallAnswer))
        yield* room.take(found.characters)
        return found.skus === undefined ? yield* lent(read(null)) : found
      }))

    return SkuStore.of({
      change: (place, ids, decide, keep) =>
        operation(answers.alone(
          {
            turn: JSON.stringify(["skus", place.business, place.facility]),
            business: businessId(place.business)
          },
          keep,
          work(place, ids, decide)
        )),
      list: ({ business, facility }, { after, limit }) =>
        Effect.map(
          roomy(business, (small) =>
            call<Found>`dockline.sku_page(${businessId(business)}, ${facility}, ${after}, ${limit + 1},
              ${small})`),
          ({ skus = [] }) =>
            cutPage(skus.map(toSku), limit, sizeOf)
        ),
      slice: ({ business, facility }, { id, limit, offset }) =>
        Effect.map(
          roomy(business, (small) =>
            call<Found & { readonly total: number }>`dockline.sku_slice(${businessId(business)},
              ${facility}, ${id ?? null}, ${offset}, ${limit}, ${small})`),
          ({ skus = [], total }) => ({ skus: cutPage(skus.map(toSku), limit, sizeOf).items, total })
        ),
      wordsFor: (shipmentId, ids, reader) =>
        operation(Effect.flatMap(
          ownerOf(shipmentId),
          (owner) =>
            loan({ ...readsOf(reader), business: owner.business })(
              call<ReadonlyArray<SkuWords>>`dockline.sku_words(${owner.id}, ${shipmentId}, ${ids})`
            )
        ))
    })
  })
)
