/**
 * The operations on the figures of a facility's days (D13.13).
 */
import { Schema, Struct } from "effect"
import { open } from "../access/OpenWords.ts"
import * as Operation from "../access/Operation.ts"
import { placeErrors } from "../places/Authorize.ts"
import { timeZoneFault } from "../places/Place.ts"
import { InvalidParameter } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import {
  averageDays,
  dailyDays,
  DayGroup,
  dayGroups,
  dayNumbers,
  DayShipment,
  dayShipmentsAtMost,
  DayTrend
} from "./Day.ts"
import type { DayNumber } from "./Day.ts"

/** The checks of the filters: the fault of a text, or `undefined`. Every interface applies them. */
const faults = {
  date: (text: string) =>
    text === "" || (/^(19[7-9]|[2-8]\d\d)/.test(text) && Timestamp.isCalendarDate(text))
      ? undefined
      : "must be a date, YYYY-MM-DD, from 1970 to 8999",
  days: (text: string) => ["", "1", "7"].includes(text) ? undefined : "must be 1 or 7",
  timeZone: (text: string) => text === "" ? undefined : timeZoneFault(text),
  detentionMinutes: (text: string) =>
    /^\d{0,5}$/.test(text) ? undefined : "must be a whole number of at most 99999"
}

const filter = (name: keyof typeof faults, description: string) =>
  Schema.optionalKey(Field.stringField(description, faults[name]))

const filters = {
  business: Field.slug("Slug of the business."),
  facility: Field.slug("Slug of the facility."),
  date: filter("date", "The first day, YYYY-MM-DD; today when absent."),
  days: filter("days", "How many days: 1 or 7; 1 when absent."),
  timeZone: filter(
    "timeZone",
    "The IANA time zone of the days and hours; the facility's when absent."
  ),
  detentionMinutes: filter(
    "detentionMinutes",
    "The minutes that a shipment may take from arrival to departure; the facility's limit when absent."
  )
}

/** Counts the shipments of a day or a week by group. */
export const day = Operation.list("day", {
  rest: "GET /v1/day",
  params: {},
  filters,
  cursor: "count",
  row: DayGroup,
  page: "DayPage",
  holds: ["groups of shipments", "this order: the total, days, hours, docks, carriers and suppliers"],
  columns: Operation.columns(...Struct.keys(Struct.omit(DayGroup.fields, ["id"]))),
  errors: [InvalidParameter, ...placeErrors],
  summary: "Read the figures of a day",
  description:
    `The shipments and pallets of a facility in a day or a week, counted in total, by day, by hour, by dock, by carrier and by supplier. A shipment \
counts at the time of its departure, else of its arrival, else at its expected time. Cancelled shipments do not count. A request for \
more than ${dayShipmentsAtMost} shipments is refused.`
})

/** Computes figures to compare a day or a week with. */
export const dayTrend = Operation.list("dayTrend", {
  rest: "GET /v1/day/trend",
  params: {},
  filters,
  cursor: "count",
  row: DayTrend,
  page: "DayTrendPage",
  holds: ["figures for comparison", "this order: the days before, the average and each day"],
  columns: Operation.columns(...Struct.keys(Struct.omit(DayTrend.fields, ["id"]))),
  errors: [InvalidParameter, ...placeErrors],
  summary: "Read figures to compare a day with",
  description:
    `Figures with which to compare the requested days of a facility: those of the same number of days directly before; the average for that \
number of days over the ${
      averageDays / 7
    } weeks before, leaving out periods without shipments; and those of each of the ${dailyDays} days up to the last \
requested one. If a day has more than ${dayShipmentsAtMost} shipments, the request is refused, and the error names the day.`
})

/** Lists the shipments that a figure of a day counts. */
export const dayShipments = Operation.list("dayShipments", {
  rest: "GET /v1/day/shipments",
  params: {},
  filters: {
    ...filters,
    group: Schema.optionalKey(
      Operation.word("DayGroupKind", dayGroups, "The group of the figure; TOTAL when absent.")
    ),
    name: Schema.optionalKey(
      Field.text("The name of the group; empty for TOTAL and for the group of shipments without a value.")
    ),
    counted: open("shipmentCounts", [], (counts: ReadonlyArray<DayNumber>) =>
      Schema.optionalKey(
        Field.word<DayNumber>(
          [...dayNumbers, ...counts],
          "Which figure of the group, such as late; shipments when absent."
        )
      ))
  },
  cursor: "count",
  row: DayShipment,
  page: "DayShipmentPage",
  holds: ["shipments of a day", "the order of their times"],
  columns: Operation.columns(
    "shipmentNumber",
    "status",
    "direction",
    "dockSlug",
    "carrier",
    "suppliers",
    "expectedArrivalAt",
    "arrivedAt",
    "departedAt",
    "missingPallets",
    "unexpectedPallets",
    "palletsIn",
    "palletsOut",
    "scheduledAt",
    "id"
  ),
  errors: [InvalidParameter, ...placeErrors],
  summary: "List the shipments of a figure",
  description:
    `The shipments that a figure of the day counts, or whose parts it counts, such as \`group=DOCK&name=D1&counted=late\`, in the order \
of their times. A request for days with more than ${dayShipmentsAtMost} shipments is refused.`
})

/** The filters of a query for the figures of days. */
export type DayQuery = Operation.Query<typeof day>

/** The filters of a query for the shipments that a figure counts. */
export type DayShipmentsQuery = Operation.Query<typeof dayShipments>

/** The faults of the filters of a query for days, each with the name of its filter. */
export const faultsOfDay = (query: DayQuery): InvalidParameter["errors"] =>
  Struct.keys(faults).flatMap((path) => {
    const detail = faults[path](query[path] ?? "")
    return detail === undefined ? [] : [{ path, detail }]
  })
