/**
 * Shipments in motion on PostgreSQL: pallet events that wait at the same time share a transaction of two statements (ADR 21),
 * a step or a link has one of its own (ADR 2). The message is written last.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import type { Keep } from "@dockline/core/Keep"
import { MovementStore } from "@dockline/core/MovementStore"
import type { RecordedEvent } from "@dockline/core/Pallet"
import type { PalletEvent } from "@dockline/core/Pallet"
import * as Timestamp from "@dockline/core/Timestamp"
import * as TraceContext from "@dockline/core/TraceContext"
import { Effect, Layer } from "effect"
import type { Context, Exit } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { transaction } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import type { Most } from "../connections/Batches.ts"
import * as BatchTransactions from "../connections/BatchTransactions.ts"
import { operations } from "../connections/Deadline.ts"
import { isPart, loans, turnOfNumber } from "../connections/Loan.ts"
import { noEnds } from "../connections/Pipeline.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { ownersOfShipments } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import * as KeptAnswers from "./KeptAnswers.ts"
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

interface Submitted extends PalletBatch.Submitted, KeptAnswers.Keyed<RecordedEvent> {}

interface Job extends BatchTransactions.Job, Submitted {}

const jobOf = (submitted: Submitted, trace: Context.Context<never>): Job => {
  const { business, eventId, facility } = submitted.event
  const size = submitted.text.length
  return {
    ...submitted,
    holder: business,
    business: businessId(business),
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
    const { keeping } = KeptAnswers.make(sql)
    const record = keeping(PalletBatch.make(sql, announcer))
    const step = takeStep(sql, announcer)
    const link = linkShipments(sql)
    const ownerOf = yield* ownersOfShipments

    /** Does a job in a transaction of its own, or in that which it is a part of. */
    const transact = <A, E>(
      turn: string,
      work: Effect.Effect<ReadonlyArray<BatchTransactions.Done<A>>, SqlError.SqlError>,
      { business, holder }: { readonly business: string | undefined; readonly holder?: string }
    ) =>
      transaction(sql)(work).pipe(
        repeatConflicts,
        loan({ lane: "requests", turn, holder, business }),
        // Afterwards, as what is kept of a refusal stays.
        // What waits is never held, and fails as its work does.
        Effect.flatMap(([done]) => done as Exit.Exit<A, E>)
      )

    /** Does a step of a shipment. */
    const move = <A, E, F>(
      shipmentId: number,
      keep: Keep<A, F> | undefined,
      work: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
    ) =>
      operation(Effect.flatMap(ownerOf(shipmentId), (owner) =>
        transact<A, E | F>(
          turnOfShipment(shipmentId),
          keeping(KeptAnswers.single(work(owner)))([{ keep }], true, noEnds),
          { business: owner.business }
        )))

    const alone = (submitted: Submitted): Effect.Effect<RecordedEvent, unknown> =>
      operation(transact(turnOfPallet(submitted.event), record([submitted], true, noEnds), {
        holder: submitted.event.business,
        business: businessId(submitted.event.business)
      }))

    const submit = yield* BatchTransactions.make<Job, RecordedEvent>({
      most,
      batch: (events, ends) => record(events, false, ends),
      alone
    })

    const recordPallet = <E, F>(
      event: PalletEvent,
      text: string,
      decide: PalletBatch.Submitted["decide"],
      keep: Keep<RecordedEvent, F> | undefined
    ) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const submitted = { event, text, now, traceparent: yield* TraceContext.current, decide, keep }
        const recorded = (yield* isPart(sql))
          ? alone(submitted)
          : submit(jobOf(submitted, yield* Effect.context<never>()))
        // It fails as what decides it, or what keeps its answer.
        return yield* recorded as Effect.Effect<RecordedEvent, E | F | StorageUnavailable>
      })

    return MovementStore.of({
      recordPallet: (event, text, decide, keep) =>
        measured("pallet")(recordPallet(event, text, decide, keep)),
      step: (given, decide, keep) =>
        measured("step")(move(given.shipmentId, keep, (owner) => step(owner, given, decide))),
      link: (shipmentId, linkedShipmentId, decide, keep) =>
        measured("link")(
          move(shipmentId, keep, (owner) => link(owner, shipmentId, linkedShipmentId, decide))
        )
    })
  })
)
