/**
 * The operations that read exceptions, as values (D13.5).
 */
import { Schema } from "effect"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { ShipmentNotFound, StorageUnavailable } from "../values/Errors.ts"
import { ExceptionView } from "./ExceptionView.ts"
import { exceptionPriorities, exceptionStatuses } from "./ShipmentException.ts"

const columns: Operation.Table<ExceptionView> = Operation.columns(
  "id",
  "palletId",
  "lpn",
  "kind",
  "priority",
  "description",
  "status",
  "reportedAt",
  "reportedBy",
  "resolvedAt",
  "resolvedBy",
  "note",
  "business",
  "facility",
  "shipmentId",
  "shipmentNumber"
)

/** Lists exceptions over shipments. */
export const listExceptions = Operation.list("listExceptions", {
  rest: "GET /v1/exceptions",
  params: {},
  filters: {
    ...placeFilters,
    status: Schema.optionalKey(
      Operation.word(
        "ExceptionStatus",
        exceptionStatuses,
        "Only those that are open, or only those that are resolved."
      )
    ),
    priority: Schema.optionalKey(
      Operation.word("ExceptionPriority", exceptionPriorities, "Only those of this priority.")
    )
  },
  cursor: "id",
  row: ExceptionView,
  page: "ExceptionPage",
  columns,
  errors: placeErrors,
  summary: "List exceptions",
  description: "What people have reported of all shipments that the client may see, newest first."
})

/** Lists the exceptions of a shipment. */
export const listShipmentExceptions = Operation.list("listShipmentExceptions", {
  rest: "GET /v1/shipments/:id/exceptions",
  params: { id: Operation.id("The shipment's id") },
  filters: {},
  cursor: "id",
  row: ExceptionView,
  page: "ExceptionPage",
  columns,
  errors: [ShipmentNotFound, StorageUnavailable],
  summary: "List the exceptions of a shipment",
  description: "What people have reported, resolved or not, in id order."
})
