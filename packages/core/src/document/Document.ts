/**
 * The document, free of any wire: one shipment, its orders, and what to do with their items.
 *
 * Every field has a value: what a client left out or sent empty is `""`, 0, `false` or `[]`, because both mean the
 * same to every rule (a given non-empty, non-zero value replaces, D3.6, D3.7).
 */
import type { OrderFields } from "../shipment/Order.ts"
import type { OrderItemDraft } from "../shipment/OrderItem.ts"
import type { AdditionalField, shipmentFields } from "../shipment/Shipment.ts"
import type * as Row from "../values/FieldTable.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** One order of a document. */
export interface DocumentOrder {
  readonly orderNumber: string
  /** The name of the item update strategy. */
  readonly strategy: string
  readonly fields: OrderFields
  readonly items: ReadonlyArray<OrderItemDraft>
}

/** A document: one shipment and at least one order. */
export interface Document extends Row.Values<typeof shipmentFields> {
  readonly business: string
  readonly facility: string
  readonly direction: string
  /** The shipment number, already defaulted to the order number. */
  readonly shipmentNumber: string
  readonly expectedArrivalAt: Timestamp | null
  readonly dockSlug: string
  readonly additionalFields: ReadonlyArray<AdditionalField>
  readonly orders: ReadonlyArray<DocumentOrder>
}

/** How many items a document holds, over all its orders. */
export const itemCount = (document: Document): number =>
  document.orders.reduce((sum, order) => sum + order.items.length, 0)
