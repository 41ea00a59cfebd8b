/**
 * Movements of shipments on PostgreSQL: pallet events that wait at the same time share a transaction of two statements (ADR 21); a step or
 * a link has its own transaction (ADR 2). Each transaction locks the log of messages last.
 */
import type { Keep } from "@dockline/core/access/Idempotency"
import type { LinkPlan, LinkSnapshot, Step, StepPlan, StepSnapshot } from "@dockline/core/movement/Movement"
import { MovementStore } from "@dockline/core/movement/Movement"
import type { PalletEvent, RecordedEvent } from "@dockline/core/movement/Pallet"
import { evolve, linkedTo } from "@dockline/core/movement/Steps"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { announcing } from "../connections/Announcer.ts"
import type { Announcer } from "../connections/Announcer.ts"
import * as BatchTransactions from "../connections/BatchTransactions.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations, turnOfNumber } from "../connections/StoreOperations.ts"
import type { Operations } from "../connections/StoreOperations.ts"
import { businessId, ownersOfShipments, turnOfShipment } from "../rows/BusinessRows.ts"
import type { Owner } from "../rows/BusinessRows.ts"
import { draftRows } from "../rows/MessageRows.ts"
import { dock, fieldMap, labels, palletDirection, texts, timestamp, whole } from "../rows/RowFields.ts"
import { Elsewhere, LocatedBody, toLocatedShipment } from "../rows/Rows.ts"
import * as KeptAnswers from "./KeptAnswers.ts"
import * as PalletBatch from "./PalletBatch.ts"

/** The turn of an event: events that name a shipment share the turn of that shipment, other events share the turn of their dock. */
const turnOfPallet = (event: PalletEvent): string => {
  const { business, dockSlug, facility, shipmentId, shipmentNumber } = event
  if (shipmentId !== null) return turnOfShipment(shipmentId)
  return shipmentNumber === "" ? JSON.stringify(["dock", business, facility, dockSlug]) : turnOfNumber(event)
}

/** The limits of a batch. The size of an event is the length of its text, in characters. */
const most = { jobs: 64, keys: 256, size: 256 * 1024 }

/** The length above which an event runs alone, in characters. */
const longText = 32 * 1024

interface KeyedEvent extends PalletBatch.EventJob, KeptAnswers.KeyedWork<RecordedEvent> {}

interface Job extends BatchTransactions.Job, KeyedEvent {}

const jobOf = (job: KeyedEvent): Job => {
  const { business, eventId, facility } = job.event
  const size = job.text.length
  return {
    ...job,
    holder: business,
    business: businessId(business),
    keys: [turnOfPallet(job.event), JSON.stringify(["event", business, facility, eventId])],
    size,
    alone: size > longText
  }
}

/** Movements of shipments on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<MovementStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MovementStore,
  Effect.gen(function*() {
    const means = yield* operations
    const announce = yield* announcing
    const ownerOf = yield* ownersOfShipments
    const answers = KeptAnswers.make(means)
    const steps = stepsOf(means, announce)
    const submit = yield* BatchTransactions.make<Job, RecordedEvent>(means, {
      most,
      work: PalletBatch.make(means),
      keeping: answers.keeping,
      turnOf: ({ event }) => turnOfPallet(event),
      onDone: ({ event }, { repeated }) => repeated ? Effect.void : announce(event.business)
    })

    const move = <A, E, F>(
      shipmentId: ShipmentId,
      keep: Keep<A, F> | undefined,
      work: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
    ) =>
      means.operation(Effect.flatMap(
        ownerOf(shipmentId),
        (owner) =>
          answers.alone({ turn: turnOfShipment(shipmentId), business: owner.business }, keep, work(owner))
      ))

    const recordPallet = <E, F>(
      event: PalletEvent,
      text: string,
      decide: PalletBatch.EventJob["decide"],
      keep: Keep<RecordedEvent, F> | undefined
    ) =>
      Effect.gen(function*() {
        const givenNow = yield* Timestamp.givenNow
        const traceparent = yield* TraceContext.current
        const answer = submit(jobOf({ event, text, givenNow, traceparent, decide, keep }))
        // The effect fails only with the errors of the decision and of keeping the answer.
        return yield* answer as Effect.Effect<RecordedEvent, E | F | StorageUnavailable>
      })

    return MovementStore.of({
      recordPallet: (event, text, decide, keep) =>
        measured("pallet")(recordPallet(event, text, decide, keep)),
      step: (request, decide, keep) =>
        measured("step")(move(request.shipmentId, keep, (owner) => steps.take(owner, request, decide))),
      link: (shipmentId, linkedShipmentId, decide, keep) =>
        measured("link")(
          move(shipmentId, keep, (owner) => steps.link(owner, shipmentId, linkedShipmentId, decide))
        )
    })
  })
)

/** The result of `step_load` for a shipment that exists. */
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
export const stepsOf = ({ call, run }: Operations, announce: (business: string) => Effect.Effect<void>) => {
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
