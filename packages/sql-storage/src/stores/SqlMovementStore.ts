/**
 * Shipments in motion on PostgreSQL: a pallet event, a step or a link is one transaction of two statements (ADR 2). The
 * message is written last.
 */
import { MovementStore } from "@dockline/core/MovementStore"
import type { PalletEvent } from "@dockline/core/Pallet"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "../connections/AfterCommit.ts"
import { Announcer } from "../connections/Announcer.ts"
import { operations } from "../connections/Deadline.ts"
import { loans, turnOfNumber } from "../connections/Loan.ts"
import { repeatConflicts } from "../connections/StorageErrors.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { recordPallet } from "./SqlPallets.ts"
import { linkShipments, takeStep } from "./SqlSteps.ts"

const turnOfShipment = (id: number): string => JSON.stringify(["shipment", id])

/** Events that name a shipment take turns with others of that shipment; the rest take turns by dock. */
const turnOfPallet = (event: PalletEvent): string => {
  const { business, dockSlug, facility, shipmentId, shipmentNumber } = event
  if (shipmentId !== null) return turnOfShipment(shipmentId)
  return shipmentNumber === "" ? JSON.stringify(["dock", business, facility, dockSlug]) : turnOfNumber(event)
}

/** Shipments in motion on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<MovementStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MovementStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const announcer = yield* Announcer
    const operation = yield* operations
    const loan = yield* loans
    const record = recordPallet(sql, announcer)
    const step = takeStep(sql, announcer)
    const link = linkShipments(sql)

    const transact = <A, E, R>(turn: string, effect: Effect.Effect<A, E, R>, holder?: string) =>
      transaction(sql)(effect).pipe(
        repeatConflicts,
        loan({ lane: "requests", turn, holder }),
        operation
      )

    return MovementStore.of({
      recordPallet: (event, text, decide) =>
        measured("pallet")(transact(turnOfPallet(event), record(event, text, decide), event.business)),
      step: (given, decide) =>
        measured("step")(transact(turnOfShipment(given.shipmentId), step(given, decide))),
      link: (shipmentId, linkedShipmentId, decide) =>
        measured("link")(transact(turnOfShipment(shipmentId), link(shipmentId, linkedShipmentId, decide)))
    })
  })
)
