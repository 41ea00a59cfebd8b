/**
 * Port: reading shipments and orders (D5.1).
 *
 * Guarantee: nothing outside the given scopes is ever returned, and every page is bounded, by its limit and by the
 * number of items it holds.
 */
import { Context, Effect } from "effect"
import type { ReadScope } from "./Access.ts"
import type { StorageUnavailable } from "./Errors.ts"
import type { Order } from "./Order.ts"
import type { Shipment } from "./Shipment.ts"
import type { Location } from "./View.ts"
import type { ShipmentStatus } from "./Vocabulary.ts"

/** A page ends early rather than hold more order items than this (but always holds at least one entity). */
export const pageItemBudget = 10_000

/** A shipment and where it belongs. */
export interface LocatedShipment {
  readonly location: Location
  readonly shipment: Shipment
}

/** An order, its shipment and where they belong. */
export interface LocatedOrder {
  readonly location: Location
  readonly shipmentId: number
  readonly shipmentNumber: string
  readonly order: Order
}

/** What a list of shipments is narrowed to; `undefined` does not narrow. */
export interface ShipmentFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
  readonly shipmentNumber: string | undefined
  readonly status: ShipmentStatus | undefined
}

/** What a list of orders is narrowed to; `undefined` does not narrow. */
export interface OrderFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
  readonly orderNumber: string | undefined
}

/** Which part of a list: at most `limit` entities with ids above `after`, in id order. */
export interface PageRequest {
  readonly limit: number
  /** The id of the last entity of the page before; 0 for the first page. */
  readonly after: number
}

/** A page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The id to ask the next page with; `null` on the last. */
  readonly next: string | null
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

/**
 * Cuts a page from what was found, in id order, with one entry more than the limit where there is more: at most the
 * limit, and no more than the item budget allows, but at least one.
 */
export const cutPage = <A>(
  found: ReadonlyArray<A>,
  limit: number,
  sizeOf: (entry: A) => { readonly id: string; readonly items: number }
): Page<A> => {
  const items: Array<A> = []
  let held = 0
  for (const entry of found.slice(0, limit)) {
    held += sizeOf(entry).items
    if (items.length > 0 && held > pageItemBudget) break
    items.push(entry)
  }
  return { items, next: items.length < found.length ? sizeOf(items.at(-1)!).id : null }
}
