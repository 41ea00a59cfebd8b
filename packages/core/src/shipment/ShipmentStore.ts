/**
 * Port: reading shipments, orders and pallets (D5.1, D13.2).
 *
 * Guarantee: a list returns nothing outside its scopes, and every page is bounded by its limit and its budget (`pageBudget`): shipments,
 * orders, items, pallets, events and labels are rows.
 *
 * Reads by an id pass the scopes of the reader, which do not restrict where the shipment is. A storage with limited capacity counts each
 * read for the businesses of the reader, so that no client takes the share of others.
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
  /** Shipments with an item of this LPN. It can be combined only with `business` and `facility`. */
  readonly lpn?: string | undefined
}

/** Narrows a list of shipments in the order of their times (D13.10); `undefined` does not narrow. */
export interface TimedShipmentFilter extends Omit<ShipmentFilter, "lpn"> {
  readonly carrier: string | undefined
  /** It cannot be combined with `carrier`. */
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
  /** The position of the last shipment of the previous page; `undefined` for the first page. */
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

/** A page of entries of a shipment, and the location of the shipment. */
export interface PageOfShipment<out A> {
  readonly location: Location
  readonly page: Page<A>
}

/** The data that the discrepancies of a shipment depend on, and its location. */
export interface TrackedShipment {
  readonly location: Location
  readonly tracking: Tracking
}

/** Selects pallets by their LPN. */
export interface PalletFilter extends PlaceFilter {
  readonly lpn: string
}

/** Selects the entries that match a text. */
export interface SearchFilter extends PlaceFilter {
  /** The text after `normalizedQuery` (`ShipmentItem.ts`). */
  readonly text: string
}

/**
 * Why shipments and orders cannot be read: the storage is unavailable, or there is not enough memory for an answer with their items
 * (`AnswerMemory`).
 */
export type ReadFailure = StorageUnavailable | Overloaded

/** Reads of shipments, orders and pallets. The items of shipments and orders are loaded once the answer has reserved memory for them. */
export class ShipmentStore extends Context.Service<ShipmentStore, {
  /** The shipment with that id, at any facility; `null` when it does not exist. */
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
  /** Shipments within the scopes, in the order of their times and then of ids (D13.10). */
  readonly listShipmentsByTime: (
    scopes: ReadonlyArray<ReadScope>,
    filter: TimedShipmentFilter,
    page: TimedPageRequest
  ) => Effect.Effect<Page<LocatedShipment>, ReadFailure>
  /** The rows of the dock board of a facility (D13.15); none for a facility that is not in the directory. */
  readonly dockBoard: (place: SlugsOfPlace, times: BoardTimes) => Effect.Effect<BoardRows, StorageUnavailable>
  /** Orders within the scopes, in id order. */
  readonly listOrders: (
    scopes: ReadonlyArray<ReadScope>,
    filter: OrderFilter,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedOrder>, ReadFailure>
  /** The pallets of a shipment in id order, and its location; `null` when the shipment does not exist. */
  readonly palletsOf: (
    shipmentId: ShipmentId,
    page: PageRequest,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<PageOfShipment<LocatedPallet> | null, StorageUnavailable>
  /**
   * The pallets of shipments of a facility, in the order of the shipments and then of ids. `after` is the id of a pallet of the first
   * shipment. Shipments of other facilities are ignored.
   */
  readonly palletsOn: (
    place: SlugsOfPlace,
    shipmentIds: ReadonlyArray<ShipmentId>,
    page: PageRequest
  ) => Effect.Effect<Page<LocatedPallet>, StorageUnavailable>
  /** The items of a shipment in id order, over all its orders, and its location; `null` when the shipment does not exist. */
  readonly itemsOf: (
    shipmentId: ShipmentId,
    filter: ItemFilter,
    page: PageRequest,
    reader: ReadonlyArray<ReadScope>
  ) => Effect.Effect<PageOfShipment<ShipmentItem> | null, StorageUnavailable>
  /** The data that the discrepancies of a shipment depend on, and its location; `null` when the shipment does not exist. */
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
   * The numbers and LPNs within the scopes that match a text (`isMeant`): the first of each kind up to the limit, in the order of `rank`.
   * Exact matches are always among them. If many items of a shipment have an LPN, one of them suffices. A store may examine only
   * `searchDepth` inexact entries with the ending of the text at each facility, and may leave them out if exact entries fill the limit.
   * Also the LPNs of at most `longestRemoved` characters that recorded documents removed and did not create again, in the order of
   * `rankedRemoved`, up to the limit.
   */
  readonly search: (
    scopes: ReadonlyArray<ReadScope>,
    filter: SearchFilter,
    limit: number
  ) => Effect.Effect<SearchMatches, StorageUnavailable>
}>()("@dockline/core/shipment/ShipmentStore") {}
