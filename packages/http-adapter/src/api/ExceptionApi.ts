/**
 * The REST interface of exceptions as data: what people report to be wrong with shipments (D13.5).
 */
import * as ExceptionInput from "@dockline/core/ExceptionInput"
import { ExceptionView, ReportAnswer } from "@dockline/core/ExceptionView"
import { operations } from "@dockline/core/Operations"
import { reportErrors, resolveErrors } from "@dockline/core/ShipmentException"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problems, written } from "./ApiErrors.ts"
import { about, text, writeHeaders } from "./ApiSchemas.ts"
import { Authorization } from "./Authorization.ts"
import { listEndpoint } from "./Endpoints.ts"

const shipment = { id: text("The shipment's id") }

export class Exceptions extends HttpApiGroup.make("exceptions")
  .add(
    listEndpoint(operations.exceptions),
    listEndpoint(operations.shipmentExceptions),
    HttpApiEndpoint.post("reportException", "/v1/shipments/:id/exceptions", {
      params: shipment,
      headers: writeHeaders,
      payload: ExceptionInput.reportSchema,
      success: ReportAnswer.pipe(HttpApiSchema.status(201)),
      error: problems(...reportErrors, ...written)
    }).annotateMerge(about(
      "Report an exception",
      "Somebody has found something wrong with the shipment, or with one of its pallets, such as damage. It takes one of the \
permissions documents:write, pallets:write and shipments:write at the facility, and may be reported after the departure too. \
`palletId` names a pallet that was seen on the shipment, `lpn` alone also one that nobody has seen, such as a missing one."
    )),
    HttpApiEndpoint.post("resolveException", "/v1/shipments/:id/exceptions/:exceptionId/resolve", {
      params: { ...shipment, exceptionId: text("The exception's id") },
      headers: writeHeaders,
      payload: ExceptionInput.resolveSchema,
      success: ExceptionView,
      error: problems(...resolveErrors, ...written)
    }).annotateMerge(about(
      "Resolve an exception",
      "It takes the same permissions. Repeating it changes nothing: the first note stays."
    ))
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Exceptions",
    description: "Report what is wrong with a shipment or a pallet, and how it was resolved"
  }))
{}
