/**
 * The payloads of messages to customers: the fields of the contract, then the customer's own (WIRE.md, D6.4, D6.6).
 *
 * Guarantee: the same content whichever way a message is carried. Ids are strings.
 */
import type { MessagePayload } from "../messages/Message.ts"
import { completionFieldNames, customerFields, palletFieldNames } from "../places/MessageField.ts"
import type { Label, MessageField } from "../places/MessageField.ts"
import type { Dock } from "../shipment/Shipment.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import type { RecordedPallet } from "./Pallet.ts"
import { remaining } from "./Remaining.ts"

/** A pallet at a dock, as messages tell of it. */
export interface PalletSighting {
  /** Business slug. */
  readonly business: string
  /** Facility slug. */
  readonly facility: string
  readonly shipmentId: number
  readonly palletId: number
  readonly direction: PalletDirection
  readonly orders: ReadonlyArray<string>
  readonly dock: Dock
  readonly labels: ReadonlyArray<Label>
}

/** What payloads depend on beside what happened. */
export interface PayloadSettings {
  /** The customer's dashboard, without a slash at the end. */
  readonly dashboardUrl: string
  readonly fieldMap: ReadonlyArray<MessageField>
}

const shipmentUrl = (dashboardUrl: string, shipmentId: number): string =>
  `${dashboardUrl}/shipments/${shipmentId}`

/** The payload of a pallet message; without `occurredAt` where that is `undefined`. */
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
    url: `${shipmentUrl(dashboardUrl, shipmentId)}/pallets/${palletId}`,
    direction,
    orders,
    dockId: String(dock.id)
  }
  const { occurredAt: _, ...timeless } = fields
  return { ...(occurredAt === undefined ? timeless : fields), ...customerFields(fieldMap, labels) }
}

/** The payload of a shipment-completion message: with the pallets that remain of all its pallet events. */
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
  const fields: Record<(typeof completionFieldNames)[number], unknown> = {
    serviceShipmentId: String(shipment.id),
    orders: shipment.orders.map(({ number }) => number),
    url: shipmentUrl(settings.dashboardUrl, shipment.id),
    dockId: shipment.dock === null ? "" : String(shipment.dock.id),
    pallets: remaining(pallets).map((pallet) => palletPayload({ ...place, ...pallet }, undefined, settings))
  }
  return fields
}
