/** The SKU master of facilities in PostgreSQL (D17.4). A change is one transaction of two statements, under a lock of its facility. */
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import { smallAnswer } from "@dockline/core/shipment/ShipmentSize"
import { textOfSku } from "@dockline/core/skus/Sku"
import type { Sku, SkuPlace, SkuPlan, SkuSnapshot } from "@dockline/core/skus/Sku"
import { SkuStore } from "@dockline/core/skus/Skus"
import { cutPage } from "@dockline/core/values/Page"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { operations } from "../connections/StoreOperations.ts"
import { businessId, ownersOfShipments, readsOf, readsOfBusiness } from "../rows/BusinessRows.ts"
import { place, texts, timestamp, whole } from "../rows/RowFields.ts"
import * as SqlCapability from "../schema/SqlCapability.ts"
import * as KeptAnswers from "../stores/KeptAnswers.ts"

/** A SKU as functions return it: its id, its data, and when it was created and changed. */
const SkuBody = Schema.Tuple([
  Schema.String,
  Schema.Struct({
    description: Schema.String,
    unitOfMeasure: Schema.String,
    unitOfWeight: Schema.String,
    casesPerPallet: Schema.Number,
    casesPerLayer: Schema.Number,
    layersPerPallet: Schema.Number,
    alternateIds: texts,
    metadata: Schema.String
  }),
  timestamp,
  Schema.NullOr(timestamp)
])

type SkuBody = typeof SkuBody.Type

/** The result of `sku_load`. */
const LoadBody = Schema.Struct({
  business: Schema.NullOr(place),
  facility: Schema.NullOr(place),
  facilityId: Schema.NullOr(whole),
  count: whole,
  stored: Schema.Array(SkuBody)
})

/** The SKUs of a page; absent if they have more characters than the statement may load. */
const PageBody = Schema.Struct({
  characters: whole,
  skus: Schema.optionalKey(Schema.Array(SkuBody)),
  total: Schema.Null
})

/** The SKUs of a slice, as in a page, with the total number of SKUs. */
const SliceBody = Schema.Struct({ ...PageBody.fields, total: whole })

/** The result of `sku_descriptions`. */
const DescriptionsBody = Schema.Array(
  Schema.Struct({ id: Schema.String, description: Schema.String, casesPerPallet: Schema.Number })
)

const toSku = ([id, facts, createdAt, updatedAt]: SkuBody): Sku => ({ ...facts, id, createdAt, updatedAt })

const sizeOf = (sku: Sku) => ({ id: sku.id, text: textOfSku(sku) })

const rowOf = ({ createdAt, id, updatedAt, ...facts }: Sku) => ({ id, facts, createdAt, updatedAt })

/** SKU masters in the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<SkuStore, never, SqlClient.SqlClient> = Layer.effect(
  SkuStore,
  Effect.gen(function*() {
    const means = yield* operations
    const { call, loan, operation, run } = means
    const answers = KeptAnswers.make(means)
    const ownerOf = yield* ownersOfShipments

    const work = Effect.fnUntraced(function*<Plan extends SkuPlan, E>(
      { business, facility }: SkuPlace,
      ids: ReadonlyArray<string>,
      decide: (snapshot: SkuSnapshot) => Result.Result<Plan, E>
    ) {
      const now = yield* Timestamp.now
      const snapshot = yield* call(LoadBody)`dockline.sku_load(${businessId(business)}, ${facility}, ${ids})`
      const { facilityId, stored, ...places } = snapshot
      const plan = yield* Effect.fromResult(decide({ ...places, now, rows: stored.map(toSku) }))
      if (plan.writes.length + plan.deletes.length > 0) {
        yield* run`dockline.sku_apply(${businessId(business)}, ${facilityId},
          ${JSON.stringify(plan.writes.map(rowOf))}, ${plan.deletes})`
      }
      return plan
    })

    /** Reads SKUs; if their answer is large, only once memory for it is reserved (`AnswerMemory`). No connection is held during this wait. */
    const afterReserving = <A extends Omit<typeof PageBody.Type, "total">>(
      business: string,
      read: (mostCharacters: number | null) => Effect.Effect<A, SqlError.SqlError>
    ) =>
      operation(Effect.gen(function*() {
        const memory = yield* AnswerMemory
        const onLoan = loan({ ...readsOfBusiness(businessId(business)), business: businessId(business) })
        const page = yield* onLoan(read(smallAnswer))
        yield* memory.reserve(page.characters)
        return page.skus === undefined ? yield* onLoan(read(null)) : page
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
          afterReserving(business, (mostCharacters) =>
            call(PageBody)`dockline.sku_page(${businessId(business)}, ${facility}, ${after}, ${limit + 1},
              ${mostCharacters})`),
          ({ skus = [] }) =>
            cutPage(skus.map(toSku), limit, sizeOf)
        ),
      slice: ({ business, facility }, { id, limit, offset }) =>
        Effect.map(
          afterReserving(business, (mostCharacters) =>
            call(SliceBody)`dockline.sku_slice(${businessId(business)},
              ${facility}, ${id ?? null}, ${offset}, ${limit}, ${mostCharacters})`),
          ({ skus = [], total }) => ({ skus: cutPage(skus.map(toSku), limit, sizeOf).items, total })
        ),
      descriptionsFor: (shipmentId, ids, reader) =>
        operation(Effect.flatMap(
          ownerOf(shipmentId),
          (owner) =>
            loan({ ...readsOf(reader), business: owner.business })(
              call(DescriptionsBody)`dockline.sku_descriptions(${owner.id}, ${shipmentId}, ${ids})`
            )
        ))
    })
  })
)

/** The part in PostgreSQL of the capability `skus`. */
export const skusSql = SqlCapability.make("skus", {
  stores: layer,
  migrations: {
    "1_master": SqlCapability.statementsOf(new URL("../../sql/skus/1_master.sql", import.meta.url))
  },
  functions: SqlCapability.functionsOf(new URL("../../sql/skus/skus.sql", import.meta.url)),
  cluster: { tables: ["sku"] }
})
