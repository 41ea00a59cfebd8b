/**
 * The example pallet events of the reference, and the answers to them.
 *
 * Guarantee: on a service with the demo data (D12.2) that has taken the first example document, every event is accepted
 * as it stands, in the order given and as often as one likes.
 */
import type { PalletAnswer } from "@dockline/core/Pallet"
import type { schema } from "@dockline/core/PalletEventInput"
import type { ShipmentView } from "@dockline/core/View"

/** A named example of a pallet event. */
export interface PalletExample {
  readonly summary: string
  readonly description: string
  readonly value: (typeof schema)["Encoded"]
}

const at = { business: "acme", facility: "east", dockSlug: "D1", direction: "LOADING" } as const

/** The examples by name. */
export const events: Readonly<Record<string, PalletExample>> = {
  byLpn: {
    summary: "By the pallet's lpn",
    description: "The shipment is the one that has an item with this lpn. It arrives with its first pallet.",
    value: {
      eventId: "E-1001",
      ...at,
      occurredAt: "2026-11-20T17:02:11Z",
      labels: [
        { name: "lpn", value: "000123" },
        { name: "sku", value: "SKU-100" },
        { name: "lot", value: "L-2026-47" },
        { name: "expiration", value: "2027-05-31" }
      ]
    }
  },
  byShipmentNumber: {
    summary: "Of a shipment by its number",
    description: "Several values of one label are sent as several entries.",
    value: {
      eventId: "E-1002",
      ...at,
      occurredAt: "2026-11-20T18:05:40+01:00",
      shipmentNumber: "SHP-1001",
      labels: [
        { name: "lpn", value: "000124" },
        { name: "sku", value: "SKU-200" },
        { name: "sku", value: "SKU-201" }
      ]
    }
  },
  withoutLabels: {
    summary: "Nothing could be read",
    description: "The shipment is the one that arrived last at the dock; the pallet is one of its own.",
    value: { eventId: "E-1003", ...at, occurredAt: "2026-11-20T17:09:02Z", labels: [] }
  }
}

/** The answer to `byLpn`. */
export const answer: PalletAnswer = {
  messageId: 90_071,
  serviceShipmentId: "4711",
  servicePalletId: "815",
  orders: ["SO-1001"]
}

/** A shipment as it is once it has arrived, and once it has departed. */
export const moved = (
  scheduled: ShipmentView
): { readonly arrived: ShipmentView; readonly departed: ShipmentView } => {
  const arrived = step(scheduled, "ARRIVED", "2026-11-20T16:42:00.000Z")
  const departed = step(arrived, "DEPARTED", "2026-11-20T18:05:00.000Z")
  return {
    arrived,
    departed: { ...departed, orders: departed.orders.map((order) => ({ ...order, status: "COMPLETED" })) }
  }
}

const step = (shipment: ShipmentView, status: ShipmentView["status"], completedAt: string): ShipmentView => ({
  ...shipment,
  status,
  statusEvents: shipment.statusEvents.map((event) =>
    event.status === status ? { ...event, completed: true, completedAt } : event
  )
})
