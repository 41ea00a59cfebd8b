/**
 * The messages about shipments: what each of them tells, and how it is made. Capabilities make theirs with it.
 *
 * Guarantee: a message of any type names its shipment in the same fields (D15.1). Ids are strings.
 */
import { Schema } from "effect"
import type { MessageDraft, MessagePayload } from "../messages/Message.ts"
import type { Dock, LocatedShipment } from "../shipment/Shipment.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import { shownText } from "../values/Field.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** The numbers of orders. */
export const orderNumbers = (description: string) => Schema.Array(Schema.String).annotate({ description })

/** A message says `test` only where it is about nothing that exists (D9.9). */
export const testFlag = Schema.optionalKey(
  Schema.Boolean.annotate({
    description: "True in a test message, and absent otherwise: verify it, store nothing, answer 2xx"
  })
)

/** What every message about a shipment tells, but those of the contract (D15.1). */
export const shipmentMessageFields = {
  businessSlug: shownText("Business slug"),
  facilitySlug: shownText("Facility slug"),
  serviceShipmentId: shownText("The shipment's id"),
  shipmentNumber: shownText("The shipment's number"),
  orders: orderNumbers("The numbers of all orders of the shipment"),
  url: shownText("The page of the shipment in the dashboard"),
  dockId: shownText("The id of the shipment's dock; empty where it has none"),
  occurredAt: shownText("When it happened, in UTC with milliseconds: 2026-11-20T17:00:00.000Z"),
  test: testFlag
}

/** The payload of a message about a shipment as a whole (D15.1). */
export const ShipmentMessage = Schema.Struct(shipmentMessageFields)

/** A shipment, as messages about it name it. */
export interface MessageShipment extends SlugsOfPlace {
  readonly id: number
  readonly number: string
  readonly dock: Dock | null
  /** The numbers of all its orders, in the order of their creation. */
  readonly orders: ReadonlyArray<string>
}

/** The page of a shipment on the dashboard. */
export const shipmentUrl = (dashboardUrl: string, shipmentId: number): string =>
  `${dashboardUrl}/shipments/${shipmentId}`

/** A stored shipment, as messages about it name it. */
export const messageShipment = ({ location, shipment }: LocatedShipment): MessageShipment => ({
  business: location.business.slug,
  facility: location.facility.slug,
  id: shipment.id,
  number: shipment.number,
  dock: shipment.dock,
  orders: shipment.orders.map(({ number }) => number)
})

/** What every message about a shipment tells (see {@link shipmentMessageFields}). */
export const shipmentPayload = (
  { business, dock, facility, id, number, orders }: MessageShipment,
  occurredAt: Timestamp,
  dashboardUrl: string
): typeof ShipmentMessage.Type => ({
  businessSlug: business,
  facilitySlug: facility,
  serviceShipmentId: String(id),
  shipmentNumber: number,
  orders,
  url: shipmentUrl(dashboardUrl, id),
  dockId: dock === null ? "" : String(dock.id),
  occurredAt
})

/** A message of a type about a shipment. */
export const draftOf = (
  type: MessageDraft["type"],
  { business, facility, id }: Pick<MessageShipment, "business" | "facility" | "id">,
  payload: MessagePayload
): MessageDraft => ({ business, facility, type, payload, shipmentId: id })

/** A message about a shipment, with what it tells beside what all of them tell. */
export const shipmentMessage = (
  type: MessageDraft["type"],
  shipment: MessageShipment,
  { dashboardUrl, occurredAt }: { readonly occurredAt: Timestamp; readonly dashboardUrl: string },
  details: MessagePayload = {}
): MessageDraft =>
  draftOf(type, shipment, { ...shipmentPayload(shipment, occurredAt, dashboardUrl), ...details })
