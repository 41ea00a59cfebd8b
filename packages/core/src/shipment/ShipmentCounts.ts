/** Counts of shipments by capabilities, such as the number of their exceptions, for capabilities that total them (ADR 31). */
import { Context } from "effect"
import type { Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"

/** Numbers of a shipment, by their names. */
export type Counts = Readonly<Record<string, number>>

/** The counts of shipments by a capability. */
export interface ShipmentCounts {
  /** The names of its counts. */
  readonly names: ReadonlyArray<string>
  /** Counts for shipments of a facility. A shipment that the result leaves out has zeros. */
  readonly countsOf: (
    place: { readonly business: string; readonly facility: string },
    shipmentIds: ReadonlyArray<ShipmentId>
  ) => Effect.Effect<ReadonlyMap<number, Counts>, StorageUnavailable>
}

/** The counts of all capabilities of the service; none by default. */
export const AllShipmentCounts: Context.Reference<ReadonlyArray<ShipmentCounts>> = Context.Reference(
  "@dockline/core/shipment/AllShipmentCounts",
  { defaultValue: (): ReadonlyArray<ShipmentCounts> => [] }
)
