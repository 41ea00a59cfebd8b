/**
 * The items of a shipment, over all its orders, with the filter of their list (D13.12), and the rule by which a search for a number or an
 * LPN finds and orders entries (D13.11).
 *
 * Guarantee: {@link isAskedFor} selects the items of a list and {@link isMeant} the hits of a search, regardless of the indexes of a
 * storage.
 */
import { lpnKey, soughtLpn, visibleLpn } from "../labels/Lpn.ts"
import type { Location } from "../places/Place.ts"
import type { OrderId, ShipmentId } from "../values/Id.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import type { OrderItem } from "./Shipment.ts"

/** The kinds that are searched, in the order in which hits are shown. A removal is a document that removed an LPN. */
export const searchKinds = ["SHIPMENT", "TRAILER", "ORDER", "PALLET", "ITEM", "REMOVAL"] as const

/** A kind that is searched. */
export type SearchKind = (typeof searchKinds)[number]

/** A hit of a storage: a number or an LPN, and its shipment. */
export interface SearchEntry {
  readonly kind: Exclude<SearchKind, "REMOVAL">
  /** The id of the shipment, order, pallet or item; a larger id is a newer one. */
  readonly id: number
  /** The number or the LPN, in its stored form. */
  readonly text: string
  readonly location: Location
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly status: ShipmentStatus
  /** The numbers of missing and of unexpected pallets of the shipment. */
  readonly missingPallets: number
  readonly unexpectedPallets: number
  /** The number of the order, or of the order of the item; otherwise `""`. */
  readonly orderNumber: string
}

/** The hits of a storage for a text. */
export interface SearchMatches {
  /** The first entries of each kind in the order of {@link rank}. An LPN of a shipment may appear as a pallet and as an item. */
  readonly entries: ReadonlyArray<SearchEntry>
  /** The LPNs that recorded documents removed, each once, in the order of {@link rankedRemoved}. */
  readonly removed: ReadonlyArray<string>
}

/** The longest removed LPN, in characters, that a search finds. */
export const longestRemoved = 512

/** A text with at least this many characters also finds numbers that end with it. */
export const endingLength = 6

/**
 * The most inexact entries with an ending that a storage examines for each kind and facility: the newest entries, and for items any of
 * them. Exact matches are always found.
 */
export const searchDepth = 1000

/** The text with the letters A to Z in lower case, as SQL folds it in the collation "C". */
const fold = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * The search text of a typed or scanned text: without invisible characters and without spaces around it and after `(00)`; a form of an SSCC
 * becomes its digits (D22).
 */
export const normalizedQuery = (text: string): string =>
  lpnKey(visibleLpn(text.trim()).trim().replace(/^\(00\)\s+/, "(00)"))

/** The text of an entry for comparison: for an LPN its key (D22). */
export const comparedText = ({ kind, text }: { readonly kind: SearchKind; readonly text: string }): string =>
  kind === "PALLET" || kind === "ITEM" ? lpnKey(text) : text

/** The folded end of a text. All matches of a text have the same end, so a storage may index it. */
export const endingOf = (text: string): string => fold(Array.from(text).slice(-endingLength).join(""))

/** The whole text, folded. */
export const foldText = fold

/** Whether a number or LPN matches a query: it equals the query or ends with it, ignoring case. */
export const isMeant = (query: string, text: string): boolean => {
  const [words, candidate] = [fold(query), fold(text)]
  return candidate === words || (Array.from(query).length >= endingLength && candidate.endsWith(words))
}

/** The rank of a match: 0 if the text equals the query, 1 if it differs in case, 2 if only its end is equal. */
const distanceOf = (query: string, text: string): number =>
  text === query ? 0 : fold(text) === fold(query) ? 1 : 2

/** Sorts removed LPNs, which come newest first, in the order of hits. */
export const rankedRemoved = (query: string, lpns: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(new Set(lpns))
    .filter((lpn) => isMeant(query, lpn))
    .toSorted((left, right) => distanceOf(query, left) - distanceOf(query, right))

/**
 * Sorts entries in the order of hits: exact ones, then those that differ in case, then those with the same end; among these by kind, then
 * the newest, and for items the items of the newest shipment. An LPN is one entry for each shipment: a pallet that was seen there, else an
 * item.
 *
 * The first entries overall are among the first entries of each kind, so a storage need not return more than these.
 */
export const rank = (
  query: string,
  entries: ReadonlyArray<SearchEntry>,
  limit: number
): ReadonlyArray<SearchEntry> => {
  const keys = new Set<string>()
  return entries
    .filter((entry) => isMeant(query, comparedText(entry)))
    .toSorted((left, right) =>
      distanceOf(query, comparedText(left)) - distanceOf(query, comparedText(right)) ||
      searchKinds.indexOf(left.kind) - searchKinds.indexOf(right.kind) ||
      (left.kind === "ITEM" ? right.shipmentId - left.shipmentId : 0) || right.id - left.id
    )
    .filter((entry) => {
      const { id, kind, shipmentId } = entry
      const isLpn = kind === "PALLET" || kind === "ITEM"
      const key = JSON.stringify(isLpn ? [shipmentId, comparedText(entry)] : [kind, id])
      return !keys.has(key) && keys.add(key)
    })
    .slice(0, limit)
}

/** Merges hits of entries and of removed LPNs, both in order, into one list with exact hits first. */
export const rankedTogether = <Hit extends { readonly kind: SearchKind; readonly text: string }>(
  query: string,
  hits: ReadonlyArray<Hit>
): ReadonlyArray<Hit> =>
  hits.toSorted((left, right) =>
    distanceOf(query, comparedText(left)) - distanceOf(query, comparedText(right))
  )

/** An item with the order that it belongs to. */
export interface ShipmentItem {
  readonly item: OrderItem
  /** A decimal number as a string. */
  readonly orderId: OrderId
  readonly orderNumber: string
}

/** Narrows a list of the items of a shipment; `undefined` does not narrow. */
export interface ItemFilter {
  /** Items of the order with this id; none if the order is on another shipment. */
  readonly orderId: number | undefined
  /** Items with this text in one of the {@link soughtTexts}, ignoring the case of the letters A to Z. */
  readonly find: string | undefined
  /** With `true`, only items with an LPN that no pallet of the shipment has. */
  readonly unseen: boolean | undefined
}

/** The fields of an item that the filter searches. */
export const soughtTexts = ["lpn", "sku", "description", "lot", "purchaseOrder"] as const

/** The text to look for: for a form of an SSCC its digits, which all forms contain (D22). */
export const soughtText = (text: string): string => lpnKey(soughtLpn(text))

/** Whether a filter selects an item of a shipment. `keys` are the keys of the LPNs of the pallets of the shipment. */
export const isAskedFor = (
  { item, orderId }: ShipmentItem,
  filter: ItemFilter,
  keys: ReadonlySet<string>
): boolean => {
  const { find, unseen } = filter
  return (filter.orderId === undefined || String(filter.orderId) === orderId) &&
    (find === undefined ||
      soughtTexts.some((name) => foldText(item[name]).includes(foldText(soughtText(find))))) &&
    (unseen !== true || (item.lpn !== "" && !keys.has(lpnKey(item.lpn))))
}
