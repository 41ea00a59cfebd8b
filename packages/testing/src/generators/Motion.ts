/** What the tests of shipments in motion start from: builders that need only what a test is about. */
import type { PalletEvent } from "@dockline/core/movement/Pallet"
import { aGrant, aPrincipal, earlier } from "./Given.ts"

/** A client that may move everything at acme. */
export const mover = aPrincipal(aGrant("acme", "*", ["pallets:write", "shipments:write"]))

/** The dashboard that messages link to. */
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
