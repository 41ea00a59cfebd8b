/** The steps and links of shipments on PostgreSQL: the two statements of their transactions. */
import type { LinkPlan, LinkSnapshot, StepPlan, StepSnapshot } from "@dockline/core/Movement"
import type { Step } from "@dockline/core/MovementStore"
import { evolve, linkedTo } from "@dockline/core/Steps"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import { Effect } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { afterCommit } from "../connections/AfterCommit.ts"
import type { Announcer } from "../connections/Announcer.ts"
import { businessId } from "../rows/BusinessId.ts"
import { draftRows } from "../rows/MessageRows.ts"
import type { Owner } from "../rows/Owners.ts"
import { toLocatedShipment } from "../rows/Rows.ts"
import type { LocatedBody } from "../rows/Rows.ts"

/** What `step_load` returns for a shipment that exists. */
interface LoadedStep extends Omit<StepSnapshot, "now" | "found"> {
  readonly found: LocatedBody
  readonly facilityId: number
}

/** Writes a step with its messages. */
const apply = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { announce }: Announcer["Service"],
  { facilityId, found }: LoadedStep,
  plan: StepPlan,
  now: Timestamp.Timestamp
) {
  if (plan._tag === "Unchanged") return
  const { id } = found.shipment
  const business = businessId(found.business.slug)
  if (plan._tag === "CheckIn") {
    yield* sql`select dockline.check_in_apply(
      ${business}::bigint, ${id}::bigint, ${JSON.stringify(plan.checkIn)}::text::jsonb, ${
      plan.dock?.id ?? null
    }::bigint)`
    return
  }
  const drafts = draftRows(plan.messages, facilityId, yield* TraceContext.current)
  switch (plan._tag) {
    case "Arrive":
      yield* sql`select dockline.arrive_apply(
        ${business}::bigint, ${id}::bigint, ${plan.arrivedAt}::timestamptz, ${plan.dock?.id ?? null}::bigint,
        ${drafts}::text::json, ${now}::timestamptz)`
      break
    case "Cancel":
      yield* sql`select dockline.cancel_apply(
        ${business}::bigint, ${id}::bigint, ${drafts}::text::json, ${now}::timestamptz)`
      break
    case "Depart":
      yield* sql`select dockline.depart_apply(
        ${business}::bigint, ${id}::bigint, ${plan.departedAt}::timestamptz,
        ${JSON.stringify(plan.elsewhere)}::text::json, ${drafts}::text::json,
        ${now}::timestamptz)`
  }
  yield* afterCommit(() => announce(found.business.slug))
})

/** Takes a step as a part of the transaction it runs in. See `MovementStore.step`. */
export const takeStep = (sql: SqlClient.SqlClient, announcer: Announcer["Service"]) =>
<E>(
  owner: Owner,
  { dockSlug, shipmentId, withPallets }: Step,
  decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>
) =>
  Effect.gen(function*() {
    const now = yield* Timestamp.now
    const [row] = yield* sql<{ readonly loaded: LoadedStep | null }>`select dockline.step_load(
        ${owner.id}, ${shipmentId}::bigint, ${dockSlug}, ${withPallets}::boolean) as loaded`
    const { loaded } = row!
    if (loaded === null) return null
    const found = toLocatedShipment(loaded.found)
    const plan = yield* Effect.fromResult(decide({ ...loaded, now, found }))
    yield* apply(sql, announcer, loaded, plan, now)
    return evolve(found, plan)
  })

/** Links two shipments as a part of the transaction it runs in. See `MovementStore.link`. */
export const linkShipments = (sql: SqlClient.SqlClient) =>
<E>(
  owner: Owner,
  shipmentId: number,
  linkedShipmentId: number,
  decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>
) =>
  Effect.gen(function*() {
    const [row] = yield* sql<{ readonly loaded: readonly [LocatedBody | null, LocatedBody | null] | null }>`
        select dockline.link_load(${owner.id}, ${shipmentId}::bigint, ${linkedShipmentId}::bigint) as loaded`
    const [shipment, linked] = (row!.loaded ?? [null, null]).map((body) =>
      body === null ? null : toLocatedShipment(body)
    ) as [
      LinkSnapshot["shipment"],
      LinkSnapshot["linked"]
    ]
    const plan = yield* Effect.fromResult(decide({ shipment, linked }))
    if (plan._tag === "Unchanged" || shipment === null || linked === null) return shipment
    const business = businessId(shipment.location.business.slug)
    yield* sql`select dockline.link_apply(${business}::bigint, ${shipmentId}::bigint, ${linkedShipmentId}::bigint)`
    return linkedTo(shipment, linked)
  })
