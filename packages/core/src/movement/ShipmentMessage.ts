/**
 * The messages about shipments and pallets, equal in GraphQL and webhooks: their schemas and their payloads. Capabilities make their own
 * messages with these functions.
 *
 * Guarantee: all messages except those about pallets and completions have the same fields for their shipment (D15.1). Ids are strings. In a
 * pallet, the fields of its sighting come before the customer's fields, each a text or a list of texts (D6.4, D6.6).
 */
import { Schema } from "effect"
import type { MessageDraft, MessagePayload } from "../messages/Message.ts"
import { customerFields } from "../places/MessageField.ts"
import type {
  completionFieldNames,
  lateFieldName,
  MessageField,
  palletFieldNames,
  testFieldName
} from "../places/MessageField.ts"
import { Discrepancy } from "../shipment/Discrepancies.ts"
import type { Dock, LocatedShipment } from "../shipment/Shipment.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import { shownText } from "../values/Field.ts"
import type { PalletId, ShipmentId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { palletDirections } from "../values/Vocabulary.ts"
import { remaining } from "./Pallet.ts"
import type { RecordedPallet } from "./Pallet.ts"

/** The numbers of orders. */
export const orderNumbers = (description: string) => Schema.Array(Schema.String).annotate({ description })

/** The field `test`, which only test messages have. A test message is about no existing entity (D9.9). */
const testFlag = Schema.optionalKey(
  Schema.Boolean.annotate({
    description: "True in a test message, and absent otherwise: verify it, store nothing, answer 2xx"
  })
)

/** The fields of every message except those about pallets and completions (D15.1). */
export const shipmentMessageFields = {
  businessSlug: shownText("Business slug"),
  facilitySlug: shownText("Facility slug"),
  serviceShipmentId: shownText("The shipment's id"),
  shipmentNumber: shownText("The shipment's number"),
  orders: orderNumbers("The numbers of all orders of the shipment"),
  url: shownText("The page of the shipment in the dashboard"),
  dockId: shownText("The id of the shipment's dock; empty if it has none"),
  occurredAt: shownText("When it happened, in UTC with milliseconds: 2026-11-20T17:00:00.000Z"),
  test: testFlag
}

/** The payload of a message about a shipment as a whole (D15.1). */
export const ShipmentMessage = Schema.Struct(shipmentMessageFields)

/** The facts of a shipment that messages contain. */
export interface MessageShipment extends SlugsOfPlace {
  readonly id: ShipmentId
  readonly number: string
  readonly dock: Dock | null
  /** The numbers of all its orders, in the order of their creation. */
  readonly orders: ReadonlyArray<string>
}

/** The page of a shipment on the dashboard. */
export const shipmentUrl = (dashboardUrl: string, shipmentId: ShipmentId): string =>
  `${dashboardUrl}/shipments/${shipmentId}`

/** The facts of a stored shipment that messages contain. */
export const messageShipment = ({ location, shipment }: LocatedShipment): MessageShipment => ({
  business: location.business.slug,
  facility: location.facility.slug,
  id: shipment.id,
  number: shipment.number,
  dock: shipment.dock,
  orders: shipment.orders.map(({ number }) => number)
})

/** The values of {@link shipmentMessageFields} for a shipment. */
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

/** A message with the fields of {@link shipmentMessageFields}, and with `details` after them. */
export const shipmentMessage = (
  type: MessageDraft["type"],
  shipment: MessageShipment,
  { dashboardUrl, occurredAt }: { readonly occurredAt: Timestamp; readonly dashboardUrl: string },
  details: MessagePayload = {}
): MessageDraft =>
  draftOf(type, shipment, { ...shipmentPayload(shipment, occurredAt, dashboardUrl), ...details })

const palletFields = {
  businessSlug: shownText("Business slug"),
  facilitySlug: shownText("Facility slug; with businessSlug it names the facility where the pallet was seen"),
  serviceShipmentId: shownText("The shipment's id"),
  servicePalletId: shownText("The pallet's id"),
  url: shownText("The page of the pallet in the dashboard"),
  direction: Schema.Literals(palletDirections).annotate({
    description:
      "Where the pallet went. A pallet that is loaded and then unloaded makes two messages, which cancel each other"
  }),
  orders: orderNumbers("The numbers of the orders that the pallet belongs to"),
  dockId: shownText("The id of the dock at which the pallet was seen")
} satisfies Partial<Record<(typeof palletFieldNames)[number], Schema.Top>>

/** The payload of a message about a pallet. */
export const PalletMessage = Schema.Struct(
  {
    ...palletFields,
    occurredAt: shownText("When the pallet passed, in UTC with milliseconds: 2026-11-20T17:00:00.000Z"),
    late: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "True if it was reported after its shipment departed, and absent otherwise"
      })
    ),
    test: testFlag
  } satisfies Record<
    (typeof palletFieldNames)[number] | typeof testFieldName | typeof lateFieldName,
    Schema.Top
  >
)

