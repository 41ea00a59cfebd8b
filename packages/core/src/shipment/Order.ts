/**
 * The order: what a customer calls by `orderNumber`, on exactly one shipment at a time.
 */
import * as Row from "../values/FieldTable.ts"
import type { OrderStatus } from "../values/Vocabulary.ts"
import type { OrderItem } from "./OrderItem.ts"

/** The fields of an order. A new one is a row here, the last, and a migration that adds its column (see `OrderItem.ts`). */
export const orderFields = {
  orderType: Row.text("Kind of the order"),
  purchaseOrder: Row.text("Purchase order"),
  consigneeName: Row.text("Name of the consignee"),
  consigneePhoneNumber: Row.text("Telephone number of the consignee"),
  bolNumber: Row.text("Bill of lading number"),
  expectedQuantity: Row.wholeAmount("Expected quantity; 0 in a document changes nothing"),
  carrier: Row.text("Carrier of the shipment and of its orders"),
  sealNumber: Row.text("Seal number"),
  supplier: Row.text("Supplier"),
  client: Row.text("Client"),
  destination: Row.text("Destination")
} satisfies Row.Table

/** What a document can set on an order. Absent text is `""`, an absent quantity 0. */
export interface OrderFields extends Row.Values<typeof orderFields> {}

/** The order-level fields without a value. */
export const emptyOrderFields: OrderFields = Row.emptyOf(orderFields)

/** The names of the order-level fields, in the order in which answers show them. */
export const orderFieldNames: ReadonlyArray<keyof OrderFields> = Row.namesOf(orderFields)

/** An order before it has an id. */
export interface OrderDraft extends OrderFields {
  readonly number: string
  readonly status: OrderStatus
  readonly direction: string
  /** Whose it is, if it is somebody's (`Ownership.ts`). */
  readonly owner?: string
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
