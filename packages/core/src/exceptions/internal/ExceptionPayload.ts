/**
 * The messages about exceptions (D15.1): each is about a shipment, and shows the exception as lists show it (D13.5).
 */
import { Schema } from "effect"
import type { MessageDraft } from "../../messages/Message.ts"
import { shipmentMessage, shipmentMessageFields } from "../../movement/internal/Payload.ts"
import type { MessageShipment } from "../../movement/internal/Payload.ts"
import { ExceptionView, exceptionView } from "../ExceptionView.ts"
import type { LocatedException } from "../ShipmentException.ts"

export const ExceptionMessage = Schema.Struct({
  ...shipmentMessageFields,
  exception: ExceptionView.annotate({ description: "The exception, as it is now" })
})

/** The message that an exception is reported, or resolved once it has a resolution; with what it tells of the shipment. */
export const exceptionMessage = (
  located: LocatedException,
  { dock, orders }: Pick<MessageShipment, "dock" | "orders">,
  dashboardUrl: string
): MessageDraft => {
  const { exception: { reportedAt, resolution }, location, shipmentId: id, shipmentNumber: number } = located
  return shipmentMessage(
    resolution === null ? "EXCEPTION_REPORTED" : "EXCEPTION_RESOLVED",
    { business: location.business.slug, facility: location.facility.slug, id, number, dock, orders },
    { occurredAt: resolution?.at ?? reportedAt, dashboardUrl },
    { exception: exceptionView(located) }
  )
}
