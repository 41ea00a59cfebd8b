/**
 * SKU masters on PostgreSQL: a change is one transaction of two statements, under a lock of its facility's master.
 */
import { smallAnswer } from "@dockline/core/internal/shipment/ShipmentSize"
import type { Keep } from "@dockline/core/Keep"
import { cutPage } from "@dockline/core/Page"
import { AnswerRoom } from "@dockline/core/RequestLimits"
import { textOfSku } from "@dockline/core/Sku"
import type { Sku, SkuFacts, SkuPlace, SkuPlan, SkuSnapshot } from "@dockline/core/Sku"
import { SkuStore } from "@dockline/core/SkuStore"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Layer } from "effect"
import type { Exit, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { transaction } from "../../connections/AfterCommit.ts"
import { operations } from "../../connections/Deadline.ts"
import { loans } from "../../connections/Loan.ts"
import { oneRow } from "../../connections/OneRow.ts"
import { noEnds } from "../../connections/Pipeline.ts"
import { repeatConflicts } from "../../connections/StorageErrors.ts"
import { businessId } from "../../rows/BusinessId.ts"
import { readsOfBusiness } from "../../rows/ListArguments.ts"
import * as KeptAnswers from "../KeptAnswers.ts"

/** A SKU as `sku_body` shows it. */
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
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const loan = yield* loans
    const { keeping } = KeptAnswers.make(sql)

    const work = Effect.fnUntraced(function*<Plan extends SkuPlan, E>(
      { business, facility }: SkuPlace,
      ids: ReadonlyArray<string>,
      decide: (snapshot: SkuSnapshot) => Result.Result<Plan, E>
    ) {
      const now = yield* Timestamp.now
      const { loaded } = yield* oneRow(sql<{ readonly loaded: Loaded }>`select dockline.sku_load(
        ${businessId(business)}::bigint, ${facility}, ${ids}::text[]) as loaded`)
      const { facilityId, stored, ...named } = loaded
      const plan = yield* Effect.fromResult(decide({ ...named, now, stored: stored.map(toSku) }))
      if (plan.writes.length + plan.deletes.length > 0) {
        yield* sql`select dockline.sku_apply(${businessId(business)}::bigint, ${facilityId}::bigint,
          ${JSON.stringify(plan.writes.map(rowOf))}::text::jsonb, ${plan.deletes}::text[])`
      }
      return plan
    })

    const change = <Plan extends SkuPlan, E, F>(
      place: SkuPlace,
      ids: ReadonlyArray<string>,
      decide: (snapshot: SkuSnapshot) => Result.Result<Plan, E>,
      keep: Keep<Plan, F> | undefined
    ) =>
      transaction(sql)(keeping(KeptAnswers.single(work(place, ids, decide)))([{ keep }], true, noEnds)).pipe(
        repeatConflicts,
        loan({
          lane: "requests",
          turn: JSON.stringify(["skus", place.business, place.facility]),
          business: businessId(place.business)
        }),
        operation,
        // Afterwards, as what is kept of a refusal stays. What waits is never held, and fails as its work does.
        Effect.flatMap(([done]) => done as Exit.Exit<Plan, E | F>)
      )

    /** Reads SKUs once there is room for the answer with them; no connection is held while it waits. */
    const roomy = <A extends Found>(
      business: string,
      read: (small: number | null) => Statement.Statement<{ readonly found: A }>
    ) =>
      operation(Effect.gen(function*() {
        const room = yield* AnswerRoom
        const lent = loan({ ...readsOfBusiness(businessId(business)), business: businessId(business) })
        const { found } = yield* lent(oneRow(read(smallAnswer)))
        yield* room.take(found.characters)
        return found.skus === undefined ? (yield* lent(oneRow(read(null)))).found : found
      }))

    return SkuStore.of({
      change: (place, ids, decide, keep) => change(place, ids, decide, keep),
      list: ({ business, facility }, { after, limit }) =>
        Effect.map(
          roomy(business, (small) =>
            sql<{ readonly found: Found }>`select dockline.sku_page(
              ${businessId(business)}::bigint, ${facility}, ${after}, ${limit + 1}::int,
              ${small}::int) as found`),
          ({ skus = [] }) => cutPage(skus.map(toSku), limit, sizeOf)
        ),
      slice: ({ business, facility }, { id, limit, offset }) =>
        Effect.map(
          roomy(business, (small) =>
            sql<{ readonly found: Found & { readonly total: number } }>`select dockline.sku_slice(
              ${businessId(business)}::bigint, ${facility}, ${id ?? null}::text, ${offset}::bigint,
              ${limit}::int, ${small}::int) as found`),
          ({ skus = [], total }) => ({ skus: cutPage(skus.map(toSku), limit, sizeOf).items, total })
        )
    })
  })
)
