/** The days that a page of a facility is about, and the numbers that count what happened then. */
import type { DayNumber } from "@dockline/core/day/Day"
import { query } from "../router.ts"
import { slugsOf } from "../session.ts"
import type { Place } from "../session.ts"
import { calendarDate, dayOf, daysAfter, now } from "../time.ts"

/** The numbers that count something, as people call what they count. */
export const numbers = {
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
  exceptions: "Exceptions",
  openExceptions: "Open exceptions",
  detained: "Detained"
} as const satisfies Readonly<Record<DayNumber, string>>

/** The days that the address names, as the service is asked for them. */
export const asked = (place: Place) => {
  const today = dayOf(new Date(now.value))
  const given = query.value.get("date") ?? ""
  const days = query.value.get("days") === "7" ? "7" : "1"
  return { ...slugsOf(place), date: daysAfter(given, 0) === "" ? today : given, days } as const
}

export const titleOf = ({ date, days }: ReturnType<typeof asked>): string =>
  days === "1" ? calendarDate(date) : `${calendarDate(date)} to ${calendarDate(daysAfter(date, 6))}`
