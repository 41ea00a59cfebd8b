/** Reads days: the days in the address of a page, the GraphQL operations, and the names of the numbers that are counted for a day. */
import type { DayNumber } from "@dockline/core/day/Day"
import type { day as capability } from "@dockline/core/day/DayCapability"
import { listsOf } from "../api/operations.ts"
import type { Of } from "../api/operations.ts"
import { numbersAdded } from "../capability.ts"
import { query } from "../router.ts"
import { slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { calendarDate, dayOf, daysAfter, now } from "../time.ts"

const own = {
  shipments: "Shipments",
  inbound: "Inbound",
  outbound: "Outbound",
  expected: "Expected",
  atDock: "At a dock",
  departed: "Departed",
  onTime: "On time",
  late: "Late",
  complete: "Complete",
  short: "Short",
  over: "Over",
  palletsIn: "Pallets in",
  palletsOut: "Pallets out",
  detained: "Detained"
} as const

/** The numbers, including those of other capabilities, with their labels. */
export const numbers = (): Readonly<Record<DayNumber, string>> => ({
  ...own,
  ...Object.fromEntries(numbersAdded().flat())
})

/** The name of a number. */
export const nameOfNumber = (number: DayNumber): string => numbers()[number] ?? number

/** A number of a row; 0 if it is absent, as a number of another capability may be. */
export const numberOf = (row: object, number: DayNumber): number => {
  const value = (row as Readonly<Record<string, unknown>>)[number]
  return typeof value === "number" ? value : 0
}

/** The days in the address, as a query to the service. */
export const queryOf = (place: Place) => {
  const today = dayOf(new Date(now.value))
  const date = query.value.get("date") ?? ""
  const days = query.value.get("days") === "7" ? "7" : "1"
  return { ...slugsOf(place), date: daysAfter(date, 0) === "" ? today : date, days } as const
}

export const titleOf = ({ date, days }: ReturnType<typeof queryOf>): string =>
  days === "1" ? calendarDate(date) : `${calendarDate(date)} to ${calendarDate(daysAfter(date, 6))}`

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
