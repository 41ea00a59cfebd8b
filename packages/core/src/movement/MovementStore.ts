/**
 * Port: stores pallets and steps. Each method loads a snapshot under locks, lets core decide, and applies the plan with
 * its message in one transaction (D6, D7.1).
 *
 * Guarantee: changes of one shipment, including those by documents, behave as if they came one after another. A repeated event gets the
 * record of the first event with its id, even if several arrive at once. Consumers of the message log are woken after the commit. `decide`
 * is pure and may be called again when the transaction is repeated; it is not called when the key of `keep` is not free (D5.2).
 */
import { Context, Effect, Result } from "effect"
import type { Keep } from "../access/Idempotency.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"
import type {
  LinkPlan,
  LinkSnapshot,
  PalletDecision,
  PalletSnapshot,
  StepPlan,
  StepSnapshot
} from "./Movement.ts"
import type { PalletEvent, RecordedEvent } from "./Pallet.ts"

/** A step of a shipment. */
export interface Step {
  readonly shipmentId: ShipmentId
  /** `""` when the step names no dock. */
  readonly dockSlug: string
  /** Whether the decision needs the shipment's pallet events. */
  readonly withPallets: boolean
}

/** Stores pallets and steps. */
export class MovementStore extends Context.Service<MovementStore, {
  /**
   * Records a pallet event. `text` is the event's whole content, which distinguishes a repeat from another event with the same id. A store
   * may leave out parts of the snapshot that cannot matter. It may leave out the shipments after the first one that exists, in the order
   * `namedShipment`, `byLpn`, `departed`, `atDock`. When the event id is already recorded, it may leave out everything but `earlierEvent`,
   * the business and the facility.
   */
  readonly recordPallet: <E, F = never>(
    event: PalletEvent,
    text: string,
    decide: (snapshot: PalletSnapshot) => Result.Result<PalletDecision, E>,
    keep?: Keep<RecordedEvent, F> | undefined
  ) => Effect.Effect<RecordedEvent, E | F | StorageUnavailable>
  /** Applies a step to a shipment and returns its new state; `null` when the shipment does not exist. */
  readonly step: <E, F = never>(
    step: Step,
    decide: (snapshot: StepSnapshot) => Result.Result<StepPlan, E>,
    keep?: Keep<LocatedShipment | null, F> | undefined
  ) => Effect.Effect<LocatedShipment | null, E | F | StorageUnavailable>
  /** Links two shipments with each other, if `decide` permits it; returns the new state of the first. */
  readonly link: <E, F = never>(
    shipmentId: ShipmentId,
    linkedShipmentId: ShipmentId,
    decide: (snapshot: LinkSnapshot) => Result.Result<LinkPlan, E>,
    keep?: Keep<LocatedShipment | null, F> | undefined
  ) => Effect.Effect<LocatedShipment | null, E | F | StorageUnavailable>
}>()("@dockline/core/movement/MovementStore") {}
