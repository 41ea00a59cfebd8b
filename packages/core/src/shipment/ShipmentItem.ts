/**
 * The items of a shipment, over all its orders, and what narrows a list of them (D13.12).
 *
 * Guarantee: a list holds what {@link isAskedFor} says, whatever a storage indexes.
 */
import { lpnKey, soughtLpn } from "../labels/Lpn.ts"
import { foldText } from "./Found.ts"
import type { OrderItem } from "./OrderItem.ts"

/** An item with the order that it belongs to. */
export interface ShipmentItem {
  readonly item: OrderItem
  /** A decimal number as a string. */
  readonly orderId: string
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
