/**
 * Port: the storage of shipments in motion. Each method loads a snapshot under locks, lets core decide, and applies
 * the plan, with the message that comes of it, in one transaction (D6, D7.1).
 *
 * Guarantee: what concerns one shipment behaves as if it came one after another, documents included; a repeated event
 * id finds what the first one recorded, however many arrive at once; consumers of the message log are told after the
 * commit. `decide` is pure and may be called again when the transaction had to be repeated.
 */
import { Context, Effect, Result } from "effect"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type {
  LinkPlan,
  LinkSnapshot,
  PalletDecision,
  PalletSnapshot,
  StepPlan,
  StepSnapshot
} from "./Movement.ts"
import type { PalletAnswer, PalletEvent } from "./Pallet.ts"

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
}>()("@dockline/core/MovementStore") {}
