/**
 * The trace of goods as an operation (D13.14).
 */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { InvalidParameter } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { tracedAtMost, TraceEntry } from "./Trace.ts"

const key = (description: string) =>
  Schema.optionalKey(Field.text(`${description}, exactly as it is written there.`))

/** Lists the items that hold goods, by lot, SKU or license plate, and where each of them is. */
export const trace = Operation.list("trace", {
  rest: "GET /v1/trace",
  params: {},
  filters: {
    ...placeFilters,
    lot: key("The lot number of items"),
    sku: key("The stock-keeping unit of items"),
    lpn: key("The license plate of items")
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
    `What became of goods, such as for a recall: each item with a lot, an SKU or an LPN (give one of the three), on all shipments that the client \
may see, with its order, its shipment, and where and when its pallet was seen last: for that shipment, else for another one at the facility. In the order in which the items \
came. An LPN that more than ${tracedAtMost} items of the facilities have is refused.`
})
