/** The GraphQL operations of the pages of days. */
import type { day as capability } from "@dockline/core/day/DayCapability"
import { listsOf } from "../api/operations.ts"
import type { Of } from "../api/operations.ts"

const list = listsOf<(typeof capability)["operations"]>()

const days = "$business: String!, $facility: String!, $date: String, $days: String"

export const day = list(
  "day",
  days,
  "id group name shipments inbound outbound expected atDock departed onTime late complete short over palletsIn palletsOut \
exceptions openExceptions medianMinutes longestMinutes detained detentionMinutes"
)
export type DayRow = Of<typeof day>

export const dayShipments = list(
  "dayShipments",
  `${days}, $group: DayGroupKind, $name: String, $counted: String`,
  "id shipmentNumber status direction dockSlug carrier arrivedAt departedAt missingPallets unexpectedPallets palletsIn palletsOut \
openExceptions"
)
export type DayShipmentRow = Of<typeof dayShipments>
