/** What capabilities count of shipments, such as their exceptions, for whoever counts shipments together (ADR 31). */
import { Context } from "effect"
import type { Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"

/** Numbers of a shipment, by their names. */
export type Counts = Readonly<Record<string, number>>

/** What a capability counts of each shipment. */
export interface ShipmentCounts {
  /** The names of its numbers. */
  readonly names: ReadonlyArray<string>
  /** Counts shipments of a facility; a shipment that is left out has none. */
  readonly countsOf: (
    place: { readonly business: string; readonly facility: string },
    shipmentIds: ReadonlyArray<ShipmentId>
  ) => Effect.Effect<ReadonlyMap<number, Counts>, StorageUnavailable>
}

/** What the capabilities of the service count; nothing unless provided. */
export const AllShipmentCounts: Context.Reference<ReadonlyArray<ShipmentCounts>> = Context.Reference(
  "@dockline/core/shipment/AllShipmentCounts",
  { defaultValue: (): ReadonlyArray<ShipmentCounts> => [] }
)
