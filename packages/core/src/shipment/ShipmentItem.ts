/**
 * The items of a shipment, over all its orders, and what narrows a list of them (D13.12). And the rule by which a number or an
 * LPN on paper finds entries, with the order of the hits (D13.11).
 *
 * Guarantee: a list holds what {@link isAskedFor} says and a search finds what {@link isMeant} says, whatever a storage
 * indexes.
 */
import { lpnKey, soughtLpn, visibleLpn } from "../labels/Lpn.ts"
import type { Location } from "../places/Place.ts"
import type { OrderId, ShipmentId } from "../values/Id.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import type { OrderItem } from "./OrderItem.ts"

/** The kinds that are searched, in the order in which hits are shown. A removal is a document that removed an LPN. */
export const searchKinds = ["SHIPMENT", "TRAILER", "ORDER", "PALLET", "ITEM", "REMOVAL"] as const

/** A kind that is searched. */
export type SearchKind = (typeof searchKinds)[number]

/** What a storage finds: a number or an LPN, and the shipment that it leads to. */
export interface SearchEntry {
  readonly kind: Exclude<SearchKind, "REMOVAL">
  /** The id of the shipment, order, pallet or item; a larger id is a newer one. */
  readonly id: number
  /** The number or the LPN, as it is written there. */
  readonly text: string
  readonly location: Location
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly status: ShipmentStatus
  /** How many expected pallets of the shipment have not passed, and how many have that are not expected. */
  readonly missingPallets: number
  readonly unexpectedPallets: number
  /** The number of the order, or of the order of the item; otherwise `""`. */
  readonly orderNumber: string
}

/** What a storage finds by a text. */
export interface SearchMatches {
  /** Of each kind the first in the order of {@link rank}; an LPN of a shipment may be there as a pallet and as an item. */
  readonly entries: ReadonlyArray<SearchEntry>
  /** The LPNs that documents of the record removed: each once, in the order of {@link rankedRemoved}. */
  readonly removed: ReadonlyArray<string>
}

/** The longest LPN, in characters, that is found after a document has removed it. */
export const longestRemoved = 512

/** From so many characters on, a text also finds what ends with it. */
export const endingLength = 6

/**
 * The most entries of an ending that a storage looks at for what is not exactly the text, of each kind and facility: the newest, and
 * of items any. What is exactly the text is always found.
 */
export const searchDepth = 1000

/** The text with small letters instead of the letters A to Z, as SQL folds it in the collation "C". */
const fold = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * What a typed or scanned text asks for: without spaces around it and after `(00)` and without what cannot be seen, and of a form of an
 * SSCC its digits (D22).
 */
export const normalizedQuery = (text: string): string =>
  lpnKey(visibleLpn(text.trim()).trim().replace(/^\(00\)\s+/, "(00)"))

/** The text of what is found as it is compared: an LPN by its key (D22). */
export const comparedText = ({ kind, text }: { readonly kind: SearchKind; readonly text: string }): string =>
  kind === "PALLET" || kind === "ITEM" ? lpnKey(text) : text

/** The end of a text, folded: what is meant by a text has the same. A storage may index it. */
export const endingOf = (text: string): string => fold(Array.from(text).slice(-endingLength).join(""))

/** The whole text, folded. */
export const foldText = fold

/** Whether a number or LPN is meant by what was asked: it is the same but for its case, or ends with it. */
export const isMeant = (query: string, text: string): boolean => {
  const [words, candidate] = [fold(query), fold(text)]
  return candidate === words || (Array.from(query).length >= endingLength && candidate.endsWith(words))
}

/** How exactly a text is meant: as it was asked for, in another case, or by its end. */
const distanceOf = (query: string, text: string): number =>
  text === query ? 0 : fold(text) === fold(query) ? 1 : 2

/** Removed LPNs, which are given with the newest first, in the order in which hits are shown. */
export const rankedRemoved = (query: string, lpns: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(new Set(lpns))
    .filter((lpn) => isMeant(query, lpn))
    .toSorted((left, right) => distanceOf(query, left) - distanceOf(query, right))

/**
 * Entries in the order in which hits are shown: exact ones, then those in another case, then those with the end; among these by kind,
 * then the newest, and of items those of the newest shipment. An LPN is one entry for each shipment: a pallet that was seen there, else an item.
 *
 * The first entries of each kind have all of the first entries of the whole, so a storage need not give more than these.
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

/** Hits of entries and of removed LPNs, each in its order, as one list: what is exact stays first. */
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
  /** Items of the order of this id; an order of another shipment has none here. */
  readonly orderId: number | undefined
  /** Items one of whose {@link soughtTexts} holds this text, without regard to the case of the letters A to Z. */
  readonly find: string | undefined
  /** With `true`, only items with an LPN that no pallet of the shipment has. */
  readonly unseen: boolean | undefined
}

/** The texts of an item in which people look for it. */
export const soughtTexts = ["lpn", "sku", "description", "lot", "purchaseOrder"] as const

/** What is looked for by a text: of a form of an SSCC its digits, which all forms hold (D22). */
export const soughtText = (text: string): string => lpnKey(soughtLpn(text))

/** Whether an item of a shipment is among those that a filter leaves; `seen` are the keys of the LPNs of the pallets of the shipment. */
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
