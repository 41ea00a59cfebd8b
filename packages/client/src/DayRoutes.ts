/** What days were: `Client.make({ …, capabilities: [day] })` has `day` and `dayShipments` (D13.13). */
import type { day as capability } from "@dockline/core/day/DayCapability"
import * as ClientCapability from "./ClientCapability.ts"

/** What days of facilities were. */
export const day = ClientCapability.make<typeof capability>()({
  day: "list GET /v1/day",
  dayShipments: "list GET /v1/day/shipments"
})
