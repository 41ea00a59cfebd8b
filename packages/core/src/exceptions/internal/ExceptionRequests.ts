/** The example requests of exceptions, about the shipment of the first example document and the pallet of the first example event. */
import { example } from "../../access/Operation.ts"

export const requests = {
  reportException: {
    shipment: example("Of the whole shipment", {
      kind: "OTHER",
      priority: "LOW",
      description: "The seal was broken before we opened the doors"
    }),
    pallet: example("Of a pallet", {
      palletId: "1",
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
