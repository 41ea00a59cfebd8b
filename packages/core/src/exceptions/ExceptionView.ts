/**
 * What clients see of an exception (D13.5).
 */
import { Schema } from "effect"
import { PlaceView } from "../shipment/View.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import { exceptionKinds, exceptionPriorities, exceptionStatuses, statusOf } from "./ShipmentException.ts"
import type { LocatedException } from "./ShipmentException.ts"

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
  description: shownText("What is wrong, in words for people"),
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
