/**
 * The figures of a day or a week of a facility: counts of its shipments in total, and by day, hour, dock, carrier and supplier (D13.13).
 *
 * Guarantee: the figures are a pure function of the shipments and the rules. The total counts each shipment once; a shipment with orders of
 * several suppliers counts in the group of each.
 */
import { Order, Record, Schema, Struct } from "effect"
import type { Counts } from "../capability/Capability.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import { shipmentStatuses } from "../values/Vocabulary.ts"

/** The most shipments that are counted at once: those of a whole request, or those of one day for a trend. */
export const dayShipmentsAtMost = 10_000

/** A shipment is late if it arrives more than this number of minutes after the expected time. */
export const lateAfterMinutes = 10

const minutes = (description: string) => Schema.Finite.annotate({ description })

/** A shipment of the days. Cancelled shipments are left out. */
export const DayShipment = Schema.Struct({
  id: shownWhole("Id of the shipment"),
  shipmentNumber: shownText("Number of the shipment"),
  status: Schema.Literals(shipmentStatuses).annotate({
    identifier: "ShipmentStatus",
    description: "How far the shipment is"
  }),
  direction: shownText("Direction of the shipment"),
  expectedArrivalAt: shownText("When it is expected, RFC 3339 in UTC"),
  scheduledAt: shownText("When it was announced, RFC 3339 in UTC"),
  arrivedAt: shownText("When it arrived, RFC 3339 in UTC, or empty"),
  departedAt: shownText("When it departed, RFC 3339 in UTC, or empty"),
  dockSlug: shownText("Its dock, or empty"),
  carrier: shownText("Its carrier, or empty"),
  suppliers: Schema.Array(Schema.String).annotate({ description: "The suppliers of its orders, each once" }),
  missingPallets: shownWhole("How many expected pallets have not passed"),
  unexpectedPallets: shownWhole("How many pallets have passed that it does not expect"),
  palletsIn: shownWhole("Pallets that were unloaded, and not loaded again"),
  palletsOut: shownWhole("Pallets that were loaded, and not unloaded again")
}).annotate({ identifier: "DayShipment", description: "A shipment of a day or a week." })

/** A shipment of the days. Cancelled shipments are left out. */
export type DayShipment = typeof DayShipment.Type

/** The properties by which shipments are grouped. */
export const dayGroups = ["TOTAL", "DATE", "HOUR", "DOCK", "CARRIER", "SUPPLIER"] as const

/** A group of shipments with its figures, as clients see it. */
export const DayGroup = Schema.Struct({
  id: shownText("The kind of group, and its name"),
  group: Schema.Literals(dayGroups).annotate({
    description:
      "The kind of group: all shipments, or those with the same day, hour, dock, carrier or supplier"
  }),
  name: shownText(
    "The day, the hour (00 to 23), the dock, the carrier or the supplier; empty for all shipments, and for those without one"
  ),
  shipments: shownWhole("Shipments that are expected, present or departed"),
  inbound: shownWhole("Those that bring goods"),
  outbound: shownWhole("Those that take goods"),
  expected: shownWhole("Those that have not come"),
  atDock: shownWhole("Shipments that have arrived and not departed"),
  departed: shownWhole("Those that have departed"),
  onTime: shownWhole("Shipments with an expected time that arrived in time"),
  late: shownWhole(`Shipments that arrived more than ${lateAfterMinutes} minutes after their expected time`),
  complete: shownWhole("Shipments that departed without a missing or unexpected pallet"),
  short: shownWhole("Shipments that departed while an expected pallet was missing"),
  over: shownWhole("Shipments that departed with an unexpected pallet"),
  palletsIn: shownWhole("Pallets that were unloaded, and not loaded again"),
  palletsOut: shownWhole("Pallets that were loaded, and not unloaded again"),
  medianMinutes: minutes(
    "The median of the minutes from arrival to departure, of shipments that departed; 0 if none has"
  ),
  longestMinutes: minutes("The longest of these times"),
  detained: shownWhole("Shipments that took longer than the limit"),
  detentionMinutes: minutes("The sum of the minutes beyond the limit")
}).annotate({
  identifier: "DayGroup",
  description: "A group of the shipments of a day or a week, with its figures."
})

