/**
 * Reads reports and resolutions of exceptions as clients send them (D13.5).
 */
import { Schema } from "effect"
import * as RequestInput from "../input/RequestInput.ts"
import * as Field from "../values/Field.ts"
import { exceptionKinds, exceptionPriorities } from "./ShipmentException.ts"
import type { ExceptionKind, ExceptionPriority } from "./ShipmentException.ts"

/** The schema of a report's JSON form. */
export const reportSchema = Schema.Struct({
  palletId: Schema.optionalKey(
    Field.text("Id of the pallet that it is about; of the whole shipment when it and lpn are absent")
  ),
  lpn: Schema.optionalKey(
    Field.lpn(
      "License plate of the pallet that it is about, which need not have been seen, such as that of a missing pallet"
    )
  ),
  kind: Field.name<ExceptionKind>(exceptionKinds, "What is wrong"),
  priority: Field.name<ExceptionPriority>(exceptionPriorities, "How urgent it is"),
  description: Field.requiredText("What is wrong, in words for people")
}).annotate({
  identifier: "ReportException",
  description: "What is wrong with a shipment or one of its pallets."
})

/** A report of an exception. */
export type ReportInput = typeof reportSchema.Type

/** The schema of a resolution's JSON form. */
export const resolveSchema = Schema.Struct({
  note: Field.requiredText("How it was resolved, in words for people")
}).annotate({ identifier: "ResolveException", description: "How an exception was resolved." })

/** A resolution of an exception. */
export type ResolveInput = typeof resolveSchema.Type

/** Reads an untyped value into a report. */
export const readReport: RequestInput.Reader<ReportInput> = RequestInput.reader(
  reportSchema,
  "a report of an exception"
)

/** Reads an untyped value into a resolution. */
export const readResolve: RequestInput.Reader<ResolveInput> = RequestInput.reader(
  resolveSchema,
  "a resolution of an exception"
)
