/** The steps and links of shipments on PostgreSQL: the two statements of their transactions. */
import type { LinkPlan, LinkSnapshot, StepPlan, StepSnapshot } from "@dockline/core/movement/Movement"
import type { Step } from "@dockline/core/movement/MovementStore"
import { evolve, linkedTo } from "@dockline/core/movement/Steps"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect } from "effect"
import type { Result } from "effect"
import type { Operations } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/BusinessId.ts"
import { draftRows } from "../rows/MessageRows.ts"
import type { Owner } from "../rows/Owners.ts"
import { toLocatedShipment } from "../rows/Rows.ts"
import type { LocatedBody } from "../rows/Rows.ts"

/** What `step_load` returns for a shipment that exists. */
interface LoadedStep extends Omit<StepSnapshot, "found"> {
  readonly found: LocatedBody
  readonly facilityId: number
}

/** Makes the functions of steps, which are parts of transactions. See `MovementStore.step` and `MovementStore.link`. */
export const make = ({ call }: Operations, announce: (business: string) => Effect.Effect<void>) => {
  const apply = Effect.fnUntraced(function*(
    { facilityId, found }: LoadedStep,
    plan: StepPlan
  ) {
    if (plan._tag === "Unchanged") return
    const { id } = found.shipment
    const business = businessId(found.business.slug)
    if (plan._tag === "CheckIn") {
      const dockId = plan.dock?.id ?? null
      yield* call`dockline.check_in_apply(${business}, ${id}, ${JSON.stringify(plan.checkIn)}, ${dockId})`
      return
    }
    const now = yield* Timestamp.givenNow
    const drafts = draftRows(plan.messages, facilityId, yield* TraceContext.current)
    switch (plan._tag) {
      case "Arrive":
        yield* call`dockline.arrive_apply(${business}, ${id}, ${plan.arrivedAt}, ${plan.dock?.id ?? null},
          ${drafts}, ${now})`
        break
      case "Cancel":
        yield* call`dockline.cancel_apply(${business}, ${id}, ${drafts}, ${now})`
        break
      case "Depart":
        yield* call`dockline.depart_apply(${business}, ${id}, ${plan.departedAt},
          ${JSON.stringify(plan.elsewhere)}, ${drafts}, ${now})`
    }
    yield* announce(found.business.slug)
  })

  const take = Effect.fnUntraced(function*<E>(
    owner: Owner,
    { dockSlug, shipmentId, withPallets }: Step,
    decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>
  ) {
    const loaded = yield* call<LoadedStep | null>`dockline.step_load(${owner.id}, ${shipmentId},
      ${dockSlug}, ${withPallets})`
    if (loaded === null) return null
    const found = toLocatedShipment(loaded.found)
    const now = (yield* Timestamp.givenNow) ?? loaded.now
    const plan = yield* Effect.fromResult(decide({ ...loaded, now, match: found }))
    yield* apply(loaded, plan)
    return evolve(found, plan)
  })

  const link = Effect.fnUntraced(function*<E>(
    owner: Owner,
    shipmentId: number,
    linkedShipmentId: number,
    decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>
  ) {
    const loaded = yield* call<readonly [LocatedBody | null, LocatedBody | null] | null>`dockline.link_load(
      ${owner.id}, ${shipmentId}, ${linkedShipmentId})`
    const [shipment = null, linked = null] = (loaded ?? []).map((body) => body && toLocatedShipment(body))
    const plan = yield* Effect.fromResult(decide({ shipment, target: linked }))
    if (plan._tag === "Unchanged" || shipment === null || linked === null) return shipment
    const business = businessId(shipment.location.business.slug)
    yield* call`dockline.link_apply(${business}, ${shipmentId}, ${linkedShipmentId})`
    return linkedTo(shipment, linked)
  })

  return { take, link }
}
