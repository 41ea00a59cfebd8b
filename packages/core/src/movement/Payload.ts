/**
 * Makes the payloads of messages to customers, the same in GraphQL and webhooks: first the fields of the contract, then
 * the customer's fields (WIRE.md, D6.4, D6.6). Ids are strings.
 */
import type { MessagePayload } from "../messages/Message.ts"
import { customerFields, testFieldName } from "../places/MessageField.ts"
import type { MessageField } from "../places/MessageField.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { RecordedPallet } from "./Pallet.ts"
import type { CompletionMessage, PalletMessage } from "./PayloadSchema.ts"
import { remaining } from "./Remaining.ts"

interface PayloadPlace {
  readonly business: string
  readonly facility: string
}

/** A pallet at a dock, as messages report it. */
interface PalletSighting extends Omit<RecordedPallet, "messageId" | "occurredAt">, PayloadPlace {
  readonly shipmentId: number
}

interface PayloadSettings {
  /** The customer's dashboard, without a slash at the end. */
  readonly dashboardUrl: string
  readonly fieldMap: ReadonlyArray<MessageField>
}

const shipmentUrl = (dashboardUrl: string, shipmentId: number): string =>
  `${dashboardUrl}/shipments/${shipmentId}`

/** The address of a pallet's page in the dashboard. */
export const palletUrl = (dashboardUrl: string, shipmentId: number, palletId: number): string =>
  `${shipmentUrl(dashboardUrl, shipmentId)}/pallets/${palletId}`

/** The payload of a pallet message, without `occurredAt` when that is `undefined`. */
export const palletPayload = (
  sighting: PalletSighting,
  occurredAt: Timestamp | undefined,
  { dashboardUrl, fieldMap }: PayloadSettings
): MessagePayload => {
  const { business, facility, shipmentId, palletId, direction, orders, dock, labels } = sighting
  const fields: typeof PalletMessage.Type | Omit<typeof PalletMessage.Type, "occurredAt"> = {
    businessSlug: business,
    facilitySlug: facility,
    serviceShipmentId: String(shipmentId),
    servicePalletId: String(palletId),
    ...(occurredAt === undefined ? {} : { occurredAt }),
    url: palletUrl(dashboardUrl, shipmentId, palletId),
    direction,
    orders,
    dockId: String(dock.id)
  }
  return { ...fields, ...customerFields(fieldMap, labels) }
}

/** The payload of a shipment-completion message, with the pallets that remain on the truck. */
export const completionPayload = (
  { location, shipment }: LocatedShipment,
  pallets: ReadonlyArray<RecordedPallet>,
  settings: PayloadSettings
): MessagePayload => {
  const place = {
    business: location.business.slug,
    facility: location.facility.slug,
    shipmentId: shipment.id
  }
  return {
    serviceShipmentId: String(shipment.id),
    orders: shipment.orders.map(({ number }) => number),
    url: shipmentUrl(settings.dashboardUrl, shipment.id),
    dockId: shipment.dock === null ? "" : String(shipment.dock.id),
    pallets: remaining(pallets).map((pallet) => palletPayload({ ...place, ...pallet }, undefined, settings))
  }
}

/** Ids begin at 1, so this one names no shipment, pallet or dock. */
const noId = 0

/**
 * The payload of a test message (D9.9): it has every field of a message of its type and the field `test`, and is about a
 * shipment that does not exist.
 */
export const testPayload = (
  type: MessageType,
  place: PayloadPlace,
  now: Timestamp,
  settings: PayloadSettings
): MessagePayload => ({
  ...(type === "PALLET_EVENT" ? testPallet(place, now, settings) : testCompletion(settings)),
  [testFieldName]: true
})

const testPallet = (place: PayloadPlace, now: Timestamp, settings: PayloadSettings): MessagePayload =>
  palletPayload(
    {
      ...place,
      shipmentId: noId,
      palletId: noId,
      direction: "LOADING",
      orders: [],
      dock: { id: noId, slug: "" },
      labels: []
    },
    now,
    settings
  )

const testCompletion = ({ dashboardUrl }: PayloadSettings): MessagePayload => ({
  serviceShipmentId: String(noId),
  orders: [],
  url: shipmentUrl(dashboardUrl, noId),
  dockId: String(noId),
  pallets: []
} satisfies typeof CompletionMessage.Type)
