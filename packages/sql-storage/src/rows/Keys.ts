/**
 * Keys of rows: the ids of businesses, and texts of any allowed length in unique indexes.
 *
 * The id of a business is computed from its slug, here as in the table `business`, so that no statement has to look it up, and a restored
 * database has the same ids. A number, lpn or sku may take 4 KiB in UTF-8, but a B-tree row holds at most 2.7 KiB. A short text is its own
 * key, with the prefix `=`; a long one has its SHA-256, with the prefix `#`. So no text has the key of another.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { itemKey } from "@dockline/core/shipment/OrderItem"
import type { KeyedItem } from "@dockline/core/shipment/OrderItem"
import { createHash } from "node:crypto"

/** The most ids of businesses that are remembered; a request needs the one of its business several times. */
const capacity = 1000

const businessIds = new Map<string, string>()

/** The id of a business: the first 60 bits of the SHA-256 of its slug, as a decimal number. */
export const businessId = (slug: string): string => {
  const present = businessIds.get(slug)
  if (present !== undefined) return present
  const id = BigInt(`0x${createHash("sha256").update(slug).digest("hex").slice(0, 15)}`).toString()
  if (businessIds.size >= capacity) businessIds.clear()
  businessIds.set(slug, id)
  return id
}

/** Texts up to this many UTF-16 units (at most 1.5 KiB in UTF-8) are indexed as they are. */
const longestReadable = 512

/** The key that stands for a text in an index. */
export const indexKey = (text: string): string =>
  text.length <= longestReadable ? `=${text}` : `#${createHash("sha256").update(text).digest("hex")}`

/** The key that stands for an LPN in an index. */
export const lpnIndexKey = (lpn: string): string => indexKey(lpnKey(lpn))

/** The key that stands for an item within its order. */
export const itemIndexKey = (item: KeyedItem): string => indexKey(itemKey(item))
