/**
 * Port: the storage of shipments in motion. Each method loads a snapshot under locks, lets core decide, and applies
 * the plan, with the message that comes of it, in one transaction (D6, D7.1).
 *
 * Guarantee: what concerns one shipment behaves as if it came one after another, documents included; a repeated event
 * id finds what the first one recorded, however many arrive at once; consumers of the message log are told after the
 * commit. `decide` is pure and may be called again when the transaction had to be repeated.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { StorageUnavailable } from "./Errors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as MemoryMovement from "./MemoryMovement.ts"
import { MessageLogConfig } from "./MessageLog.ts"
import type {
  LinkPlan,
  LinkSnapshot,
  PalletDecision,
  PalletSnapshot,
  StepPlan,
  StepSnapshot
} from "./Movement.ts"
import type { PalletAnswer, PalletEvent } from "./Pallet.ts"
import type { LocatedShipment } from "./ShipmentStore.ts"
import * as Timestamp from "./Timestamp.ts"
import * as TraceContext from "./TraceContext.ts"

/** A step of a shipment. */
export interface Step {
  readonly shipmentId: number
  /** `""` when the step names no dock. */
  readonly dockSlug: string
  /** Whether the decision needs the shipment's pallet events. */
  readonly withPallets: boolean
}

/** The storage of shipments in motion. */
export class MovementStore extends Context.Service<MovementStore, {
  /**
   * Records a pallet event. `text` is all that the event says, to tell a repeat from another event of the same id. A
   * store may leave out shipments of the snapshot that come after the first one that is there: `given`, `byLpn`,
   * `atDock`, and everything but `recorded` and the places when there is an earlier event.
   */
  readonly recordPallet: <E>(
    event: PalletEvent,
    text: string,
    decide: (snapshot: PalletSnapshot) => Result.Result<PalletDecision, E>
  ) => Effect.Effect<
    { readonly answer: PalletAnswer; readonly repeated: boolean },
    E | StorageUnavailable
  >
  /** Takes a step of a shipment and returns it as it is then; `null` when there is no such shipment. */
  readonly step: <E>(
    step: Step,
    decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>
  ) => Effect.Effect<LocatedShipment | null, E | StorageUnavailable>
  /** Links two shipments, both ways, if `decide` says so; returns the first as it is then. */
  readonly link: <E>(
    shipmentId: number,
    linkedShipmentId: number,
    decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>
  ) => Effect.Effect<LocatedShipment | null, E | StorageUnavailable>
}>()("@dockline/core/MovementStore") {
  /** Shipments in motion in memory: each transaction runs in one step of the event loop, so none meets another. */
  static readonly layerMemory: Layer.Layer<MovementStore, never, MemoryDatabase> = Layer.effect(
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
}