/** The payload of the message that a shipment has departed. */
export const CompletionMessage = Schema.Struct(
  {
    serviceShipmentId: shownText("The shipment's id"),
    orders: orderNumbers("The numbers of all orders of the shipment"),
    url: shownText("The page of the shipment in the dashboard"),
    dockId: shownText("The id of the shipment's dock; empty if it has none"),
    pallets: Schema.Array(Schema.Struct(palletFields)).annotate({
      description: "The pallets that remain on the truck, as in pallet messages, without occurredAt"
    }),
    test: testFlag
  } satisfies Record<(typeof completionFieldNames)[number] | typeof testFieldName, Schema.Top>
)

/** The payload of the message about the discrepancies of a shipment. */
export const DiscrepanciesMessage = Schema.Struct({
  ...shipmentMessageFields,
  discrepancies: Schema.Array(Discrepancy).annotate({
    description: "The differences between what has passed the dock and what was expected"
  })
})

/** The message about the discrepancies of a departed shipment. */
export const discrepanciesMessage = (
  shipment: MessageShipment,
  details: { readonly occurredAt: Timestamp; readonly dashboardUrl: string },
  discrepancies: ReadonlyArray<Discrepancy>
): MessageDraft => shipmentMessage("SHIPMENT_DISCREPANCIES", shipment, details, { discrepancies })

/** A pallet at a dock, as messages report it. */
interface PalletSighting extends Omit<RecordedPallet, "messageId" | "occurredAt">, SlugsOfPlace {
  readonly shipmentId: ShipmentId
}

/** The settings that payloads depend on. */
export interface PayloadSettings {
  /** The customer's dashboard, without a slash at the end. */
  readonly dashboardUrl: string
  readonly fieldMap: ReadonlyArray<MessageField>
}

/** The page of a pallet on the dashboard. */
export const palletUrl = (dashboardUrl: string, shipmentId: ShipmentId, palletId: PalletId): string =>
  `${shipmentUrl(dashboardUrl, shipmentId)}/pallets/${palletId}`

/** The payload of a pallet message. */
export const palletPayload = (
  sighting: PalletSighting,
  occurredAt: Timestamp,
  settings: PayloadSettings
): MessagePayload => palletOf(sighting, occurredAt, settings, { occurredAt })

/** A pallet in a pallet message, with its time, or in a completion message, without it. `at` is the time for customers' fields. */
const palletOf = (
  sighting: PalletSighting,
  at: Timestamp,
  { dashboardUrl, fieldMap }: PayloadSettings,
  time: { readonly occurredAt?: Timestamp }
): MessagePayload => {
  const { business, facility, shipmentId, palletId, direction, orders, dock, labels } = sighting
  const fields: typeof PalletMessage.Type | Omit<typeof PalletMessage.Type, "occurredAt"> = {
    businessSlug: business,
    facilitySlug: facility,
    serviceShipmentId: String(shipmentId),
    servicePalletId: String(palletId),
    ...time,
    url: palletUrl(dashboardUrl, shipmentId, palletId),
    direction,
    orders,
    dockId: String(dock.id)
  }
  return { ...fields, ...customerFields(fieldMap, labels, at) }
}

/** The payload of a completion message, with the pallets that remain on the truck. */
export const completionPayload = (
  match: LocatedShipment,
  pallets: ReadonlyArray<RecordedPallet>,
  settings: PayloadSettings
): MessagePayload => {
  const { business, dock, facility, id, orders } = messageShipment(match)
  const place = { business, facility, shipmentId: id }
  return {
    serviceShipmentId: String(id),
    orders,
    url: shipmentUrl(settings.dashboardUrl, id),
    dockId: dock === null ? "" : String(dock.id),
    pallets: remaining(pallets).map((pallet) =>
      palletOf({ ...place, ...pallet }, pallet.occurredAt, settings, {})
    )
  }
}
