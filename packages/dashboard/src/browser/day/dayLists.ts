/** The GraphQL operations of the pages of days. */
import type { day as capability } from "@dockline/core/day/DayCapability"
import { listsOf } from "../api/operations.ts"
import type { Of } from "../api/operations.ts"

const list = listsOf<(typeof capability)["operations"]>()

const days = { business: "String!", facility: "String!", date: "String", days: "String" }

/** The groups of days, with the numbers of other capabilities. */
export const day = list(
  "day",
  days,
  "id group name shipments inbound outbound expected atDock departed onTime late complete short over palletsIn palletsOut \
medianMinutes longestMinutes detained detentionMinutes",
  "day"
)
export type DayRow = Of<typeof day>

/** The earlier days for comparison. */
export const dayTrend = list(
  "dayTrend",
  days,
  "id kind date shipments departed onTime late short palletsIn palletsOut detained medianMinutes"
)
export type TrendRow = Of<typeof dayTrend>

/** The shipments of days, with the numbers of other capabilities. */
export const dayShipments = list(
  "dayShipments",
  { ...days, group: "DayGroupKind", name: "String", counted: "String" },
  "id shipmentNumber status direction dockSlug carrier arrivedAt departedAt missingPallets unexpectedPallets palletsIn palletsOut",
  "dayShipment"
)
export type DayShipmentRow = Of<typeof dayShipments>
