/** The part of days on the dashboard; its pages are loaded when they are first opened. */
import type { DashboardCapability } from "../capability.ts"
import { lazy } from "../ui/Frame.tsx"
import { icon } from "../ui/Parts.tsx"

const DayIcon = icon("M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M8 17v-3M12 17v-4M16 17v-2")

const Day = lazy(() => import("./Day.tsx").then(({ Day }) => Day))
const DayShipments = lazy(() => import("./DayShipments.tsx").then(({ DayShipments }) => DayShipments))

export const day: DashboardCapability = {
  name: "day",
  pages: [{ target: "/day", label: "Day", key: "y", List: Day, tab: { Icon: DayIcon, after: "/docks" } }],
  lists: { "/day/shipments": DayShipments }
}
