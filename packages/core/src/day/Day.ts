/**
 * What a day, or a week, of a facility was: its shipments counted together, by day, by hour, by dock, by carrier and by supplier (D13.13).
 *
 * Guarantee: the counts are a pure function of the shipments, whatever they are stored in; each shipment is counted once in all.
 */
import { Order, Record, Schema, Struct } from "effect"
import type { Counts } from "../shipment/ShipmentCounts.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import { shipmentStatuses } from "../values/Vocabulary.ts"

/** The most shipments of one answer. */
export const dayShipmentsAtMost = 10_000

/** A shipment comes late if it arrives so many minutes after it was expected. */
export const lateAfterMinutes = 10

const minutes = (description: string) => Schema.Finite.annotate({ description })

/** A shipment of the days, which is not cancelled. */
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

/** A shipment of the days, which is not cancelled. */
export type DayShipment = typeof DayShipment.Type

/** By what shipments are counted together. */
export const dayGroups = ["TOTAL", "DATE", "HOUR", "DOCK", "CARRIER", "SUPPLIER"] as const

/** Shipments that are counted together, as clients see them. */
export const DayGroup = Schema.Struct({
  id: shownText("What is counted together, and its name"),
  group: Schema.Literals(dayGroups).annotate({
    description:
      "What is counted together: all, or what has a day, an hour, a dock, a carrier or a supplier in common"
  }),
  name: shownText(
    "The day, the hour (00 to 23), the dock, the carrier or the supplier; empty in all, and of those without"
  ),
  shipments: shownWhole("Shipments that have come and gone, are there, or are expected"),
  inbound: shownWhole("Those that bring goods"),
  outbound: shownWhole("Those that take goods"),
  expected: shownWhole("Those that have not come"),
  atDock: shownWhole("Those that have arrived and not departed"),
  departed: shownWhole("Those that have departed"),
  onTime: shownWhole("Of those that arrived and were expected at a time, those that came in time"),
  late: shownWhole(`Those that came more than ${lateAfterMinutes} minutes after that time`),
  complete: shownWhole("Of those that departed, those without a missing or unexpected pallet"),
  short: shownWhole("Those that departed without an expected pallet"),
  over: shownWhole("Those that departed with a pallet that they do not expect"),
  palletsIn: shownWhole("Pallets that were unloaded, and not loaded again"),
  palletsOut: shownWhole("Pallets that were loaded, and not unloaded again"),
  medianMinutes: minutes(
    "Minutes from arrival to departure: half of those that departed took no longer; 0 without any"
  ),
  longestMinutes: minutes("The longest of these times"),
  detained: shownWhole("Those that took longer than the limit"),
  detentionMinutes: minutes("Minutes beyond the limit, of all of them")
}).annotate({
  identifier: "DayGroup",
  description: "Shipments of a day or a week that are counted together."
})

/** Shipments that are counted together, as clients see them. */
export type DayGroup = typeof DayGroup.Type

/** What a trend tells. */
const trendKinds = ["BEFORE", "AVERAGE", "DATE"] as const

/** How many days before those that are asked for make the average of a trend. */
export const averageDays = 28

/** How many days a trend tells one by one, the last of those that are asked for included. */
export const dailyDays = 14

const average = (description: string) =>
  Schema.Finite.annotate({ description: `${description}, rounded to a tenth in an average` })

/** What days were before, or were each, as clients see them. */
export const DayTrend = Schema.Struct({
  id: shownText("What it tells, and of which day"),
  kind: Schema.Literals(trendKinds).annotate({
    description: "As many days as are asked for, right before them; the average of so many days; or one day"
  }),
  date: shownText("The first day that is counted, YYYY-MM-DD"),
  shipments: average("Shipments that have come and gone, are there, or are expected"),
  departed: average("Those that have departed"),
  onTime: average("Of those that arrived and were expected at a time, those that came in time"),
  late: average(`Those that came more than ${lateAfterMinutes} minutes after that time`),
  short: average("Those that departed without an expected pallet"),
  palletsIn: average("Pallets that were unloaded, and not loaded again"),
  palletsOut: average("Pallets that were loaded, and not unloaded again"),
  detained: average("Those that took longer than the limit"),
  medianMinutes: minutes(
    "Minutes from arrival to departure: half of those that departed took no longer; 0 without any"
  )
}).annotate({ identifier: "DayTrend", description: "What to compare the days of a facility with." })

