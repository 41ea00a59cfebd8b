/**
 * Port: reading shipments, orders and pallets (D5.1, D13.2).
 *
 * Guarantee: nothing outside the given scopes is ever returned, and every page is bounded, by its limit and by its budget
 * (`pageBudget`): shipments, orders, items, pallets, events and labels are rows.
 *
 * Who reads by an id gives its own scopes: they say nothing of where the shipment belongs. A storage whose capacity is
 * limited counts each read for the businesses of who asks, so that no client takes the share of others.
 */
import { Context, Effect } from "effect"
import type { ReadScope } from "../access/Access.ts"
import type { Location } from "../places/Place.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"
import type { NewestPageRequest, Page, PageRequest, TimePosition } from "../values/Page.ts"
import type { Overloaded } from "../values/RequestErrors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentOrder, ShipmentStatus } from "../values/Vocabulary.ts"
import type { Tracking } from "./Discrepancies.ts"
import type { BoardRows, BoardTimes } from "./DockBoard.ts"
import type { LocatedOrder, LocatedShipment } from "./Shipment.ts"
import type { SearchMatches } from "./ShipmentItem.ts"
import type { ItemFilter, ShipmentItem } from "./ShipmentItem.ts"
import type { LocatedPallet } from "./Verdict.ts"

/** Narrows a list to a business or a facility, by slugs; `undefined` does not narrow. */
export interface PlaceFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
}

/** Narrows a list of shipments; `undefined` does not narrow. */
export interface ShipmentFilter extends PlaceFilter {
  readonly shipmentNumber: string | undefined
  readonly status: ShipmentStatus | undefined
  /** With `true`, only shipments with discrepancies (D13.4). */
  readonly discrepancies?: boolean | undefined
  /** Shipments with an item of this LPN. It goes with `business` and `facility` alone. */
  readonly lpn?: string | undefined
}

/** Narrows a list of shipments in the order of their times (D13.10); `undefined` does not narrow. */
export interface TimedShipmentFilter extends Omit<ShipmentFilter, "lpn"> {
  readonly carrier: string | undefined
  /** It goes without `carrier`. */
  readonly trailerNumber?: string | undefined
  /** Shipments whose time is then or later. */
  readonly from: Timestamp | undefined
  /** Shipments whose time is earlier. */
  readonly to: Timestamp | undefined
}

/** A page of shipments in the order of their times. */
export interface TimedPageRequest {
  readonly order: Exclude<ShipmentOrder, "ID">
  readonly limit: number
  /** Where the last shipment of the page before stands; `undefined` for the first page. */
  readonly after: TimePosition | undefined
}

/** A facility, by slugs. */
export interface SlugsOfPlace {
  readonly business: string
  readonly facility: string
}

/** Narrows a list of orders; `undefined` does not narrow. */
export interface OrderFilter extends PlaceFilter {
  readonly orderNumber: string | undefined
}

/** A page of what a shipment has, and where the shipment belongs. */
export interface PageOfShipment<out A> {
  readonly location: Location
  readonly page: Page<A>
}

/** What the discrepancies of a shipment depend on, and where it belongs. */
export interface TrackedShipment {
  readonly location: Location
  readonly tracking: Tracking
}

/** Selects pallets by their LPN. */
export interface PalletFilter extends PlaceFilter {
  readonly lpn: string
}

/** Selects what a text means. */
export interface SearchFilter extends PlaceFilter {
  /** What was `asked` (`ShipmentItem.ts`) for. */
  readonly text: string
}

/** Why shipments and orders cannot be read: an answer with so many of their items has no room (`AnswerRoom`). */
export type ReadFailure = StorageUnavailable | Overloaded

/** Reads of shipments, orders and pallets. The items of shipments and orders are loaded once the answer has room for them. */
export class ShipmentStore extends Context.Service<ShipmentStore, {
  /** The shipment of that id, wherever it belongs; `null` when there is none. */
  readonly find: (
    id: ShipmentId,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<LocatedShipment | null, ReadFailure>
  /** Shipments within the scopes, in id order. */
  readonly listShipments: (
    scopes: ReadonlyArray<ReadScope>,
    filter: ShipmentFilter,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedShipment>, ReadFailure>
  /** Shipments within the scopes, in the order of their times, and of ids where times are the same (D13.10). */
  readonly listShipmentsByTime: (
    scopes: ReadonlyArray<ReadScope>,
    filter: TimedShipmentFilter,
    page: TimedPageRequest
  ) => Effect.Effect<Page<LocatedShipment>, ReadFailure>
  /** What the docks of a facility see (D13.15): of another facility than one of the directory there is nothing. */
  readonly dockBoard: (place: SlugsOfPlace, times: BoardTimes) => Effect.Effect<BoardRows, StorageUnavailable>
  /** Orders within the scopes, in id order. */
  readonly listOrders: (
    scopes: ReadonlyArray<ReadScope>,
    filter: OrderFilter,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedOrder>, ReadFailure>
  /** The pallets of a shipment in id order, and where it belongs; `null` when there is no such shipment. */
  readonly palletsOf: (
    shipmentId: ShipmentId,
    page: PageRequest,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<PageOfShipment<LocatedPallet> | null, StorageUnavailable>
  /**
   * The pallets of shipments of a facility, in the order in which these are given, and of each in id order: `after` is the id of a
   * pallet of the first. A shipment of another facility has none.
   */
  readonly palletsOn: (
    place: SlugsOfPlace,
    shipmentIds: ReadonlyArray<ShipmentId>,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedPallet>, StorageUnavailable>
  /** The items of a shipment in id order, over all its orders, and where it belongs; `null` when there is no such shipment. */
  readonly itemsOf: (
    shipmentId: ShipmentId,
    filter: ItemFilter,
    page: PageRequest,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<PageOfShipment<ShipmentItem> | null, StorageUnavailable>
  /** What the discrepancies of a shipment depend on, and where it belongs; `null` when there is no such shipment. */
  readonly track: (
    shipmentId: ShipmentId,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<TrackedShipment | null, StorageUnavailable>
  /** Pallets within the scopes, newest first: by the time at which they were first recorded, and then by id. */
  readonly listPallets: (
    scopes: ReadonlyArray<ReadScope>,
    filter: PalletFilter,
    page: NewestPageRequest
  ) => Effect.Effect<Page<LocatedPallet>, StorageUnavailable>
  /**
   * The numbers and LPNs within the scopes that a text means (`isMeant`): of each kind the first, up to the limit, in the order of
   * `ranked`. What is exactly the text is among them however much else is similar. Of an LPN that many items of a shipment have, one item
   * suffices. For what is similar, `searchDepth` entries with the ending of the text at each facility may be all that is looked at; it may be
   * left out where exact entries fill the limit. With them, in the order of `rankedRemoved`, as many LPNs of at most `longestRemoved` characters that documents
   * of the record removed and did not create again.
   */
  readonly search: (
    scopes: ReadonlyArray<ReadScope>,
    filter: SearchFilter,
    limit: number
  ) => Effect.Effect<SearchMatches, StorageUnavailable>
}>()("@dockline/core/shipment/ShipmentStore") {}
