/**
 * The steps and links of shipments on PostgreSQL: the two statements of their transactions.
 */
import type { MessageField } from "@dockline/core/MessageField"
import type { LinkPlan, LinkSnapshot, StepPlan, StepSnapshot } from "@dockline/core/Movement"
import type { Step } from "@dockline/core/MovementStore"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import { Effect } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { afterCommit } from "../connections/AfterCommit.ts"
import type { Announcer } from "../connections/Announcer.ts"
import { toDock, toLocatedShipment, toRecordedPallet } from "../rows/Rows.ts"
import type { DockBody, LocatedBody, PalletBody } from "../rows/Rows.ts"

/** What `step_load` returns where there is such a shipment. */
interface LoadedStep {
  readonly found: LocatedBody
  readonly businessId: number
  readonly facilityId: number
  readonly fieldMap: ReadonlyArray<MessageField>
  readonly dock: DockBody | null
  readonly pallets: ReadonlyArray<PalletBody> | null
}

interface AfterRow {
  readonly after: LocatedBody
}

/** Writes a step; returns the shipment as it is then. */
const apply = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { announce }: Announcer["Service"],
  { businessId, facilityId, found }: LoadedStep,
  plan: StepPlan,
  now: Timestamp.Timestamp
) {
  const id = found.shipment[0]
  switch (plan._tag) {
    case "Unchanged":
      return toLocatedShipment(found)
    case "Arrive": {
      const [row] = yield* sql<AfterRow>`select dockline.arrive_apply(
        ${id}::bigint, ${plan.arrivedAt}::timestamptz, ${plan.dock?.id ?? null}::bigint) as after`
      return toLocatedShipment(row!.after)
    }
    case "Depart": {
      const { business, payload, shipmentId, type } = plan.message
      const trace = yield* TraceContext.current
      const drafts = JSON.stringify([[facilityId, type, shipmentId, JSON.stringify(payload), trace]])
      const [row] = yield* sql<AfterRow>`select dockline.depart_apply(
        ${id}::bigint, ${plan.departedAt}::timestamptz, ${businessId}::bigint, ${drafts}::text::json,
        ${now}::timestamptz) as after`
      yield* afterCommit(() => announce(business))
      return toLocatedShipment(row!.after)
    }
  }
})

/** Takes a step as a part of the transaction it runs in. See `MovementStore.step`. */
export const takeStep = (sql: SqlClient.SqlClient, announcer: Announcer["Service"]) =>
<E>(
  { dockSlug, shipmentId, withPallets }: Step,
  decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>
) =>
  Effect.gen(function*() {
    const now = yield* Timestamp.now
    const [row] = yield* sql<{ readonly loaded: LoadedStep | null }>`select dockline.step_load(
        ${shipmentId}::bigint, ${dockSlug}, ${withPallets}::boolean) as loaded`
    const { loaded } = row!
    if (loaded === null) return null
    const snapshot: StepSnapshot = {
      now,
      found: toLocatedShipment(loaded.found),
      dock: loaded.dock === null ? null : toDock(loaded.dock),
      fieldMap: loaded.fieldMap,
      pallets: (loaded.pallets ?? []).map(toRecordedPallet)
    }
    return yield* apply(sql, announcer, loaded, yield* Effect.fromResult(decide(snapshot)), now)
  })

/** Links two shipments as a part of the transaction it runs in. See `MovementStore.link`. */
export const linkShipments = (sql: SqlClient.SqlClient) =>
<E>(
  shipmentId: number,
  linkedShipmentId: number,
  decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>
) =>
  Effect.gen(function*() {
    const [row] = yield* sql<{ readonly loaded: readonly [LocatedBody | null, LocatedBody | null] }>`
        select dockline.link_load(${shipmentId}::bigint, ${linkedShipmentId}::bigint) as loaded`
    const [first, second] = row!.loaded
    const shipment = first === null ? null : toLocatedShipment(first)
    const linked = second === null ? null : toLocatedShipment(second)
    const decision = yield* Effect.fromResult(decide({ shipment, linked }))
    if (decision._tag === "Unchanged") return shipment
    const [written] = yield* sql<AfterRow>`
        select dockline.link_apply(${shipmentId}::bigint, ${linkedShipmentId}::bigint) as after`
    return toLocatedShipment(written!.after)
  })
