/**
 * Entity references: how `created`, `updated` and `removed` name an entity (WIRE.md, reference rules).
 */
import { Schema } from "effect"
import { shownText } from "../../values/Field.ts"
import type { OrderItemDraft } from "../OrderItem.ts"

/** A reference to one entity that a document touched. Ids are strings in references (D1.5). */
export const EntityReference = Schema.Struct({
  type: Schema.Literals(["SHIPMENT", "ORDER", "ORDER_ITEM"]).annotate({ description: "What it is" }),
  id: shownText("Id of the entity; empty in a dry run for what would be created"),
  reference: Schema.String.annotate({
    description: "Shipment number, order number, or the item's identifier, else its lpn, else its sku"
  })
}).annotate({
  identifier: "EntityReference",
  description: "A shipment, order or item that a document touched."
})

export type EntityReference = typeof EntityReference.Type

/** A shipment is referred to by its number, which is the order number where none was given. */
export const shipmentReference = (
  shipment: { readonly id: number | ""; readonly number: string }
): EntityReference => ({
  type: "SHIPMENT",
  id: String(shipment.id),
  reference: shipment.number
})

export const orderReference = (order: { readonly id: string; readonly number: string }): EntityReference => ({
  type: "ORDER",
  id: order.id,
  reference: order.number
})

/** An item is referred to by its identifier when it has one, else its lpn, else its sku. */
export const itemReference = (
  item: Pick<OrderItemDraft, "identifier" | "lpn" | "sku"> & { readonly id: string }
): EntityReference => ({
  type: "ORDER_ITEM",
  id: item.id,
  reference: item.identifier || item.lpn || item.sku
})