/** What days were before, or were each, as clients see them. */
export type DayTrend = typeof DayTrend.Type

/** When shipments count, and how long they may take. */
export interface DayRules {
  /** The day and the hour of a time at the facility: `2026-11-20 07`. */
  readonly hourOf: (time: string) => string
  /** The days that are asked for, from the first on. */
  readonly dates: ReadonlyArray<string>
  readonly detentionMinutes: number
  /** The names of what other capabilities count; none unless given. */
  readonly counts?: ReadonlyArray<string>
}

const minutesOf = ({ arrivedAt, departedAt }: DayShipment): number | undefined =>
  arrivedAt === "" || departedAt === ""
    ? undefined
    : Math.max(0, Math.round((Date.parse(departedAt) - Date.parse(arrivedAt)) / 6000) / 10)

/** The lower middle of numbers; 0 of none. */
const median = (numbers: ReadonlyArray<number>): number => numbers[Math.ceil(numbers.length / 2) - 1] ?? 0

/** By how many minutes a shipment came after the time at which it was expected; without such a time it has none. */
const delayOf = ({ arrivedAt, expectedArrivalAt, scheduledAt }: DayShipment): number | undefined =>
  arrivedAt === "" || expectedArrivalAt === scheduledAt
    ? undefined
    : (Date.parse(arrivedAt) - Date.parse(expectedArrivalAt)) / 60_000

/** The time at which a shipment counts (D13.10). */
const countsAt = ({ arrivedAt, departedAt, expectedArrivalAt }: DayShipment): string =>
  departedAt || arrivedAt || expectedArrivalAt

/** What a shipment adds to a number. */
type Measure = (shipment: CountedShipment, limit: number) => number

const departed = ({ status }: DayShipment): boolean => status === "DEPARTED"

/** How long a shipment that departed took beyond the limit. */
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

/** A number of a group that counts shipments, or something of them: one of these, or one that another capability counts. */
export type DayNumber = keyof typeof measures | (string & {})

/** The numbers of a group that count shipments, or something of them. */
export const dayNumbers: ReadonlyArray<DayNumber> = Struct.keys(measures)

/** A shipment of a day with what other capabilities count of it. */
export type CountedShipment = DayShipment & { readonly counts?: Counts }

const measureOf = (name: DayNumber): Measure =>
  (measures as Readonly<Record<string, Measure>>)[name] ?? (({ counts }) => counts?.[name] ?? 0)

/** Shows a shipment of a day with what other capabilities count of it. */
export const shownWithCounts = ({ counts, ...shipment }: CountedShipment): DayShipment => ({
  ...shipment,
  ...counts
})

/** How long those that departed took, in minutes, the shortest first. */
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

/** By what shipments are counted together, with the names of the groups that one is in; `""` is the group of those without. */
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
 * What the days were: all of them together; each day and each hour from the first to the last with something; each dock, carrier and supplier,
 * those without last.
 * A shipment counts at its time (D13.10).
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

/** Selects what a number of a group counts; what is absent selects all. */
export interface DayQuery {
  readonly group: DayGroup["group"]
  readonly name: string
  readonly number: DayNumber
}

/** The shipments that a number of a group counts, or of which it counts something, in the order of their times, and of ids where these are the same. */
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

/** What is counted of a day for a trend, without its shipments. */
export interface DaySums {
  readonly date: string
  readonly sums: Readonly<Record<TrendMeasure, number>>
  /** How long those that departed took, in minutes. */
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
 * What to compare the last `span` of some days with, which follow each other: as many days before them; the average of the periods of so
 * many days in the four weeks before them, of those with shipments; and each of the last {@link dailyDays} days.
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
