/** The fields of documents that a column may have: those of shipments, of orders and of items with a single value. */
import { itemFields } from "@dockline/core/shipment/OrderItem"
import { driverFieldNames, orderFields, shipmentFieldNames } from "@dockline/core/shipment/Shipment"
import type { Kind } from "@dockline/core/values/FieldTable"

/** The level of a field: the document, one of its orders, or an item. */
export type Level = "shipment" | "order" | "item"

/** A field that a column may have. */
export interface MappedField {
  /** Its name in mappings: that in documents, except for `itemPurchaseOrder`. */
  readonly name: string
  /** Its name in documents. */
  readonly path: string
  readonly level: Level
  readonly kind: Exclude<Kind, "list">
}

const field = (level: Level, path: string, kind: Kind = "text", name = path): ReadonlyArray<MappedField> =>
  kind === "list" ? [] : [{ name, path, level, kind }]

/** The fields, those of shipments first. */
export const mappedFields: ReadonlyArray<MappedField> = [
  ...[
    "shipmentNumber",
    "direction",
    "expectedArrivalAt",
    ...shipmentFieldNames,
    "dockSlug",
    ...driverFieldNames
  ]
    .flatMap((name) => field("shipment", name)),
  ...field("order", "orderNumber"),
  // The carrier of an order is that of its shipment.
  ...Object.entries(orderFields).filter(([name]) => name !== "carrier")
    .flatMap(([name, { kind }]) => field("order", name, kind)),
  ...Object.entries(itemFields).flatMap(([name, { kind }]) =>
    field("item", name, kind, name === "purchaseOrder" ? "itemPurchaseOrder" : name)
  )
]

/** The fields by their names. */
export const fieldsByName: ReadonlyMap<string, MappedField> = new Map(
  mappedFields.map((each) => [each.name, each])
)

/** The names of the fields. */
export const fieldNames: ReadonlyArray<string> = mappedFields.map(({ name }) => name)
