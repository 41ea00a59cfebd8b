/**
 * Intake on PostgreSQL: one document is one transaction of two statements, whatever its number of items.
 *
 * `intake_load` locks the document's numbers and returns the snapshot, core decides, `intake_apply` writes the
 * plan's sets. Documents that share a number at a facility therefore behave as if they came one after another.
 */
import { itemCount } from "@dockline/core/Document"
import type { Document } from "@dockline/core/Document"
import { IntakeStore } from "@dockline/core/IntakeStore"
import type { Transacted } from "@dockline/core/IntakeStore"
import * as JsonWriter from "@dockline/core/internal/input/JsonWriter"
import * as Slices from "@dockline/core/internal/input/Slices"
import type { Place } from "@dockline/core/Place"
import { changesAnything, noIds } from "@dockline/core/Plan"
import type { NewIds, Plan, Snapshot } from "@dockline/core/Plan"
import type { Dock } from "@dockline/core/Shipment"
import * as Timestamp from "@dockline/core/Timestamp"
import type { ShipmentStatus } from "@dockline/core/Vocabulary"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { loans, turnOfNumber } from "../connections/Loan.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { planRows, toPlacedOrder, toShipment } from "../rows/Rows.ts"
import type { OrderBody, ShipmentBody } from "../rows/Rows.ts"

/** What `intake_load` returns; without a facility only the business, if it exists. */
interface LoadedSnapshot {
  readonly business: Place | null
  readonly facility?: Place
  readonly facilityId?: number
  readonly dock?: Dock | null
  readonly target?: ShipmentBody | null
  readonly orders?: ReadonlyArray<OrderBody> | null
  readonly candidates?: ReadonlyArray<readonly [OrderBody, ShipmentStatus, linked: boolean]> | null
}

/** What `intake_apply` returns. */
type AppliedIds = readonly [shipment: number, orders: ReadonlyArray<string>, items: ReadonlyArray<string>]

const toSnapshot = (loaded: LoadedSnapshot, now: Timestamp.Timestamp): Snapshot => ({
  now,
  business: loaded.business,
  facility: loaded.facility ?? null,
  dock: loaded.dock ?? null,
  target: loaded.target ? toShipment(loaded.target, loaded.orders ?? []) : null,
  candidates: (loaded.candidates ?? []).map(([order, shipmentStatus, shipmentIsLinked]) => ({
    ...toPlacedOrder(order),
    shipmentStatus,
    shipmentIsLinked
  }))
})

/** For a decision about more items other requests get a turn before and after it. */
const manyItems = 1000

/** Intake on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<IntakeStore, never, SqlClient.SqlClient> = Layer.effect(
  IntakeStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const operation = yield* operations
    const loan = yield* loans

    const load = Effect.fnUntraced(function*(document: Document) {
      const numbers = document.orders.map((order) => indexKey(order.orderNumber))
      const rows = yield* sql<{ readonly loaded: LoadedSnapshot }>`select dockline.intake_load(
        ${businessId(document.business)}::bigint, ${document.facility}, ${document.dockSlug}, ${
        indexKey(document.shipmentNumber)
      },
        ${numbers}, ${document.direction}) as loaded`
      return rows[0]!.loaded
    })

    const apply = Effect.fnUntraced(function*(
      business: string,
      facilityId: number,
      now: Timestamp.Timestamp,
      plan: Plan
    ) {
      const text = yield* Slices.run(JsonWriter.write(planRows(plan)))
      const rows = yield* sql<{ readonly ids: AppliedIds }>`select dockline.intake_apply(
        ${
        businessId(business)
      }::bigint, ${facilityId}::bigint, ${now}::timestamptz, ${text}::text::jsonb) as ids`
      const [shipment, orders, items] = rows[0]!.ids
      return { shipment: plan.shipment._tag === "Create" ? shipment : "", orders, items } satisfies NewIds
    })

    const transact = <E>(
      document: Document,
      decide: (snapshot: Snapshot) => Result.Result<Plan, E>,
      dryRun: boolean
    ) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const loaded = yield* load(document)
        const isLarge = itemCount(document) > manyItems
        const snapshot = toSnapshot(loaded, now)
        if (isLarge) yield* Slices.pause
        const plan = yield* Effect.fromResult(decide(snapshot))
        if (isLarge) yield* Slices.pause
        const ids = dryRun || !changesAnything(plan)
          ? noIds(plan)
          : yield* apply(document.business, loaded.facilityId!, now, plan)
        return { snapshot, plan, ids } satisfies Transacted
      })

    return IntakeStore.of({
      // A dry run is one statement, but inside another transaction it needs its savepoint to be repeated.
      transact: (document, decide, { dryRun }) =>
        sql.withTransaction(transact(document, decide, dryRun)).pipe(
          repeatConflicts,
          loan({
            lane: "requests",
            turn: turnOfNumber(document),
            holder: document.business
          }),
          operation,
          measured("document")
        )
    })
  })
)
