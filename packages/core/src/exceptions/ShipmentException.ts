/**
 * Exceptions: problems that people report about a shipment or one of its pallets, such as damage (D13.5); with the readers of reports and
 * resolutions, and the views for clients.
 */
import { Schema } from "effect"
import { writePermissions } from "../access/Access.ts"
import * as RequestInput from "../input/RequestInput.ts"
import type { Location } from "../places/Place.ts"
import { PlaceView } from "../shipment/View.ts"
import { CatalogueError } from "../values/CatalogueError.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import { nameText } from "../values/Clip.ts"
import * as Errors from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import type { ExceptionId, PalletId, ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** The kinds of exceptions. */
export const exceptionKinds = ["DAMAGED", "SHORT", "OVER", "OTHER"] as const

/** A kind of exceptions. */
export type ExceptionKind = (typeof exceptionKinds)[number]

/** The priorities of exceptions: how urgently an exception needs attention. */
export const exceptionPriorities = ["LOW", "HIGH"] as const

/** A priority of exceptions. */
export type ExceptionPriority = (typeof exceptionPriorities)[number]

/** The states of exceptions, in the order in which an exception passes through them. */
export const exceptionStatuses = ["OPEN", "RESOLVED"] as const

/** A state of exceptions. */
export type ExceptionStatus = (typeof exceptionStatuses)[number]

/** An exception of a shipment. */
export interface ShipmentException {
  readonly id: ExceptionId
  /** `null` for an exception of the whole shipment, or of a pallet that had not been seen on the shipment when it was reported. */
  readonly palletId: PalletId | null
  /** The LPN of the pallet, seen or not; `""` for the whole shipment, and for a pallet without an LPN. */
  readonly lpn: string
  readonly kind: ExceptionKind
  readonly priority: ExceptionPriority
  readonly description: string
  readonly reportedAt: Timestamp
  /** The principal that reported it: a client, or a person. */
  readonly reportedBy: string
  /** `null` while it is open. */
  readonly resolution: Resolution | null
}

/** How an exception was resolved, when, and by which client or person. */
export interface Resolution {
  readonly note: string
  readonly at: Timestamp
  readonly by: string
}

/** An exception with the place and the shipment that it belongs to. */
export interface LocatedException {
  readonly location: Location
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly exception: ShipmentException
}

/** The state of an exception. */
export const statusOf = ({ resolution }: ShipmentException): ExceptionStatus =>
  resolution === null ? "OPEN" : "RESOLVED"

/** Any one of these permissions suffices, because a client that sends documents, sees pallets or moves shipments may notice a problem. */
export const exceptionPermissions = writePermissions

/** The shipment has no exception with that id (D13.5). */
export class ExceptionNotFound extends CatalogueError("EXCEPTION_NOT_FOUND", "notFound", {
  when: "the shipment has no exception with that id",
  example: { id: "12", shipmentId: "4711" },
  message: ({ id, shipmentId }) => `Unknown exception: ${nameText(id)} of shipment ${nameText(shipmentId)}`
}) {}

/** The shipment has the maximum number of exceptions (D13.5). */
export class TooManyExceptions extends CatalogueError("TOO_MANY_EXCEPTIONS", "conflict", {
  when: "the shipment has the maximum number of exceptions, resolved ones included",
  example: { shipmentNumber: "SHP-1001", limit: 1000 },
  message: ({ code, shipmentNumber, limit }) =>
    `${code}: shipmentNumber=${shipmentNumber}; a shipment has at most ${limit} exceptions`
}) {}

/** The errors of a report. */
export const reportErrors = [
  Errors.ShipmentNotFound,
  Errors.PalletNotFound,
  Errors.Forbidden,
  TooManyExceptions,
  Errors.StorageUnavailable
] as const
/** One of {@link reportErrors}. */
export type ReportError = ErrorOf<typeof reportErrors>

/** The errors of a resolution. */
export const resolveErrors = [
  Errors.ShipmentNotFound,
  ExceptionNotFound,
  Errors.Forbidden,
  Errors.StorageUnavailable
] as const
/** One of {@link resolveErrors}. */
export type ResolveError = ErrorOf<typeof resolveErrors>

/** The schema of a report's JSON form. */
export const reportSchema = Schema.Struct({
  palletId: Schema.optionalKey(
    Field.text("Id of the pallet; without palletId and lpn, the exception is about the whole shipment")
  ),
  lpn: Schema.optionalKey(
    Field.lpn(
      "License plate of the pallet, which may be one that nobody has seen, such as a missing pallet"
    )
  ),
  kind: Field.name<ExceptionKind>(exceptionKinds, "What is wrong"),
  priority: Field.name<ExceptionPriority>(exceptionPriorities, "How urgent it is"),
  description: Field.requiredText("A description of the problem for people")
}).annotate({
  identifier: "ReportException",
  description: "A problem with a shipment or one of its pallets."
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

/** An exception as clients see it. */
export const ExceptionView = Schema.Struct({
  id: shownText("Its id"),
  palletId: shownText(
    "Id of the pallet that it is about; empty for the whole shipment, or a pallet that was not seen there"
  ),
  lpn: shownText("License plate of the pallet, seen or not, or empty"),
  kind: Schema.Literals(exceptionKinds).annotate({ description: "What is wrong" }),
  priority: Schema.Literals(exceptionPriorities).annotate({
    description: "How urgent it is"
  }),
  description: shownText("A description of the problem for people"),
  status: Schema.Literals(exceptionStatuses).annotate({ description: "Whether it is resolved" }),
  reportedAt: shownTime("When it was reported"),
  reportedBy: shownText("The reporter: the id of a client, or `person:` and the id of a person"),
  resolvedAt: shownText("When it was resolved, RFC 3339 in UTC; empty while it is open"),
  resolvedBy: shownText("Who resolved it, as `reportedBy`; empty while it is open"),
  note: shownText("How it was resolved; empty while it is open"),
  business: PlaceView,
  facility: PlaceView,
  shipmentId: shownWhole("Id of its shipment"),
  shipmentNumber: shownText("Number of its shipment")
}).annotate({
  identifier: "Exception",
  description: "A reported problem with a shipment or one of its pallets."
})

/** An exception as clients see it. */
export type ExceptionView = typeof ExceptionView.Type

/** The answer to a report. */
export const ReportAnswer = Schema.Struct({
  exceptionId: shownText("Id of the exception")
}).annotate({ identifier: "ReportAnswer" })

/** The answer to a report. */
export type ReportAnswer = typeof ReportAnswer.Type

/** Shows an exception. */
export const exceptionView = (entry: LocatedException): ExceptionView => {
  const { exception, location, shipmentId, shipmentNumber } = entry
  const { description, id, kind, lpn, palletId, priority, reportedAt, reportedBy, resolution } = exception
  return {
    id: String(id),
    palletId: palletId === null ? "" : String(palletId),
    lpn,
    kind,
    priority,
    description,
    status: statusOf(exception),
    reportedAt,
    reportedBy,
    resolvedAt: resolution?.at ?? "",
    resolvedBy: resolution?.by ?? "",
    note: resolution?.note ?? "",
    ...location,
    shipmentId,
    shipmentNumber
  }
}
