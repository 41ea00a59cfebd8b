/**
 * Shipments in motion on PostgreSQL: a pallet event, a step or a link is one transaction of two statements.
 *
 * The first locks what is concerned and returns the snapshot, core decides, the second writes the plan and, last, the
 * message. Consumers of the message log are told after the commit.
 */
import { MovementStore } from "@dockline/core/MovementStore"
import type { PalletEvent } from "@dockline/core/Pallet"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction } from "./AfterCommit.ts"
import { Announcer } from "./Announcer.ts"
import { TransactionLimit } from "./Database.ts"
import { operations } from "./Deadline.ts"
import { recordPallet } from "./SqlPallets.ts"
import { linkShipments, takeStep } from "./SqlSteps.ts"
import { repeatConflicts } from "./StorageErrors.ts"
import { measured } from "./StorageMetrics.ts"
import { makeInTurn } from "./Transactions.ts"

type Key = ReadonlyArray<string | number>

const shipmentKey = (id: number): Key => ["shipment", id]

/** What waits for one shipment holds one connection: that of the given shipment, or that of the dock. */
const palletKey = ({ business, dockSlug, facility, shipmentId, shipmentNumber }: PalletEvent): Key => {
  if (shipmentId !== null) return shipmentKey(shipmentId)
  return shipmentNumber === ""
    ? ["dock", business, facility, dockSlug]
    : ["number", business, facility, shipmentNumber]
}

/** Shipments in motion on the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<MovementStore, never, SqlClient.SqlClient | Announcer> = Layer.effect(
  MovementStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const announcer = yield* Announcer
    const operation = yield* operations
    const inTurn = makeInTurn(sql, yield* TransactionLimit)
    const record = recordPallet(sql, announcer)
    const step = takeStep(sql, announcer)
    const link = linkShipments(sql)

    const transact = <A, E, R>(key: Key, effect: Effect.Effect<A, E, R>) =>
      transaction(sql)(effect).pipe(repeatConflicts, inTurn(JSON.stringify(key)), operation)

    return MovementStore.of({
      recordPallet: (event, text, decide) =>
        measured("pallet")(transact(palletKey(event), record(event, text, decide))),
      step: (given, decide) => measured("step")(transact(shipmentKey(given.shipmentId), step(given, decide))),
      link: (shipmentId, linkedShipmentId, decide) =>
        measured("link")(transact(shipmentKey(shipmentId), link(shipmentId, linkedShipmentId, decide)))
    })
  })
)
