/**
 * Makes the payloads of messages to customers, the same in GraphQL and webhooks: first the fields of the contract, then
 * the customer's fields (WIRE.md, D6.4, D6.6). Ids are strings.
 */
import type { MessagePayload } from "../messages/Message.ts"
import { completionFieldNames, customerFields, palletFieldNames } from "../places/MessageField.ts"
import type { MessageField } from "../places/MessageField.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { RecordedPallet } from "./Pallet.ts"
import { remaining } from "./Remaining.ts"

/** A pallet at a dock, as messages report it. */
interface PalletSighting extends Omit<RecordedPallet, "messageId" | "occurredAt"> {
  readonly business: string
  readonly facility: string
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
  const fields: Record<(typeof palletFieldNames)[number], unknown> = {
    businessSlug: business,
    facilitySlug: facility,
    serviceShipmentId: String(shipmentId),
    servicePalletId: String(palletId),
    occurredAt,
    url: palletUrl(dashboardUrl, shipmentId, palletId),
    direction,
    orders,
    dockId: String(dock.id)
  }
  const { occurredAt: _, ...timeless } = fields
  return { ...(occurredAt === undefined ? timeless : fields), ...customerFields(fieldMap, labels) }
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
  } satisfies Record<(typeof completionFieldNames)[number], unknown>
}
