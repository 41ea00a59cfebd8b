/**
 * Shipments in motion on PostgreSQL: pallet events that wait at the same time share a transaction of two statements (ADR 21),
 * a step or a link has one of its own (ADR 2). The message is written last.
 */
import type { Keep } from "@dockline/core/access/Idempotency"
import { MovementStore } from "@dockline/core/movement/MovementStore"
import type { PalletEvent, RecordedEvent } from "@dockline/core/movement/Pallet"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { ShipmentId } from "@dockline/core/values/Id"
import * as Timestamp from "@dockline/core/values/Timestamp"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { announcing } from "../connections/Announcer.ts"
import type { Announcer } from "../connections/Announcer.ts"
import * as BatchTransactions from "../connections/BatchTransactions.ts"
import { turnOfNumber } from "../connections/Loan.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/Keys.ts"
import { ownersOfShipments, turnOfShipment } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import * as KeptAnswers from "./KeptAnswers.ts"
import * as PalletBatch from "./PalletBatch.ts"
import * as SqlSteps from "./SqlSteps.ts"

/** Events that name a shipment take turns with others of that shipment; the rest take turns by dock. */
const turnOfPallet = (event: PalletEvent): string => {
  const { business, dockSlug, facility, shipmentId, shipmentNumber } = event
  if (shipmentId !== null) return turnOfShipment(shipmentId)
  return shipmentNumber === "" ? JSON.stringify(["dock", business, facility, dockSlug]) : turnOfNumber(event)
}

/** The size of an event is that of its text, in characters. */
const most = { jobs: 64, keys: 256, size: 256 * 1024 }

/** A longer event goes alone. */
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

/** Shipments in motion on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<MovementStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MovementStore,
  Effect.gen(function*() {
    const means = yield* operations
    const announce = yield* announcing
    const ownerOf = yield* ownersOfShipments
    const answers = KeptAnswers.make(means)
    const steps = SqlSteps.make(means, announce)
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
        // Its errors are those of the decision and of keeping the answer.
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
