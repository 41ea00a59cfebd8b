/**
 * The order item: a pallet line of an order, keyed by license plate and stock-keeping unit.
 */
import type { CalendarDate } from "../values/Timestamp.ts"

/** Serial numbers of the cases on a pallet. */
export interface CaseSerial {
  readonly id: string
  readonly quantity: number
}

/** An item before it has an id. Absent text is `""`, an absent number 0, an absent flag `false`. */
export interface OrderItemDraft {
  readonly identifier: string
  readonly lpn: string
  readonly sku: string
  readonly quantity: number
  readonly quantityUnit: string
  readonly purchaseOrder: string
  readonly description: string
  readonly upc: string
  readonly weightPerUnit: number
  readonly weightUnit: string
  readonly height: number
  readonly length: number
  readonly width: number
  readonly dimensionUnit: string
  readonly isDangerousGood: boolean
  readonly lot: string
  readonly expirationDate: CalendarDate | ""
  readonly manufacturingDate: CalendarDate | ""
  readonly caseSerials: ReadonlyArray<CaseSerial>
}

/** An item of an order. */
export interface OrderItem extends OrderItemDraft {
  /** A decimal number as a string. */
  readonly id: string
}

/** An item with nothing but its key. */
export const emptyOrderItem: OrderItemDraft = {
  identifier: "",
  lpn: "",
  sku: "",
  quantity: 0,
  quantityUnit: "",
  purchaseOrder: "",
  description: "",
  upc: "",
  weightPerUnit: 0,
  weightUnit: "",
  height: 0,
  length: 0,
  width: 0,
  dimensionUnit: "",
  isDangerousGood: false,
  lot: "",
  expirationDate: "",
  manufacturingDate: "",
  caseSerials: []
}

/** The names of the item-level fields, in the order in which answers show them. */
export const orderItemFieldNames = Object.keys(emptyOrderItem) as ReadonlyArray<keyof OrderItemDraft>

/**
 * The key of an item within its order: lpn and sku compared exactly, case and zeros included (D3.5). The length
 * prefix keeps `("a", "bc")` and `("ab", "c")` apart whatever characters they hold.
 */
export const itemKey = (item: { readonly lpn: string; readonly sku: string }): string =>
  `${item.lpn.length}:${item.lpn}${item.sku}`
