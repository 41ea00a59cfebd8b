/**
 * All declared operations, by the names that methods of the façade and of the client and fields of GraphQL have, and what each
 * does over the services of core.
 */
import type * as Operation from "../access/Operation.ts"
import { getDocument, listDocuments } from "../document/DocumentOperations.ts"
import type { Intake } from "../document/Intake.ts"
import { listExceptions, listShipmentExceptions } from "../exceptions/ExceptionOperations.ts"
import type { Exceptions } from "../exceptions/Exceptions.ts"
import { getPallet, listPallets, listShipmentPallets } from "../movement/PalletOperations.ts"
import type { Pallets } from "../movement/Pallets.ts"
import {
  arriveShipment,
  cancelShipment,
  departShipment,
  getShipment,
  linkShipments,
  listDiscrepancies,
  listItems,
  listOrders,
  listShipments
} from "../movement/ShipmentOperations.ts"
import type { Shipments } from "../movement/Shipments.ts"
import type { Search } from "../search/Search.ts"
import { search } from "../search/SearchOperations.ts"

/** The operations by the names of their methods. */
export const operations = {
  /** The shipment with this id; a shipment that the client may not see counts as missing. */
  shipment: getShipment,
  /** The shipments that the client may see, in id order unless the query says another (D13.10). */
  shipments: listShipments,
  /** The orders that the client may see, in id order. */
  orders: listOrders,
  /** The items of a shipment, in id order (D13.12). */
  items: listItems,
  /** The discrepancies of a shipment; `next` counts those of the pages before (D13.4). */
  discrepancies: listDiscrepancies,
  /** Notes the arrival of a shipment: `{ occurredAt?, dockSlug? }`; `{}` is now, at the expected dock (D6.5). */
  arrive: arriveShipment,
  /** Notes the departure of a shipment, which completes it: `{ occurredAt? }`; `{}` is now (D6.5). */
  depart: departShipment,
  /** Links a shipment to another: `{ linkedShipmentId }` (D6.5). */
  link: linkShipments,
  /** Cancels a shipment, which must be scheduled and not linked, and its orders (D13.9). */
  cancel: cancelShipment,
  /** The pallet with this id on a shipment (D13.2). */
  pallet: getPallet,
  /** The pallets of a shipment, in id order (D13.2). */
  shipmentPallets: listShipmentPallets,
  /** The pallets with an LPN on all shipments that the client may see, newest first (D13.2). */
  pallets: listPallets,
  /** The exceptions of a shipment, in id order (D13.5). */
  shipmentExceptions: listShipmentExceptions,
  /** The exceptions of all shipments that the client may see, newest first (D13.5). */
  exceptions: listExceptions,
  /** What is recorded of the document with this id (D13.6). */
  document: getDocument,
  /** The record of documents at places that the client may see, newest first (D13.6). */
  documents: listDocuments,
  /** What a number or an LPN on paper leads to, at places that the client may see (D13.11). */
  search
} as const

/** The operations by the names of their methods. */
export type Operations = typeof operations

/** What each operation does, by the name of its method. */
export type Handlers = { readonly [Method in keyof Operations]: Operation.Handler<Operations[Method]> }

/** The services whose work the operations do. */
export interface OperationServices {
  readonly intake: Intake["Service"]
  readonly shipments: Shipments["Service"]
  readonly pallets: Pallets["Service"]
  readonly exceptions: Exceptions["Service"]
  readonly search: Search["Service"]
}

/** What each operation does over the services. */
export const handlersOf = (
  { exceptions, intake, pallets, search, shipments }: OperationServices
): Handlers => ({
  shipment: ({ id }, principal) => shipments.get(id, principal),
  shipments: shipments.list,
  orders: shipments.listOrders,
  items: ({ id, ...query }, principal) => shipments.items(id, query, principal),
  discrepancies: ({ id, ...query }, principal) => shipments.discrepancies(id, query, principal),
  arrive: ({ body, id }, principal) => shipments.arrive(id, body, principal),
  depart: ({ body, id }, principal) => shipments.depart(id, body, principal),
  link: ({ body: { linkedShipmentId }, id }, principal) => shipments.link(id, linkedShipmentId, principal),
  cancel: ({ id }, principal) => shipments.cancel(id, principal),
  pallet: ({ id, palletId }, principal) => pallets.get(id, palletId, principal),
  shipmentPallets: ({ id, ...page }, principal) => pallets.ofShipment(id, page, principal),
  pallets: pallets.list,
  shipmentExceptions: ({ id, ...page }, principal) => exceptions.ofShipment(id, page, principal),
  exceptions: exceptions.list,
  document: ({ id }, principal) => intake.record(id, principal),
  documents: intake.records,
  search: search.search
})
