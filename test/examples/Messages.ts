/** Messages as the service sends them, for tests of the customer. */
import type { PushMessage } from "../../examples/customer/src/PushMessage.ts"

/** How a pallet message differs from the first pallet being loaded on shipment 1. */
export interface PalletOptions {
  readonly shipment?: string
  readonly pallet?: string
  readonly direction?: "LOADING" | "UNLOADING"
  /** The second of the minute. */
  readonly second?: number
}

const record = (id: number, messageType: string, message: PushMessage["message"]): PushMessage => ({
  id,
  businessSlug: "acme",
  facilitySlug: "east",
  messageType,
  message,
  sentAt: "2026-11-20T17:00:00.000+00:00"
})

const palletPayload = ({ shipment = "1", pallet = "1", direction = "LOADING" }: PalletOptions) => ({
  businessSlug: "acme",
  facilitySlug: "east",
  serviceShipmentId: shipment,
  servicePalletId: pallet,
  url: `https://dashboard.test/shipments/${shipment}/pallets/${pallet}`,
  direction,
  orders: ["SO-1"],
  dockId: "1",
  LPN: `LPN-${pallet}`
})

/** A pallet message. */
export const pallet = (id: number, options: PalletOptions = {}): PushMessage =>
  record(id, "PALLET_EVENT", {
    ...palletPayload(options),
    occurredAt: `2026-11-20T17:00:${String(options.second ?? id).padStart(2, "0")}.000Z`
  })

/** The completion of shipment 1, with the pallets that remain. */
export const completion = (id: number, pallets: ReadonlyArray<PalletOptions>): PushMessage =>
  record(id, "SHIPMENT_COMPLETE", {
    serviceShipmentId: "1",
    orders: ["SO-1"],
    url: "https://dashboard.test/shipments/1",
    dockId: "1",
    pallets: pallets.map(palletPayload)
  })
