/**
 * The trace of goods as an operation (D13.14): each item with a lot, an SKU or an LPN, its order, its shipment, and where its
 * pallet was seen.
 */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import type { OrderItem } from "../shipment/Shipment.ts"
import { PlaceView } from "../shipment/View.ts"
import { InvalidParameter } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import type { EntrySize } from "../values/Page.ts"

/** The fields of items by which goods are traced. */
export const traceKeys = ["lot", "sku", "lpn"] as const satisfies ReadonlyArray<keyof OrderItem>

/** A field of items by which goods are traced. */
export type TraceKey = typeof traceKeys[number]

/** The most items with one LPN that are traced. An LPN on more items does not identify a pallet. */
export const tracedAtMost = 5_000

/** An item with its order, its shipment and the last sighting of its pallet, as clients see it. */
export const TraceEntry = Schema.Struct({
  id: shownText("Id of the item"),
  lot: shownText("Lot number"),
  sku: shownText("Stock-keeping unit"),
  lpn: shownText("License plate of the pallet"),
  quantity: Schema.Finite.annotate({ description: "Quantity" }),
  quantityUnit: shownText("Unit of quantity, or empty"),
  expirationDate: shownText("Date of expiration, YYYY-MM-DD, or empty"),
  business: PlaceView,
  facility: PlaceView,
  orderNumber: shownText("Number of the order"),
  purchaseOrder: shownText("Purchase order of the item, else of the order, or empty"),
  supplier: shownText("Supplier of the order, or empty"),
  consigneeName: shownText("Consignee of the order, or empty"),
  destination: shownText("Destination of the order, or empty"),
  shipmentId: shownWhole("Id of the shipment"),
  shipmentNumber: shownText("Number of the shipment"),
  status: shownText("Status of the shipment"),
  direction: shownText("Direction of the shipment"),
  carrier: shownText("Carrier of the shipment, or empty"),
  trailerNumber: shownText("Trailer of the shipment, or empty"),
  arrivedAt: shownText("When the shipment arrived, RFC 3339 in UTC, or empty"),
  departedAt: shownText("When the shipment departed, RFC 3339 in UTC, or empty"),
  palletId: shownText(
    "Id of the pallet with this LPN that was seen for the shipment, else of the newest one at the facility; empty if none was seen"
  ),
  seenShipmentId: shownWhole("Id of the shipment that this pallet was seen for, or 0"),
  seenShipmentNumber: shownText("Number of the shipment that this pallet was seen for, or empty"),
  seenDirection: shownText("The direction in which this pallet passed last: LOADING or UNLOADING; or empty"),
  seenDockSlug: shownText("The dock that this pallet passed last, or empty"),
  seenAt: shownText("When this pallet passed last, RFC 3339 in UTC, or empty")
}).annotate({
  identifier: "TraceEntry",
  description: "An item with a lot, an SKU or an LPN, and the last sighting of its pallet."
})

/** An item with its order, its shipment and the last sighting of its pallet, as clients see it. */
export type TraceEntry = typeof TraceEntry.Type

/** The size of an entry in a list. Its text is counted without the slugs and names of its business and facility, which are short. */
export const sizeOfTraced = (entry: TraceEntry): EntrySize => ({
  rows: 1,
  text: Object.values(entry).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    0
  )
})

const exactFilter = (description: string) =>
  Schema.optionalKey(Field.text(`${description}, exactly as it is stored.`))

/** Lists items by lot, SKU or license plate, with the last sighting of their pallets. */
export const trace = Operation.list("trace", {
  rest: "GET /v1/trace",
  params: {},
  filters: {
    ...placeFilters,
    lot: exactFilter("The lot number of items"),
    sku: exactFilter("The stock-keeping unit of items"),
    lpn: exactFilter("The license plate of items")
  },
  cursor: "id",
  row: TraceEntry,
  page: "TracePage",
  holds: ["items"],
  columns: Operation.columns(
    "lot",
    "sku",
    "lpn",
    "quantity",
    "quantityUnit",
    "expirationDate",
    "business",
    "facility",
    "supplier",
    "purchaseOrder",
    "orderNumber",
    "consigneeName",
    "destination",
    "shipmentNumber",
    "status",
    "direction",
    "carrier",
    "trailerNumber",
    "arrivedAt",
    "departedAt",
    "seenShipmentNumber",
    "seenDirection",
    "seenDockSlug",
    "seenAt",
    "shipmentId",
    "seenShipmentId",
    "palletId",
    "id"
  ),
  errors: [InvalidParameter, ...placeErrors],
  summary: "Trace goods",
  description:
    `Traces goods, such as for a recall: each item with a lot, an SKU or an LPN (send one of the three), on all shipments that the client \
may see, with its order, its shipment, and where and when its pallet was seen last: for this shipment, else for another shipment at the facility. Items come in id \
order. An LPN that more than ${tracedAtMost} items at the places of the request have is refused.`
})
