/**
 * Laws of references: how `created`, `updated` and `removed` name a shipment, an order or an item (WIRE.md, reference
 * rules).
 */
import * as assert from "@dockline/testing/Assert"
import { storedItems } from "@dockline/testing/generators/Generators"
import * as Values from "@dockline/testing/generators/Values"
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import * as ownReferences from "../../src/shipment/EntityReference.ts"
import type { EntityReference } from "../../src/shipment/EntityReference.ts"
import type { OrderItem } from "../../src/shipment/OrderItem.ts"

/** The rules; those of `@dockline/core/EntityReference` unless given. */
export interface References {
  /** The reference of a shipment. */
  readonly shipmentReference: (
    shipment: { readonly id: number | ""; readonly number: string }
  ) => EntityReference
  /** The reference of an order. */
  readonly orderReference: (order: { readonly id: string; readonly number: string }) => EntityReference
  /** The reference of an item. */
  readonly itemReference: (item: OrderItem) => EntityReference
}

/** Items as data made elsewhere may hold them too: any part of a reference may be empty. */
const items = fc
  .tuple(storedItems.filter((items) => items.length > 0), fc.boolean())
  .map(([[item], withoutSku]): OrderItem => withoutSku ? { ...item!, sku: "" } : item!)

/** WIRE.md, reference rules: an item is named by its identifier, else its lpn, else its sku. */
export const itemsByIdentifier = ({ itemReference }: References): Law.Law =>
  Law.make(
    "WIRE.md an item is named by its identifier, else its lpn, else its sku",
    items,
    (item) => {
      const { id, identifier, lpn, sku } = item
      const reference = [identifier, lpn, sku].find((text) => text !== "") ?? ""
      assert.deepStrictEqual(itemReference(item), { type: "ORDER_ITEM", id, reference })
    },
    150,
    Law.brief
  )

/** WIRE.md, reference rules: an order is named by its number. */
export const ordersByNumber = ({ orderReference }: References): Law.Law =>
  Law.make(
    "WIRE.md an order is named by its number",
    fc.tuple(fc.nat(), Values.names),
    ([id, number]) =>
      assert.deepStrictEqual(orderReference({ id: String(id), number }), {
        type: "ORDER",
        id: String(id),
        reference: number
      })
  )

/** WIRE.md, reference rules: a shipment is named by its number; ids are text, empty where a dry run has none (D5.3). */
export const shipmentsByNumber = ({ shipmentReference }: References): Law.Law =>
  Law.make(
    "WIRE.md a shipment is named by its number, and its id is text",
    fc.tuple(fc.oneof(fc.nat(), fc.constant("" as const)), Values.names),
    ([id, number]) =>
      assert.deepStrictEqual(shipmentReference({ id, number }), {
        type: "SHIPMENT",
        id: `${id}`,
        reference: number
      })
  )

/** What the rules of references promise. */
export const everyReference = (references: References = ownReferences): ReadonlyArray<Law.Law> => [
  itemsByIdentifier(references),
  ordersByNumber(references),
  shipmentsByNumber(references)
]
