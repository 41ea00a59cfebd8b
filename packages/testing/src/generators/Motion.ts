/** Starting points for the tests of shipments in motion: builders that only need the fields under test. */
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { aGrant, aPrincipal, earlier } from "./Given.ts"

/** A client that may move everything at acme. */
export const mover = aPrincipal(aGrant("acme", "*", ["pallets:write", "shipments:write"]))

/** The address of the dashboard in links of messages. */
export const dashboardUrl = "https://dashboard.example.com"

/** The labels of a pallet, as `[name, value]`. */
export const labelsOf = (...labels: ReadonlyArray<readonly [name: string, value: string]>) =>
  labels.map(([name, value]) => ({ name, value }))

/** The pallet L1, loaded at dock D1 of acme's east hub. */
export const aPalletEvent = (fields: Partial<PalletEvent> = {}): PalletEvent => ({
  eventId: "E1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: earlier,
  shipmentId: null,
  shipmentNumber: "",
  labels: labelsOf(["lpn", "L1"]),
  ...fields
})
