/** The examples of exceptions: requests, answers and messages about the pallet of the first example event. */
import { example } from "../../access/Operation.ts"
import { pallet, shipment } from "../../operations/PalletExamples.ts"
import type { ExceptionView } from "../ExceptionView.ts"

/** What somebody had reported of the pallet of `byLpn`, resolved. */
export const exception: ExceptionView = {
  id: "12",
  palletId: pallet.id,
  lpn: pallet.lpn,
  kind: "DAMAGED",
  priority: "HIGH",
  description: "Two cartons crushed on the left",
  status: "RESOLVED",
  reportedAt: "2026-11-20T17:05:00.000Z",
  reportedBy: "acme-client",
  resolvedAt: "2026-11-20T17:40:00.000Z",
  resolvedBy: "acme-client",
  note: "Replaced both cartons",
  business: pallet.business,
  facility: pallet.facility,
  shipmentId: pallet.shipmentId,
  shipmentNumber: pallet.shipmentNumber
}

/** The payload of the message that it was reported. */
export const reported = {
  ...shipment,
  occurredAt: exception.reportedAt,
  exception: { ...exception, status: "OPEN", resolvedAt: "", resolvedBy: "", note: "" }
}

/** The payload of the message that it is resolved. */
export const resolved = { ...shipment, occurredAt: exception.resolvedAt, exception }

/** What requests say. */
export const requests = {
  reportException: {
    shipment: example("Of the whole shipment", {
      kind: "OTHER",
      priority: "LOW",
      description: "The seal was broken before we opened the doors"
    }),
    pallet: example("Of a pallet", {
      palletId: "815",
      kind: "DAMAGED",
      priority: "HIGH",
      description: "Two cartons crushed on the left"
    }, "The pallet must have been seen on this shipment."),
    missing: example("Of a pallet that is missing", {
      lpn: "000124",
      kind: "SHORT",
      priority: "HIGH",
      description: "Not on the truck"
    }, "Its LPN names it, as no tower has seen it.")
  },
  resolveException: { resolve: example("Resolved", { note: "Replaced both cartons" }) }
}
