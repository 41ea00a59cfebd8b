/**
 * Shipments in motion on PostgreSQL: pallet events that wait at the same time share a transaction of two statements (ADR 21),
 * a step or a link has one of its own (ADR 2). The message is written last.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import * as TraceContext from "@dockline/core/internal/values/TraceContext"
import { MovementStore } from "@dockline/core/MovementStore"
import type { RecordedEvent } from "@dockline/core/Pallet"
import type { PalletEvent } from "@dockline/core/Pallet"
import * as Timestamp from "@dockline/core/Timestamp"
import { Effect, Layer } from "effect"
import type { Context, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import type { Most } from "../connections/Batches.ts"
import { operations } from "../connections/Deadline.ts"
import * as Flights from "../connections/Flights.ts"
import { isPart } from "../connections/LateTransaction.ts"
import { loans, turnOfNumber } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import * as PalletBatch from "./PalletBatch.ts"
import { linkShipments, takeStep } from "./SqlSteps.ts"

const turnOfShipment = (id: number): string => JSON.stringify(["shipment", id])

/** Events that name a shipment take turns with others of that shipment; the rest take turns by dock. */
const turnOfPallet = (event: PalletEvent): string => {
  const { business, dockSlug, facility, shipmentId, shipmentNumber } = event
  if (shipmentId !== null) return turnOfShipment(shipmentId)
  return shipmentNumber === "" ? JSON.stringify(["dock", business, facility, dockSlug]) : turnOfNumber(event)
}

/** The size of an event is that of its text, in characters. */
const most: Most = { jobs: 64, keys: 256, size: 256 * 1024 }

/** A longer event goes alone. */
const longText = 32 * 1024

interface Job extends Flights.Job, PalletBatch.Submitted {}

const jobOf = (submitted: PalletBatch.Submitted, trace: Context.Context<never>): Job => {
  const { business, eventId, facility } = submitted.event
  const size = submitted.text.length
  return {
    ...submitted,
    holder: business,
    keys: [turnOfPallet(submitted.event), JSON.stringify(["event", business, facility, eventId])],
    size,
    alone: size > longText,
    trace
  }
}

/** Shipments in motion on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<MovementStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MovementStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const announcer = yield* Announcer
    const operation = yield* operations
    const loan = yield* loans
    const work = PalletBatch.make(sql, announcer)
    const step = takeStep(sql, announcer)
    const link = linkShipments(sql)

    const transact = <A, E, R>(turn: string, effect: Effect.Effect<A, E, R>, holder?: string) =>
      transaction(sql)(effect).pipe(
        repeatConflicts,
        loan({ lane: "requests", turn, holder }),
        operation
      )

    /** An event in a transaction of its own, or in that which it is a part of. */
    const alone = (submitted: PalletBatch.Submitted): Effect.Effect<RecordedEvent, unknown> => {
      const recorded = Effect.flatMap(
        work([submitted], true, noEnds),
        ([recorded]) => recorded as Exit.Exit<RecordedEvent, unknown>
      )
      return transact(turnOfPallet(submitted.event), recorded, submitted.event.business)
    }

    const submit = yield* Flights.make<Job, RecordedEvent>({
      most,
      batch: (events, ends) => work(events, false, ends),
      alone
    })

    const recordPallet: MovementStore["Service"]["recordPallet"] = <E>(
      event: PalletEvent,
      text: string,
      decide: PalletBatch.Submitted["decide"]
    ) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const submitted = { event, text, now, traceparent: yield* TraceContext.current, decide }
        const recorded = (yield* isPart(sql))
          ? alone(submitted)
          : submit(jobOf(submitted, yield* Effect.context<never>()))
        return yield* recorded as Effect.Effect<RecordedEvent, E | StorageUnavailable>
      })

    return MovementStore.of({
      recordPallet: (event, text, decide) => measured("pallet")(recordPallet(event, text, decide)),
      step: (given, decide) =>
        measured("step")(transact(turnOfShipment(given.shipmentId), step(given, decide))),
      link: (shipmentId, linkedShipmentId, decide) =>
        measured("link")(transact(turnOfShipment(shipmentId), link(shipmentId, linkedShipmentId, decide)))
    })
  })
)
