/**
 * Shipments in motion, in memory.
 */
import { Effect, Layer, Result } from "effect"
import { MessageLogConfig } from "../messages/MessageLog.ts"
import { MovementStore } from "../movement/MovementStore.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as TraceContext from "../values/TraceContext.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as MemoryMovement from "./MemoryMovement.ts"

/** Shipments in motion in memory: each transaction runs in one step of the event loop, so none meets another. */
export const layer: Layer.Layer<MovementStore, never, MemoryDatabase> = Layer.effect(
  MovementStore,
  Effect.map(Effect.all([MemoryDatabase, MessageLogConfig]), ([database, { retentionMillis }]) => {
    const transact = <A, E>(
      run: (writing: MemoryMovement.Writing) => Result.Result<A, E>
    ): Effect.Effect<A, E> =>
      Effect.flatMap(
        Effect.zip(Timestamp.now, TraceContext.current),
        ([now, trace]) => Effect.suspend(() => Effect.fromResult(run({ now, trace, retentionMillis })))
      )
    return MovementStore.of({
      recordPallet: (event, text, decide) =>
        transact((writing) =>
          Result.map(decide(MemoryMovement.palletSnapshot(database, event, writing.now)), (decision) => {
            const repeated = decision._tag === "Repeat"
            const answer = repeated
              ? decision.answer
              : MemoryMovement.applyPallet(database, event, text, decision.plan, writing)
            return { answer, repeated }
          })
        ),
      step: (step, decide) =>
        transact((writing) => {
          const found = database.locatedShipment(step.shipmentId)
          if (found === null) return Result.succeed(null)
          return Result.map(
            decide(MemoryMovement.stepSnapshot(database, found, step, writing.now)),
            (plan) => {
              MemoryMovement.applyStep(database, step.shipmentId, plan, writing)
              return database.locatedShipment(step.shipmentId)
            }
          )
        }),
      link: (shipmentId, linkedShipmentId, decide) =>
        transact(() => {
          const shipment = database.locatedShipment(shipmentId)
          const linked = database.locatedShipment(linkedShipmentId)
          return Result.map(decide({ shipment, linked }), (decision) => {
            if (decision._tag === "Link" && shipment !== null && linked !== null) {
              MemoryMovement.applyLink(database, shipment.shipment, linked.shipment)
            }
            return database.locatedShipment(shipmentId)
          })
        })
    })
  })
)
