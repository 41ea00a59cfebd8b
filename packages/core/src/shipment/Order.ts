/**
 * The order: what a customer calls by `orderNumber`, on exactly one shipment at a time.
 */
import type { OrderStatus } from "../values/Vocabulary.ts"
import type { OrderItem } from "./OrderItem.ts"

/** What a document can set on an order. Absent text is `""`, an absent quantity 0. */
export interface OrderFields {
  readonly orderType: string
  readonly purchaseOrder: string
  readonly consigneeName: string
  readonly consigneePhoneNumber: string
  readonly bolNumber: string
  readonly expectedQuantity: number
  readonly carrier: string
  readonly sealNumber: string
  readonly supplier: string
  readonly client: string
  readonly destination: string
}

/** The order-level fields without a value. */
export const emptyOrderFields: OrderFields = {
  orderType: "",
  purchaseOrder: "",
  consigneeName: "",
  consigneePhoneNumber: "",
  bolNumber: "",
  expectedQuantity: 0,
  carrier: "",
  sealNumber: "",
  supplier: "",
  client: "",
  destination: ""
}

/** The names of the order-level fields, in the order in which answers show them. */
export const orderFieldNames = Object.keys(emptyOrderFields) as ReadonlyArray<keyof OrderFields>

/** An order before it has an id. */
export interface OrderDraft extends OrderFields {
  readonly number: string
  readonly status: OrderStatus
  readonly direction: string
}

/** An order without its items. */
export interface OrderHeader extends OrderDraft {
  /** A decimal number as a string. */
  readonly id: string
}

/** An order with its items, in id order. */
export interface Order extends OrderHeader {
  readonly items: ReadonlyArray<OrderItem>
}
