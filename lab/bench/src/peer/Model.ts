/**
 * What the peer works with: documents after validation, and rows as `postgres` returns them, in camel case.
 */

/** A named value on a shipment. */
export interface AdditionalField {
  readonly name: string
  readonly value: string
}

/** The fields of an item that a document gives; what is absent is `""`, 0, `false` or `[]`. */
export interface ItemFields {
  identifier: string
  lpn: string
  sku: string
  quantity: number
  quantityUnit: string
  purchaseOrder: string
  description: string
  upc: string
  weightPerUnit: number
  weightUnit: string
  height: number
  length: number
  width: number
  dimensionUnit: string
  isDangerousGood: boolean
  lot: string
  expirationDate: string
  manufacturingDate: string
  caseSerials: ReadonlyArray<{ readonly id: string; readonly quantity: number }>
}

/** An item of an order. */
export interface ItemRow extends ItemFields {
  readonly id: string
  readonly orderId: string
}

/** The order-level fields. */
export interface OrderFields {
  orderType: string
  purchaseOrder: string
  consigneeName: string
  consigneePhoneNumber: string
  bolNumber: string
  expectedQuantity: number
  carrier: string
  sealNumber: string
  supplier: string
  client: string
  destination: string
}

/** An order without its items. */
export interface OrderRow extends OrderFields {
  readonly id: string
  readonly shipmentId: string
  readonly number: string
  readonly status: string
  readonly direction: string
  readonly createdAt: Date
}

/** A shipment without its orders. */
export interface ShipmentRow {
  readonly id: string
  readonly number: string
  readonly status: "SCHEDULED" | "ARRIVED" | "DEPARTED"
  readonly direction: string
  readonly expectedArrivalAt: Date
  readonly scheduledAt: Date
  readonly arrivedAt: Date | null
  readonly departedAt: Date | null
  readonly trailerNumber: string
  readonly carrier: string
  readonly dockId: string | null
  readonly dockSlug: string | null
  readonly additionalFields: ReadonlyArray<AdditionalField>
  readonly isLinked: boolean
  /** The pallets seen so far, with the direction of their first and last event. */
  readonly pallets: ReadonlyArray<readonly [lpn: string, first: string, last: string]>
}

/** One order of a document. */
export interface DocumentOrder {
  readonly orderNumber: string
  readonly strategy: Strategy
  readonly fields: OrderFields
  readonly items: ReadonlyArray<ItemFields>
}

/** How a document's items change those of the order. */
export type Strategy = "APPEND" | "MERGE" | "DELETE" | "OVERWRITE"

/** A valid document. */
export interface Document {
  readonly business: string
  readonly facility: string
  readonly direction: string
  readonly shipmentNumber: string
  readonly expectedArrivalAt: Date | null
  readonly trailerNumber: string
  readonly dockSlug: string
  readonly carrier: string
  readonly additionalFields: ReadonlyArray<AdditionalField>
  readonly orders: ReadonlyArray<DocumentOrder>
}

/** Where a document belongs, read under the locks. */
export interface Place {
  readonly businessSlug: string
  readonly businessName: string
  readonly facilitySlug: string
  readonly facilityName: string
  /** The dock that the document names, if there is one. */
  readonly dockId: string | null
}

/** Everything a document is judged by, read under the locks. */
export interface Snapshot {
  readonly place: Place
  readonly shipments: ReadonlyArray<ShipmentRow>
  readonly orders: ReadonlyArray<OrderRow>
  readonly items: ReadonlyArray<ItemRow>
}

/** lpn + sku as one key; the length keeps `("a", "bc")` and `("ab", "c")` apart. */
export const itemKey = ({ lpn, sku }: { readonly lpn: string; readonly sku: string }): string =>
  `${lpn.length}:${lpn}${sku}`
