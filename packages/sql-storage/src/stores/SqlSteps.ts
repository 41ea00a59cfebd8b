/** The steps and links of shipments on PostgreSQL: the two statements of their transactions. */
import type { LinkPlan, LinkSnapshot, StepPlan, StepSnapshot } from "@dockline/core/movement/Movement"
import type { Step } from "@dockline/core/movement/MovementStore"
import { evolve, linkedTo } from "@dockline/core/movement/Steps"
import type { ShipmentId } from "@dockline/core/values/Id"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect, Schema } from "effect"
import type { Result } from "effect"
import type { Operations } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/Keys.ts"
import { draftRows } from "../rows/MessageRows.ts"
import type { Owner } from "../rows/Owners.ts"
import { dock, fieldMap, labels, palletDirection, texts, timestamp, whole } from "../rows/RowFields.ts"
import { Elsewhere, LocatedBody, toLocatedShipment } from "../rows/Rows.ts"

/** What `step_load` returns for a shipment that exists. */
const StepBody = Schema.Struct({
  now: timestamp,
  found: LocatedBody,
  facilityId: whole,
  dock: Schema.NullOr(dock),
  fieldMap,
  pallets: Schema.Array(Schema.Struct({
    palletId: whole,
    messageId: whole,
    direction: palletDirection,
    occurredAt: timestamp,
    dock,
    orders: texts,
    labels
  })),
  elsewhere: Elsewhere
})

/** The shipments that `link_load` returns. */
const LinkBody = Schema.Tuple([Schema.NullOr(LocatedBody), Schema.NullOr(LocatedBody)])

/** Makes the functions of steps, which are parts of transactions. See `MovementStore.step` and `MovementStore.link`. */
export const make = ({ call, run }: Operations, announce: (business: string) => Effect.Effect<void>) => {
  const apply = Effect.fnUntraced(function*(
    { facilityId, found }: typeof StepBody.Type,
    plan: StepPlan
  ) {
    if (plan._tag === "Unchanged") return
    const { id } = found.shipment
    const business = businessId(found.business.slug)
    if (plan._tag === "CheckIn") {
      const dockId = plan.dock?.id ?? null
      yield* run`dockline.check_in_apply(${business}, ${id}, ${plan.clientId}, ${plan.step}, ${
        JSON.stringify(plan.checkIn)
      }, ${dockId})`
      return
    }
    const now = yield* Timestamp.givenNow
    const drafts = draftRows(plan.messages, facilityId, yield* TraceContext.current)
    switch (plan._tag) {
      case "Arrive":
        yield* run`dockline.arrive_apply(${business}, ${id}, ${plan.clientId}, ${plan.arrivedAt}, ${
          plan.dock?.id ?? null
        },
          ${drafts}, ${now})`
        break
      case "Cancel":
        yield* run`dockline.cancel_apply(${business}, ${id}, ${plan.clientId}, ${plan.cancelledAt},
          ${drafts}, ${now})`
        break
      case "Depart":
        yield* run`dockline.depart_apply(${business}, ${id}, ${plan.clientId}, ${plan.departedAt},
          ${JSON.stringify(plan.elsewhere)}, ${drafts}, ${now})`
    }
    yield* announce(found.business.slug)
  })

  const take = Effect.fnUntraced(function*<E>(
    owner: Owner,
    { dockSlug, shipmentId, withPallets }: Step,
    decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>
  ) {
    const step = yield* call(Schema.NullOr(StepBody))`dockline.step_load(${owner.id}, ${shipmentId},
      ${dockSlug}, ${withPallets})`
    if (step === null) return null
    const { found: body, ...snapshot } = step
    const match = toLocatedShipment(body)
    const now = (yield* Timestamp.givenNow) ?? step.now
    const plan = yield* Effect.fromResult(decide({ ...snapshot, now, match }))
    yield* apply(step, plan)
    return evolve(match, plan)
  })

  const link = Effect.fnUntraced(function*<E>(
    owner: Owner,
    shipmentId: ShipmentId,
    linkedShipmentId: ShipmentId,
    decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>
  ) {
    const bodies = yield* call(Schema.NullOr(LinkBody))`dockline.link_load(
      ${owner.id}, ${shipmentId}, ${linkedShipmentId})`
    const [shipment = null, target = null] = (bodies ?? []).map((body) => body && toLocatedShipment(body))
    const plan = yield* Effect.fromResult(decide({ shipment, target }))
    if (plan._tag === "Unchanged" || shipment === null || target === null) return shipment
    const business = businessId(shipment.location.business.slug)
    yield* run`dockline.link_apply(${business}, ${shipmentId}, ${linkedShipmentId})`
    return linkedTo(shipment, target)
  })

  return { take, link }
}
