/**
 * The order item: a pallet line of an order, keyed by license plate and stock-keeping unit, or loose goods without a license plate, keyed
 * by identifier and stock-keeping unit. Also the references by which `created`, `updated` and `removed` name shipments, orders and items
 * (WIRE.md, reference rules).
 */
import { Schema } from "effect"
import { isSameLpn, lpnKey } from "../labels/Lpn.ts"
import * as Field from "../values/Field.ts"
import { shownText } from "../values/Field.ts"
import * as FieldTable from "../values/FieldTable.ts"
import type { ItemId, OrderId, ShipmentId } from "../values/Id.ts"

/** The fields of a case serial. */
const caseSerialFields = {
  id: FieldTable.key("Serial number of the case"),
  quantity: FieldTable.wholeAmount("How many units the case holds")
}

/**
 * The fields of an item. A new field needs a row at the end of this table, and a migration that adds a column with its name in snake case.
 * Both must come last, because during an update instances of the previous version may still read rows by position.
 */
export const itemFields = {
  identifier: FieldTable.identifier("Item reference; not used for matching"),
  lpn: FieldTable.lpn(
    "License plate of the pallet; part of the item key. All forms in which scanners send one SSCC are the same"
  ),
  sku: FieldTable.visibleKey("Stock-keeping unit; part of the item key"),
  quantity: FieldTable.amount("Quantity, at least 0"),
  quantityUnit: FieldTable.word("quantityUnits", "Unit of quantity"),
  purchaseOrder: FieldTable.text("Purchase order of the item"),
  description: FieldTable.text("What it is"),
  upc: FieldTable.text("Universal product code"),
  weightPerUnit: FieldTable.amount("Weight of one unit"),
  weightUnit: FieldTable.word("weightUnits", "Unit of weightPerUnit"),
  height: FieldTable.amount("Height, in dimensionUnit"),
  length: FieldTable.amount("Length, in dimensionUnit"),
  width: FieldTable.amount("Width, in dimensionUnit"),
  dimensionUnit: FieldTable.word("dimensionUnits", "Unit of height, length and width"),
  isDangerousGood: FieldTable.flag("Whether it is a dangerous good"),
  lot: FieldTable.text("Lot number"),
  expirationDate: FieldTable.date("Date of expiration"),
  manufacturingDate: FieldTable.date("Date of manufacturing"),
  caseSerials: FieldTable.list(caseSerialFields, Field.maxCaseSerials, "Serial numbers of the cases")
} satisfies FieldTable.Table

/** The serial number of a case on a pallet, and the quantity of the case. */
export type CaseSerial = FieldTable.Values<typeof caseSerialFields>

/** An item before it has an id. Absent text is `""`, an absent number 0, an absent flag `false`. */
export interface OrderItemDraft extends FieldTable.Values<typeof itemFields> {}

/** An item of an order. */
export interface OrderItem extends OrderItemDraft {
  readonly id: ItemId
}

/** An item whose fields are all empty. */
export const emptyOrderItem: OrderItemDraft = FieldTable.emptyOf(itemFields)

/** The names of the item-level fields, in the order in which answers show them. */
export const orderItemFieldNames: ReadonlyArray<keyof OrderItemDraft> = FieldTable.namesOf(itemFields)

/** The fields that identify an item within its order. */
export type KeyedItem = Pick<OrderItemDraft, "identifier" | "lpn" | "sku">

/** The names of the fields of an item that a document can change. The lpn of an item keeps the form in which it was first sent (D22). */
export const changeableItemFields = orderItemFieldNames.filter((name) => itemFields[name].kind !== "key")

/**
 * The key of an item within its order, compared exactly, case and zeros included: lpn and sku (D3.5), and identifier and sku of an item
 * without an lpn (D17.2). All forms of an SSCC are one lpn (D22). The length prefix keeps `("a", "bc")` and `("ab", "c")` apart, whatever
 * characters they hold. The prefix `@` keeps items without an lpn apart from all others.
 */
export const itemKey = ({ identifier, lpn, sku }: KeyedItem): string => {
  if (lpn === "") return `@${identifier.length}:${identifier}${sku}`
  const key = lpnKey(lpn)
  return `${key.length}:${key}${sku}`
}

/** Whether two items have the same {@link itemKey}. */
export const haveSameKey = (one: KeyedItem, other: KeyedItem): boolean =>
  one.sku === other.sku && isSameLpn(one.lpn, other.lpn) &&
  (one.lpn !== "" || one.identifier === other.identifier)

/** A reference to one entity that a document touched. Ids are strings in references (D1.5). */
export const EntityReference = Schema.Struct({
  type: Schema.Literals(["SHIPMENT", "ORDER", "ORDER_ITEM"]).annotate({ description: "What it is" }),
  id: shownText("Id of the entity; empty in a dry run for an entity that would be created"),
  reference: Schema.String.annotate({
    description: "Shipment number, order number, or the item's identifier, else its lpn, else its sku"
  })
}).annotate({
  identifier: "EntityReference",
  description: "A shipment, order or item that a document touched."
})

export type EntityReference = typeof EntityReference.Type

/** The reference to a shipment: its number, which defaults to the order number. */
export const shipmentReference = (
  shipment: { readonly id: ShipmentId | ""; readonly number: string }
): EntityReference => ({
  type: "SHIPMENT",
  id: String(shipment.id),
  reference: shipment.number
})

/** The reference to an order: its number. */
export const orderReference = (
  order: { readonly id: OrderId; readonly number: string }
): EntityReference => ({
  type: "ORDER",
  id: order.id,
  reference: order.number
})

/** The reference to an item: its identifier, else its lpn, else its sku. */
export const itemReference = (
  item: Pick<OrderItemDraft, "identifier" | "lpn" | "sku"> & { readonly id: ItemId }
): EntityReference => ({
  type: "ORDER_ITEM",
  id: item.id,
  reference: item.identifier || item.lpn || item.sku
})
