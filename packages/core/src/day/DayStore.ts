/**
 * Port: the shipments of days of a facility (D13.13).
 *
 * Guarantee: it reads shipments in proportion to those of the days, whatever else is stored.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { DayShipment } from "./Day.ts"

/** Selects the shipments whose time (D13.10) is `from` or later, and before `to`. */
export interface DayFilter extends SlugsOfPlace {
  readonly from: Timestamp
  readonly to: Timestamp
}

/** Reads the shipments of days. */
export class DayStore extends Context.Service<DayStore, {
  /** The shipments of some days within the scopes that are not cancelled, in any order; up to the limit. */
  readonly list: (
    scopes: ReadonlyArray<ReadScope>,
    filter: DayFilter,
    limit: number
  ) => Effect.Effect<ReadonlyArray<DayShipment>, StorageUnavailable>
}>()("@dockline/core/day/DayStore") {}
