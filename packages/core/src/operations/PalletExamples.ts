/**
 * The example pallet events. A service with the demo data (D12.2) that has taken the first example document accepts every event, in this
 * order and repeatedly.
 */
import { example } from "../access/Operation.ts"
import type { RequestExample } from "../access/Operation.ts"
import type { schema } from "../movement/PalletEventInput.ts"

const at = { business: "acme", facility: "east", dockSlug: "D1", direction: "LOADING" } as const

/** Pallet events, by what they show; each has a summary, a description and a body. */
export const events = {
  byLpn: example("By the pallet's lpn", {
    eventId: "E-1001",
    ...at,
    occurredAt: "2026-11-20T17:02:11Z",
    labels: [
      { name: "lpn", value: "000123" },
      { name: "sku", value: "SKU-100" },
      { name: "lot", value: "L-2026-47" },
      { name: "expiration", value: "2027-05-31" }
    ]
  }, "The shipment is the one that has an item with this lpn. It arrives with its first pallet."),
  byShipmentNumber: example("Of a shipment by its number", {
    eventId: "E-1002",
    ...at,
    occurredAt: "2026-11-20T18:05:40+01:00",
    shipmentNumber: "SHP-1001",
    labels: [
      { name: "lpn", value: "000124" },
      { name: "sku", value: "SKU-200" },
      { name: "sku", value: "SKU-201" }
    ]
  }, "Several values of one label are sent as several entries."),
  withoutLabels: example("Nothing could be read", {
    eventId: "E-1003",
    ...at,
    occurredAt: "2026-11-20T17:09:02Z",
    labels: []
  }, "The shipment is the one that arrived last at the dock; the pallet is one of its own.")
} satisfies Readonly<Record<string, RequestExample<(typeof schema)["Encoded"]>>>
