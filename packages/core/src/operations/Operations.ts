/**
 * All declared operations of the contract. Their names are the method names of the façade and the client, and the field names of GraphQL.
 */
import type * as Operation from "../access/Operation.ts"
import { getDocument, listDocuments, submitDocument } from "../document/DocumentOperations.ts"
import { listMessages } from "../messages/MessageView.ts"
import {
  getPallet,
  listPallets,
  listShipmentPallets,
  recordPalletEvent
} from "../movement/PalletOperations.ts"
import {
  arriveShipment,
  cancelShipment,
  checkInShipment,
  departShipment,
  dockBoard,
  getShipment,
  linkShipments,
  listDiscrepancies,
  listItems,
  listOrders,
  listShipments
} from "../movement/ShipmentOperations.ts"
import { search } from "../search/SearchHit.ts"

/** The operations by the names of their methods. */
export const operations = {
  /** Submits a document, in JSON or XML (document intake; D2, D3). */
  submit: submitDocument,
  /** The shipment with this id; a shipment that the client may not see counts as missing. */
  shipment: getShipment,
  /** The shipments that the client may see, by default in id order (D13.10). */
  shipments: listShipments,
  /** The orders that the client may see, in id order. */
  orders: listOrders,
  /** The items of a shipment, in id order (D13.12). */
  items: listItems,
  /** The discrepancies of a shipment; `next` is their number up to this page (D13.4). */
  discrepancies: listDiscrepancies,
  /** Notes the arrival of a shipment: `{ occurredAt?, dockSlug? }`; `{}` is now, at the expected dock (D6.5). */
  arrive: arriveShipment,
  /** Notes the departure of a shipment, which completes it: `{ occurredAt? }`; `{}` is now (D6.5). */
  depart: departShipment,
  /** Notes a step of the check-in of a shipment: `{ step, occurredAt?, dockSlug? }` (D17.3). */
  checkIn: checkInShipment,
  /** Links a shipment to another: `{ linkedShipmentId }` (D6.5). */
  link: linkShipments,
  /** Cancels a shipment, which must be scheduled and not linked, and its orders (D13.9). */
  cancel: cancelShipment,
  /** Records that a pallet has crossed a dock; a repeat of the same `eventId` changes nothing (D6.1). */
  recordPallet: recordPalletEvent,
  /** The pallet with this id on a shipment (D13.2). */
  pallet: getPallet,
  /** The pallets of a shipment, in id order (D13.2). */
  shipmentPallets: listShipmentPallets,
  /** The pallets with an LPN on all shipments that the client may see, newest first (D13.2). */
  pallets: listPallets,
  /** The record of the document with this id (D13.6). */
  document: getDocument,
  /** The record of documents at places that the client may see, newest first (D13.6). */
  documents: listDocuments,
  /** A page of messages, ascending by id; `next` is the `afterId` of the next page (D13.3). */
  messages: listMessages,
  /** Finds entities by a number or an LPN on paper, at places that the client may see (D13.11). */
  search,
  /** The dock board of a facility: shipments at docks, expected next, and departed today (D13.15). */
  dockBoard
} as const

/** The operations by the names of their methods. */
export type Operations = typeof operations

/** The methods of the operations of a kind. */
export type MethodOf<Kind extends Operation.Any> = {
  readonly [Method in keyof Operations]: Operations[Method] extends Kind ? Method : never
}[keyof Operations]
