/** The figures of days: `Client.make({ …, capabilities: [day] })` has `day`, `dayTrend` and `dayShipments` (D13.13). */
import type { day as capability } from "@dockline/core/day/DayCapability"
import * as ClientCapability from "./ClientCapability.ts"

/** The figures of a facility's days. */
export const day = ClientCapability.make<typeof capability>()({
  day: "list GET /v1/day",
  dayTrend: "list GET /v1/day/trend",
  dayShipments: "list GET /v1/day/shipments"
})