/** A group of shipments with its figures, as clients see it. */
export type DayGroup = typeof DayGroup.Type

/** The kinds of figures in a trend. */
const trendKinds = ["BEFORE", "AVERAGE", "DATE"] as const

/** The average of a trend covers this number of days before the requested ones. */
export const averageDays = 28

/** A trend has figures for each of this number of days, the last of which is the last requested day. */
export const dailyDays = 14

const average = (description: string) =>
  Schema.Finite.annotate({ description: `${description}, rounded to a tenth in an average` })

/** Figures to compare days with, as clients see them. */
export const DayTrend = Schema.Struct({
  id: shownText("The kind of figures, and their first day"),
  kind: Schema.Literals(trendKinds).annotate({
    description: "As many days as requested, right before them; the average of so many days; or one day"
  }),
  date: shownText("The first day that is counted, YYYY-MM-DD"),
  shipments: average("Shipments that are expected, present or departed"),
  departed: average("Those that have departed"),
  onTime: average("Shipments with an expected time that arrived in time"),
  late: average(`Shipments that arrived more than ${lateAfterMinutes} minutes after their expected time`),
  short: average("Shipments that departed while an expected pallet was missing"),
  palletsIn: average("Pallets that were unloaded, and not loaded again"),
  palletsOut: average("Pallets that were loaded, and not unloaded again"),
  detained: average("Shipments that took longer than the limit"),
  medianMinutes: minutes(
    "The median of the minutes from arrival to departure, of shipments that departed; 0 if none has"
  )
}).annotate({ identifier: "DayTrend", description: "Figures to compare the days of a facility with." })

/** Figures to compare days with, as clients see them. */
export type DayTrend = typeof DayTrend.Type

/** The settings by which shipments are counted. */
export interface DayRules {
  /** The day and the hour of a time at the facility: `2026-11-20 07`. */
  readonly hourOf: (time: string) => string
  /** The requested days, in ascending order. */
  readonly dates: ReadonlyArray<string>
  readonly detentionMinutes: number
  /** The names of the counts of other capabilities; none by default. */
  readonly counts?: ReadonlyArray<string>
}

const minutesOf = ({ arrivedAt, departedAt }: DayShipment): number | undefined =>
  arrivedAt === "" || departedAt === ""
    ? undefined
    : Math.max(0, Math.round((Date.parse(departedAt) - Date.parse(arrivedAt)) / 6000) / 10)

/** The lower median of numbers in ascending order; 0 without numbers. */
const median = (numbers: ReadonlyArray<number>): number => numbers[Math.ceil(numbers.length / 2) - 1] ?? 0

/**
 * The minutes from the expected time of a shipment to its arrival; `undefined` before the arrival, and for a shipment without an expected
 * time, which has the time of its announcement instead.
 */
const delayOf = ({ arrivedAt, expectedArrivalAt, scheduledAt }: DayShipment): number | undefined =>
  arrivedAt === "" || expectedArrivalAt === scheduledAt
    ? undefined
    : (Date.parse(arrivedAt) - Date.parse(expectedArrivalAt)) / 60_000

/** The time at which a shipment counts (D13.10). */
const countsAt = ({ arrivedAt, departedAt, expectedArrivalAt }: DayShipment): string =>
  departedAt || arrivedAt || expectedArrivalAt

/** The amount that a shipment adds to a figure. */
type Measure = (shipment: CountedShipment, limit: number) => number

const departed = ({ status }: DayShipment): boolean => status === "DEPARTED"

/** The minutes beyond the limit that a departed shipment took. */
const beyond: Measure = (shipment, limit) =>
  departed(shipment) ? Math.max(0, (minutesOf(shipment) ?? 0) - limit) : 0

