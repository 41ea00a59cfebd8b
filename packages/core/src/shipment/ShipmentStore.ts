/**
 * Port: reading shipments and orders (D5.1).
 *
 * Guarantee: nothing outside the given scopes is ever returned, and every page is bounded, by its limit and by the
 * number of items it holds.
 */
import { Context, Effect } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import type { LocatedOrder, LocatedShipment } from "./Shipment.ts"

/** Narrows a list of shipments; `undefined` does not narrow. */
export interface ShipmentFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
  readonly shipmentNumber: string | undefined
  readonly status: ShipmentStatus | undefined
}

/** Narrows a list of orders; `undefined` does not narrow. */
export interface OrderFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
  readonly orderNumber: string | undefined
}

/** Reads of shipments and orders. */
export class ShipmentStore extends Context.Service<ShipmentStore, {
  /** The shipment of that id, wherever it belongs; `null` when there is none. */
  readonly find: (id: number) => Effect.Effect<LocatedShipment | null, StorageUnavailable>
  /** Shipments within the scopes, in id order. */
  readonly listShipments: (
    scopes: ReadonlyArray<ReadScope>,
    filter: ShipmentFilter,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedShipment>, StorageUnavailable>
  /** Orders within the scopes, in id order. */
  readonly listOrders: (
    scopes: ReadonlyArray<ReadScope>,
    filter: OrderFilter,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedOrder>, StorageUnavailable>
}>()("@dockline/core/ShipmentStore") {}
