/** Where the trace of goods is asked for from other pages (D13.14). */
import type { CapabilityLinks } from "../capability.ts"

/** From the lot of an item to its trace, and from shipments to the page. */
export const links: CapabilityLinks = {
  name: "trace",
  lot: (lot) => ["/trace", { lot }],
  shipments: { label: "Trace a lot", target: "/trace" }
}
