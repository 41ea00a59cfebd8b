/** The operations on exceptions, as values (D13.5), with examples of their requests. */
import { Schema, Struct } from "effect"
import * as Operation from "../access/Operation.ts"
import { example } from "../access/Operation.ts"
import { shipmentId } from "../movement/ShipmentOperations.ts"
import { placeErrors } from "../places/Authorize.ts"
import { placeFilters } from "../places/ListQuery.ts"
import { InvalidParameter, ShipmentNotFound, StorageUnavailable } from "../values/Errors.ts"
import * as ShipmentException from "./ShipmentException.ts"
import {
  exceptionPermissions,
  exceptionPriorities,
  exceptionStatuses,
  ExceptionView,
  ReportAnswer,
  reportErrors,
  resolveErrors
} from "./ShipmentException.ts"

const columns = Operation.columns(...Struct.keys(ExceptionView.fields))

/** Lists the exceptions of all shipments. */
export const listExceptions = Operation.list("listExceptions", {
  rest: "GET /v1/exceptions",
  params: {},
  filters: {
    ...placeFilters,
    status: Schema.optionalKey(
      Operation.word(
        "ExceptionStatus",
        exceptionStatuses,
        "Only open exceptions, or only resolved ones."
      )
    ),
    priority: Schema.optionalKey(
      Operation.word("ExceptionPriority", exceptionPriorities, "Only exceptions of this priority.")
    )
  },
  cursor: "position",
  row: ExceptionView,
  page: "ExceptionPage",
  holds: ["exceptions", "id order on a shipment, newest first otherwise"],
  columns,
  errors: [InvalidParameter, ...placeErrors],
  summary: "List exceptions",
  description: "The exceptions of all shipments that the client may see, newest first."
})

/** Lists the exceptions of a shipment. */
export const listShipmentExceptions = Operation.list("listShipmentExceptions", {
  rest: "GET /v1/shipments/:id/exceptions",
  params: shipmentId,
  filters: {},
  cursor: "id",
  row: ExceptionView,
  page: "ExceptionPage",
  holds: ["exceptions", "id order on a shipment, newest first otherwise"],
  columns,
  errors: [ShipmentNotFound, StorageUnavailable],
  summary: "List the exceptions of a shipment",
  description: "The exceptions of the shipment, resolved or not, in id order."
})

/** Reports an exception of a shipment, or of one of its pallets. */
export const reportException = Operation.write("reportException", {
  rest: "POST /v1/shipments/:id/exceptions",
  params: shipmentId,
  body: ShipmentException.reportSchema,
  read: ShipmentException.readReport,
  isBodyOptional: false,
  view: ExceptionView,
  receipt: { view: ReportAnswer, of: ({ id }) => ({ exceptionId: id }) },
  success: "The exception is reported, and stays open until it is resolved.",
  creates: true,
  errors: reportErrors,
  may: exceptionPermissions,
  placeOf: Operation.ownPlace,
  summary: "Report an exception",
  description:
    "Reports a problem with the shipment or one of its pallets, such as damage. The client needs one of the permissions \
documents:write, pallets:write and shipments:write at the facility. A report is possible after the departure too. `palletId` names \
a pallet that was seen on the shipment; `lpn` alone may also name a pallet that nobody has seen, such as a missing one."
})

/** Resolves an exception. */
export const resolveException = Operation.write("resolveException", {
  rest: "POST /v1/shipments/:id/exceptions/:exceptionId/resolve",
  params: { ...shipmentId, exceptionId: Operation.id("The exception's id") },
  body: ShipmentException.resolveSchema,
  read: ShipmentException.readResolve,
  isBodyOptional: false,
  view: ExceptionView,
  success: "The exception is resolved, now or before.",
  creates: false,
  errors: resolveErrors,
  may: exceptionPermissions,
  placeOf: Operation.ownPlace,
  summary: "Resolve an exception",
  description:
    "The client needs one of the permissions of a report. Repeating it changes nothing: the first note stays."
})

/** Examples of requests, by operation and by name. */
export const requests = {
  reportException: {
    shipment: example("Of the whole shipment", {
      kind: "OTHER",
      priority: "LOW",
      description: "The seal was broken before we opened the doors"
    }),
    pallet: example("Of a pallet", {
      palletId: "1",
      kind: "DAMAGED",
      priority: "HIGH",
      description: "Two cartons crushed on the left"
    }, "The pallet must have been seen on this shipment."),
    missing: example("About a missing pallet", {
      lpn: "000124",
      kind: "SHORT",
      priority: "HIGH",
      description: "Not on the truck"
    }, "The LPN names the pallet, because no tower has seen it.")
  },
  resolveException: { resolve: example("Resolved", { note: "Replaced both cartons" }) }
}
