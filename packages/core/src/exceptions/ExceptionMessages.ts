/**
 * The messages about exceptions (D15.1): each is about a shipment, and shows the exception as lists show it (D13.5). Also their types
 * (D15.1): name, occasion, schema, an example, and a test message about no real entity (D9.9).
 */
import { Schema } from "effect"
import type { Message } from "../capability/Capability.ts"
import type { MessageDraft } from "../messages/Message.ts"
import { shipmentMessage, shipmentMessageFields } from "../movement/ShipmentMessage.ts"
import type { MessageShipment } from "../movement/ShipmentMessage.ts"
import { noId, noShipment } from "../webhooks/MessageKinds.ts"
import type { AboutNothing } from "../webhooks/MessageKinds.ts"
import recorded from "./answers.json" with { type: "json" }
import { ExceptionView, exceptionView } from "./ShipmentException.ts"
import type { LocatedException, ShipmentException } from "./ShipmentException.ts"

/** The payload of a message about an exception. */
const ExceptionMessage = Schema.Struct({
  ...shipmentMessageFields,
  exception: ExceptionView.annotate({ description: "The present state of the exception" })
})

/** The message about a reported exception, or about a resolved one if it has a resolution, with the fields of its shipment. */
export const exceptionMessage = (
  exception: LocatedException,
  { dock, orders }: Pick<MessageShipment, "dock" | "orders">,
  dashboardUrl: string
): MessageDraft => {
  const { exception: { reportedAt, resolution }, location, shipmentId: id, shipmentNumber: number } =
    exception
  return shipmentMessage(
    resolution === null ? "EXCEPTION_REPORTED" : "EXCEPTION_RESOLVED",
    { business: location.business.slug, facility: location.facility.slug, id, number, dock, orders },
    { occurredAt: resolution?.at ?? reportedAt, dashboardUrl },
    { exception: exceptionView(exception) }
  )
}

const testException = (isResolved: boolean): AboutNothing => (place, now, { dashboardUrl }) => {
  const { business, dock, facility, id: shipmentId, number: shipmentNumber, orders } = noShipment(place)
  const location = {
    business: { slug: business, name: business },
    facility: { slug: facility, name: facility }
  }
  const exception: ShipmentException = {
    id: noId,
    palletId: null,
    lpn: "",
    kind: "OTHER",
    priority: "LOW",
    description: "",
    reportedAt: now,
    reportedBy: "",
    resolution: isResolved ? { note: "", at: now, by: "" } : null
  }
  return exceptionMessage({ location, shipmentId, shipmentNumber, exception }, { dock, orders }, dashboardUrl)
    .payload
}

/** The types of messages about exceptions. */
export const exceptionMessages = {
  EXCEPTION_REPORTED: {
    name: "ExceptionReportedMessage",
    title: "Exception-reported message",
    about: "A problem with a shipment or a pallet was reported",
    when: "A problem with a shipment or one of its pallets, such as damage, was reported.",
    schema: ExceptionMessage,
    aboutNothing: testException(false),
    example: recorded.payloads.EXCEPTION_REPORTED
  },
  EXCEPTION_RESOLVED: {
    name: "ExceptionResolvedMessage",
    title: "Exception-resolved message",
    about: "A reported problem is resolved",
    when: "A reported problem with a shipment is resolved.",
    schema: ExceptionMessage,
    aboutNothing: testException(true),
    example: recorded.payloads.EXCEPTION_RESOLVED
  }
} as const satisfies Readonly<Record<string, Message>>
