/**
 * What became of goods: each item with a lot, an SKU or an LPN, its order, its shipment, and where its pallet was seen (D13.14).
 */
import { Schema } from "effect"
import type { EntrySize } from "../values/Page.ts"
import type { OrderItem } from "./OrderItem.ts"
import { PlaceView } from "./View.ts"

/** The fields of items by which goods are traced. */
export const traceKeys = ["lot", "sku", "lpn"] as const satisfies ReadonlyArray<keyof OrderItem>

/** A field of items by which goods are traced. */
export type TraceKey = typeof traceKeys[number]

/** The most items with one LPN that are traced: an LPN that more of them have names no pallet. */
export const tracedAtMost = 5_000

const text = (description: string) => Schema.String.annotate({ description })
const id = (description: string) => Schema.Int.annotate({ description })

/** An item with its order, its shipment and the last sight of its pallet, as clients see it. */
export const TraceEntry = Schema.Struct({
  id: text("Id of the item"),
  lot: text("Lot number"),
  sku: text("Stock-keeping unit"),
  lpn: text("License plate of the pallet"),
  quantity: Schema.Finite.annotate({ description: "Quantity" }),
  quantityUnit: text("Unit of quantity, or empty"),
  expirationDate: text("Date of expiration, YYYY-MM-DD, or empty"),
  business: PlaceView,
  facility: PlaceView,
  orderNumber: text("Number of the order"),
  purchaseOrder: text("Purchase order of the item, else of the order, or empty"),
  supplier: text("Supplier of the order, or empty"),
  consigneeName: text("Consignee of the order, or empty"),
  destination: text("Destination of the order, or empty"),
  shipmentId: id("Id of the shipment"),
  shipmentNumber: text("Number of the shipment"),
  status: text("Status of the shipment"),
  direction: text("Direction of the shipment"),
  carrier: text("Carrier of the shipment, or empty"),
  trailerNumber: text("Trailer of the shipment, or empty"),
  arrivedAt: text("When the shipment arrived, RFC 3339 in UTC, or empty"),
  departedAt: text("When the shipment departed, RFC 3339 in UTC, or empty"),
  palletId: text(
    "Id of the pallet with this LPN that was seen for the shipment, else of the newest at the facility; empty if none was seen"
  ),
  seenShipmentId: id("Id of the shipment that this pallet was seen for, or 0"),
  seenShipmentNumber: text("Number of the shipment that this pallet was seen for, or empty"),
  seenDirection: text("The direction in which this pallet passed last: LOADING or UNLOADING; or empty"),
  seenDockSlug: text("The dock that this pallet passed last, or empty"),
  seenAt: text("When this pallet passed last, RFC 3339 in UTC, or empty")
}).annotate({
  identifier: "TraceEntry",
  description: "An item with a lot, an SKU or an LPN, and what became of it."
})

/** An item with its order, its shipment and the last sight of its pallet, as clients see it. */
export type TraceEntry = typeof TraceEntry.Type

/** The size of an entry in a list. */
export const sizeOfTraced = (entry: TraceEntry): EntrySize => ({
  rows: 1,
  text: Object.values(entry).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    0
  )
})
