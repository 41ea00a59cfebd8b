/** `dockline trace`: traces goods (D13.14). */
import { trace as operation } from "@dockline/core/trace/TraceOperations"
import type { TraceEntry } from "@dockline/core/trace/TraceOperations"
import type { CapabilityPart } from "../../CapabilityPart.ts"
import { listCommand } from "../../commands/DerivedCommand.ts"

const command = listCommand("trace", operation, {
  columns: [
    "lot",
    "sku",
    "lpn",
    ["quantity", ({ quantity, quantityUnit }: TraceEntry) => `${quantity} ${quantityUnit}`.trim()],
    "orderNumber",
    "shipmentNumber",
    "departedAt",
    [
      "seen",
      ({ seenAt, seenDirection, seenDockSlug, seenShipmentId, seenShipmentNumber, shipmentId }) =>
        seenAt === ""
          ? "never"
          : `${seenDirection} at ${seenDockSlug} ${seenAt}${
            seenShipmentId === shipmentId ? "" : ` for ${seenShipmentNumber}`
          }`
    ]
  ],
  nothing: "No item has it.",
  examples: ["dockline trace --lot L-0417", "dockline trace --sku SKU-1 --business acme --csv > recall.csv"]
})

/** The capability's part for the command line. */
export const trace = { title: "traces", commands: [command] } as const satisfies CapabilityPart
