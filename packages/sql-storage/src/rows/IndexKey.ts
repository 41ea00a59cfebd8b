/**
 * Index keys: texts of any allowed length in unique indexes.
 *
 * A number, lpn or sku may take 4 KiB in UTF-8, but a B-tree row holds at most 2.7 KiB. A short text is its own key, with the
 * prefix `=`; a long one has its SHA-256, with the prefix `#`. So no text has the key of another.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import { itemKey } from "@dockline/core/shipment/OrderItem"
import type { KeyedItem } from "@dockline/core/shipment/OrderItem"
import { createHash } from "node:crypto"

/** Texts up to this many UTF-16 units (at most 1.5 KiB in UTF-8) are indexed as they are. */
const longestReadable = 512

/** The key that stands for a text in an index. */
export const indexKey = (text: string): string =>
  text.length <= longestReadable ? `=${text}` : `#${createHash("sha256").update(text).digest("hex")}`

/** The key that stands for an LPN in an index. */
export const lpnIndexKey = (lpn: string): string => indexKey(lpnKey(lpn))

/** The key that stands for an item within its order. */
export const itemIndexKey = (item: KeyedItem): string => indexKey(itemKey(item))