const measures = {
  shipments: () => 1,
  inbound: ({ direction }) => Number(direction === "INBOUND"),
  outbound: ({ direction }) => Number(direction === "OUTBOUND"),
  expected: ({ status }) => Number(status === "SCHEDULED"),
  atDock: ({ status }) => Number(status === "ARRIVED"),
  departed: (shipment) => Number(departed(shipment)),
  onTime: (shipment) => Number((delayOf(shipment) ?? Infinity) <= lateAfterMinutes),
  late: (shipment) => Number((delayOf(shipment) ?? -Infinity) > lateAfterMinutes),
  complete: (shipment) =>
    Number(departed(shipment) && shipment.missingPallets + shipment.unexpectedPallets === 0),
  short: (shipment) => Number(departed(shipment) && shipment.missingPallets > 0),
  over: (shipment) => Number(departed(shipment) && shipment.unexpectedPallets > 0),
  palletsIn: ({ palletsIn }) => palletsIn,
  palletsOut: ({ palletsOut }) => palletsOut,
  detained: (shipment, limit) => Number(beyond(shipment, limit) > 0)
} satisfies Readonly<Record<string, Measure>>

/** A figure of a group that counts shipments or their parts: one of {@link dayNumbers}, or a count of another capability. */
export type DayNumber = keyof typeof measures | (string & {})

/** The figures of a group that count shipments or their parts. */
export const dayNumbers: ReadonlyArray<DayNumber> = Struct.keys(measures)

/** A shipment of a day with its counts by other capabilities. */
export type CountedShipment = DayShipment & { readonly counts?: Counts }

const measureOf = (name: DayNumber): Measure =>
  (measures as Readonly<Record<string, Measure>>)[name] ?? (({ counts }) => counts?.[name] ?? 0)

/** Shows a shipment of a day with its counts by other capabilities. */
export const shownWithCounts = ({ counts, ...shipment }: CountedShipment): DayShipment => ({
  ...shipment,
  ...counts
})

/** The minutes that departed shipments took, in ascending order. */
const minutesOfDeparted = (shipments: ReadonlyArray<DayShipment>): ReadonlyArray<number> =>
  shipments.filter(departed).flatMap((shipment) => minutesOf(shipment) ?? [])
    .sort((left, right) => left - right)

const countRow = (
  group: DayGroup["group"],
  name: string,
  shipments: ReadonlyArray<CountedShipment>,
  limit: number,
  counts: ReadonlyArray<string>
): DayGroup => {
  const sum = (of: Measure): number => shipments.reduce((total, shipment) => total + of(shipment, limit), 0)
  const minutes = minutesOfDeparted(shipments)
  return {
    id: name === "" ? group : `${group} ${name}`,
    group,
    name,
    ...Record.map(measures, sum),
    ...Object.fromEntries(counts.map((name) => [name, sum(measureOf(name))])),
    medianMinutes: median(minutes),
    longestMinutes: minutes.at(-1) ?? 0,
    detentionMinutes: Math.round(sum(beyond) * 10) / 10
  }
}

/** For each kind of group, the names of the groups that a shipment is in; `""` is the group of shipments without a value. */
const groupings = {
  TOTAL: () => [""],
  DATE: (_shipment, at) => [at.slice(0, 10)],
  HOUR: (_shipment, at) => [at.slice(-2)],
  DOCK: ({ dockSlug }) => [dockSlug],
  CARRIER: ({ carrier }) => [carrier],
  SUPPLIER: ({ suppliers }) => suppliers.length === 0 ? [""] : suppliers
} satisfies Readonly<
  Record<typeof dayGroups[number], (shipment: DayShipment, at: string) => ReadonlyArray<string>>
>

/**
 * The figures of the days: the total; each requested day; each hour that has shipments; and each dock, carrier and supplier, followed by
 * the group of shipments without one. Groups are in the order of their names. A shipment counts at its time (D13.10).
 */
