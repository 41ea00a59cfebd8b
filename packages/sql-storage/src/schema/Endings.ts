/** How SQL finds numbers and LPNs: whole, and by their ends as core compares them (`Found.ts`). */
import { endingLength } from "@dockline/core/shipment/Found"

/** A text with small letters instead of the letters A to Z. */
export const folded = (text: string): string => `lower(${text} collate "C")`

/** The folded end of a text, which an index holds. */
export const ending = (text: string): string => `(${folded(`right(${text}, ${endingLength})`)})`

/**
 * The LPN of an item as LPNs are compared (core's `lpnKey`, D22). Core writes the key, as it alone knows the rule, and only where it
 * is not the LPN itself: it is null for almost all items.
 */
export const itemLpn = (item: string): string => `coalesce(${item}.lpn_key, ${item}.lpn)`

/** The LPN of a pallet as LPNs are compared: its index key has it, unless that is a hash of a long one (`IndexKey.ts`). */
export const palletLpn = (pallet: string): string =>
  `(case when ${pallet}.lpn_key like '=%' then substr(${pallet}.lpn_key, 2) else ${pallet}.lpn end)`

const half = 4_294_967_296

/**
 * A hash of an LPN, in whose order LPNs with the same ending stand together: one index finds an LPN by all of it, and by its
 * end. The hash stands for a text of up to 4 KiB, which fits no B-tree row.
 */
export const lpnHash = (lpn: string): string => {
  const [start] = hashesOf(ending(lpn))
  return `(${start} + (hashtextextended(${lpn}, 0) & ${half - 1}))`
}

/** A hash of a text at a facility, by which an index finds the items of the facility with that lot or SKU. */
export const traceHash = (text: string, facility = "facility_id"): string =>
  `hashtextextended(${text}, ${facility})`

/** A hash of the number of a trailer, by which an index finds the shipments of a facility with that trailer. */
export const trailerHash = (trailer: string): string => `hashtextextended(${trailer}, 0)`

/** The least and the greatest {@link lpnHash} of LPNs with an ending. */
export const hashesOf = (ending: string): readonly [least: string, greatest: string] => {
  const least = `(hashtextextended(${ending}, 0) & ${half / 2 - 1}) * ${half}`
  return [least, `${least} + ${half - 1}`]
}

/** The keys that a pallet with an LPN may have (`IndexKey.ts`): that of a short LPN, and that of a long one. */
export const keysOfLpn = (lpn: string): ReadonlyArray<string> => [
  `'=' || ${lpn}`,
  `'#' || encode(sha256(convert_to(${lpn}, 'UTF8')), 'hex')`
]
