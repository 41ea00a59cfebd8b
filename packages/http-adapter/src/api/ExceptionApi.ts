/**
 * The REST interface of exceptions as data: what people report to be wrong with shipments (D13.5).
 */
import { InvalidParameter, ShipmentNotFound } from "@dockline/core/Errors"
import * as ExceptionInput from "@dockline/core/ExceptionInput"
import { ExceptionView, ReportAnswer } from "@dockline/core/ExceptionView"
import { reportErrors, resolveErrors } from "@dockline/core/ShipmentException"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problems, secured, written } from "./ApiErrors.ts"
import { about, page, pageQuery, text, writeHeaders } from "./ApiSchemas.ts"
import { Authorization } from "./Authorization.ts"

const shipment = { id: text("The shipment's id") }

export class Exceptions extends HttpApiGroup.make("exceptions")
  .add(
    HttpApiEndpoint.get("listExceptions", "/v1/shipments/:id/exceptions", {
      params: shipment,
      query: pageQuery,
      success: page(ExceptionView, "ExceptionPage"),
      error: problems(InvalidParameter, ShipmentNotFound, ...secured)
    }).annotateMerge(
      about("List the exceptions of a shipment", "What people have reported, resolved or not, in id order.")
    ),
    HttpApiEndpoint.post("reportException", "/v1/shipments/:id/exceptions", {
      params: shipment,
      headers: writeHeaders,
      payload: ExceptionInput.reportSchema,
      success: ReportAnswer.pipe(HttpApiSchema.status(201)),
      error: problems(...reportErrors, ...written)
    }).annotateMerge(about(
      "Report an exception",
      "Somebody has found something wrong with the shipment, or with one of its pallets, such as damage. It takes one of the \
permissions documents:write, pallets:write and shipments:write at the facility, and may be reported after the departure too."
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