export const dayOf = (
  shipments: ReadonlyArray<CountedShipment>,
  { counts = [], dates, detentionMinutes, hourOf }: DayRules
): ReadonlyArray<DayGroup> => {
  const times = shipments.map((shipment) => [shipment, hourOf(countsAt(shipment))] as const)
  return dayGroups.flatMap((group) => {
    const always = group === "TOTAL" ? [""] : group === "DATE" ? dates : []
    const groups = new Map<string, Array<CountedShipment>>(always.map((name) => [name, []]))
    for (const [shipment, at] of times) {
      for (const name of groupings[group](shipment, at)) {
        const same = groups.get(name)
        if (same === undefined) groups.set(name, [shipment])
        else same.push(shipment)
      }
    }
    return Array.from(groups)
      .sort(([left], [right]) => left === "" ? 1 : right === "" ? -1 : Order.String(left, right))
      .map(([name, same]) => countRow(group, name, same, detentionMinutes, counts))
  })
}

/** Selects the shipments that a figure of a group counts. */
export interface DayQuery {
  readonly group: DayGroup["group"]
  readonly name: string
  readonly number: DayNumber
}

/** The shipments that a figure of a group counts, or whose parts it counts, ordered by time and then by id. */
export const countedBy = (
  shipments: ReadonlyArray<CountedShipment>,
  { number, group, name }: DayQuery,
  { detentionMinutes, hourOf }: DayRules
): ReadonlyArray<CountedShipment> =>
  shipments
    .filter((shipment) =>
      groupings[group](shipment, hourOf(countsAt(shipment))).includes(name) &&
      measureOf(number)(shipment, detentionMinutes) > 0
    )
    .sort((left, right) => Order.String(countsAt(left), countsAt(right)) || left.id - right.id)

/** The figures of a day for a trend, without its shipments. */
export interface DaySums {
  readonly date: string
  readonly sums: Readonly<Record<TrendMeasure, number>>
  /** The minutes that departed shipments took. */
  readonly minutes: ReadonlyArray<number>
}

const trendMeasures = [
  "shipments",
  "departed",
  "onTime",
  "late",
  "short",
  "palletsIn",
  "palletsOut",
  "detained"
] as const satisfies ReadonlyArray<keyof typeof measures>

type TrendMeasure = (typeof trendMeasures)[number]

const sumsBy = (of: (name: TrendMeasure) => number): Readonly<Record<TrendMeasure, number>> =>
  Object.fromEntries(trendMeasures.map((name) => [name, of(name)])) as Record<TrendMeasure, number>

/** Counts a day for a trend. */
export const sumsOf = (
  date: string,
  shipments: ReadonlyArray<DayShipment>,
  detentionMinutes: number
): DaySums => ({
  date,
  sums: sumsBy((name) =>
    shipments.reduce((sum, shipment) => sum + measures[name](shipment, detentionMinutes), 0)
  ),
  minutes: minutesOfDeparted(shipments)
})

const trendRow = (
  kind: DayTrend["kind"],
  date: string,
  days: ReadonlyArray<DaySums>,
  periods = 1
): DayTrend => ({
  id: kind === "DATE" ? `${kind} ${date}` : kind,
  kind,
  date,
  ...sumsBy((name) => Math.round(10 * days.reduce((sum, { sums }) => sum + sums[name], 0) / periods) / 10),
  medianMinutes: median(days.flatMap(({ minutes }) => minutes).sort((left, right) => left - right))
})

/**
 * The figures with which to compare the last `span` days of some consecutive days: the `span` days before them; the average of the four
 * weeks before them, over the periods of `span` days that have shipments; and each of the last {@link dailyDays} days.
 */
export const trendOf = (
  days: ReadonlyArray<DaySums>,
  span: number
): ReadonlyArray<DayTrend> => {
  const past = days.slice(0, -span).slice(-averageDays)
  const periods = Array.from(
    { length: past.length / span },
    (_, at) => past.slice(at * span, (at + 1) * span)
  )
  const busy = periods.filter((period) => period.some(({ sums }) => sums.shipments > 0))
  return [
    trendRow("BEFORE", past.at(-span)!.date, past.slice(-span)),
    trendRow("AVERAGE", past[0]!.date, busy.flat(), Math.max(1, busy.length)),
    ...days.slice(-dailyDays).map((day) => trendRow("DATE", day.date, [day]))
  ]
}
