/**
 * What a day, or a week, of a facility was: its shipments counted together, by day, by hour, by dock, by carrier and by supplier (D13.13).
 *
 * Guarantee: the counts are a pure function of the shipments, whatever they are stored in; each shipment is counted once in all.
 */
import { Schema } from "effect"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import { timeOf } from "./Shipment.ts"

/** The most shipments of one answer. */
export const dayShipmentsAtMost = 10_000

/** A shipment comes late if it arrives so many minutes after it was expected. */
export const lateAfterMinutes = 10

/** A shipment of the days, which is not cancelled. */
export interface DayShipment {
  readonly id: number
  readonly status: ShipmentStatus
  readonly direction: string
  readonly expectedArrivalAt: Timestamp
  readonly scheduledAt: Timestamp
  readonly arrivedAt: Timestamp | null
  readonly departedAt: Timestamp | null
  /** The slug of its dock, or `""`. */
  readonly dockSlug: string
  readonly carrier: string
  /** The suppliers of its orders, each once, without `""`. */
  readonly suppliers: ReadonlyArray<string>
  readonly missingPallets: number
  readonly unexpectedPallets: number
  /** The pallets that remain unloaded, and loaded (D6.6). */
  readonly palletsIn: number
  readonly palletsOut: number
  /** The exceptions that people have reported of it, and those that are not resolved. */
  readonly exceptions: number
  readonly openExceptions: number
}

/** By what shipments are counted together. */
export const dayGroups = ["TOTAL", "DATE", "HOUR", "DOCK", "CARRIER", "SUPPLIER"] as const

const text = (description: string) => Schema.String.annotate({ description })
const count = (description: string) => Schema.Int.annotate({ description })
const minutes = (description: string) => Schema.Finite.annotate({ description })

/** Shipments that are counted together, as clients see them. */
export const DayGroup = Schema.Struct({
  id: text("What is counted together, and its name"),
  group: Schema.Literals(dayGroups).annotate({
    description:
      "What is counted together: all, or what has a day, an hour, a dock, a carrier or a supplier in common"
  }),
  name: text(
    "The day, the hour (00 to 23), the dock, the carrier or the supplier; empty in all, and of those without"
  ),
  shipments: count("Shipments that have come and gone, are there, or are expected"),
  inbound: count("Those that bring goods"),
  outbound: count("Those that take goods"),
  expected: count("Those that have not come"),
  atDock: count("Those that have arrived and not departed"),
  departed: count("Those that have departed"),
  onTime: count("Of those that arrived and were expected at a time, those that came in time"),
  late: count(`Those that came more than ${lateAfterMinutes} minutes after that time`),
  complete: count("Of those that departed, those without a missing or unexpected pallet"),
  short: count("Those that departed without an expected pallet"),
  over: count("Those that departed with a pallet that they do not expect"),
  palletsIn: count("Pallets that were unloaded, and not loaded again"),
  palletsOut: count("Pallets that were loaded, and not unloaded again"),
  exceptions: count("Exceptions that people have reported of these shipments"),
  openExceptions: count("Those of them that are not resolved"),
  medianMinutes: minutes(
    "Minutes from arrival to departure: half of those that departed took no longer; 0 without any"
  ),
  longestMinutes: minutes("The longest of these times"),
  detained: count("Those that took longer than the limit"),
  detentionMinutes: minutes("Minutes beyond the limit, of all of them")
}).annotate({
  identifier: "DayGroup",
  description: "Shipments of a day or a week that are counted together."
})

/** Shipments that are counted together, as clients see them. */
export type DayGroup = typeof DayGroup.Type

/** When shipments count, and how long they may take. */
export interface DayRules {
  /** The day and the hour of a time at the facility: `2026-11-20 07`. */
  readonly hourOf: (time: Timestamp) => string
  /** The days that are asked for, from the first on. */
  readonly dates: ReadonlyArray<string>
  readonly detentionMinutes: number
}

const minutesOf = ({ arrivedAt, departedAt }: DayShipment): ReadonlyArray<number> =>
  arrivedAt === null || departedAt === null
    ? []
    : [Math.max(0, Math.round((Date.parse(departedAt) - Date.parse(arrivedAt)) / 6000) / 10)]

/** The lower middle of numbers; 0 of none. */
const median = (sorted: ReadonlyArray<number>): number => sorted[Math.ceil(sorted.length / 2) - 1] ?? 0

/** By how many minutes a shipment came after the time at which it was expected; without such a time it has none. */
const delayOf = ({ arrivedAt, expectedArrivalAt, scheduledAt }: DayShipment): ReadonlyArray<number> =>
  arrivedAt === null || expectedArrivalAt === scheduledAt
    ? []
    : [(Date.parse(arrivedAt) - Date.parse(expectedArrivalAt)) / 60_000]

const counted = (
  group: DayGroup["group"],
  name: string,
  shipments: ReadonlyArray<DayShipment>,
  limit: number
): DayGroup => {
  const number = (is: (shipment: DayShipment) => boolean): number => shipments.filter(is).length
  const sum = (of: (shipment: DayShipment) => number): number =>
    shipments.reduce((total, shipment) => total + of(shipment), 0)
  const departed = shipments.filter(({ status }) => status === "DEPARTED")
  const taken = departed.flatMap(minutesOf).sort((left, right) => left - right)
  const beyond = taken.filter((minutes) => minutes > limit).map((minutes) => minutes - limit)
  const delays = shipments.flatMap(delayOf)
  return {
    id: name === "" ? group : `${group} ${name}`,
    group,
    name,
    shipments: shipments.length,
    inbound: number(({ direction }) => direction === "INBOUND"),
    outbound: number(({ direction }) => direction === "OUTBOUND"),
    expected: number(({ status }) => status === "SCHEDULED"),
    atDock: number(({ status }) => status === "ARRIVED"),
    departed: departed.length,
    onTime: delays.filter((minutes) => minutes <= lateAfterMinutes).length,
    late: delays.filter((minutes) => minutes > lateAfterMinutes).length,
    complete:
      departed.filter(({ missingPallets, unexpectedPallets }) => missingPallets + unexpectedPallets === 0)
        .length,
    short: departed.filter(({ missingPallets }) => missingPallets > 0).length,
    over: departed.filter(({ unexpectedPallets }) => unexpectedPallets > 0).length,
    palletsIn: sum(({ palletsIn }) => palletsIn),
    palletsOut: sum(({ palletsOut }) => palletsOut),
    exceptions: sum(({ exceptions }) => exceptions),
    openExceptions: sum(({ openExceptions }) => openExceptions),
    medianMinutes: median(taken),
    longestMinutes: taken.at(-1) ?? 0,
    detained: beyond.length,
    detentionMinutes: Math.round(beyond.reduce((total, minutes) => total + minutes, 0) * 10) / 10
  }
}

const byName = (left: string, right: string): number => left < right ? -1 : left > right ? 1 : 0

/**
 * What the days were: all of them together; each day and each hour from the first to the last with something; each dock, carrier and supplier,
 * those without last.
 * A shipment counts at its time (D13.10).
 */
export const dayOf = (
  shipments: ReadonlyArray<DayShipment>,
  { dates, detentionMinutes, hourOf }: DayRules
): ReadonlyArray<DayGroup> => {
  const at = new Map(
    shipments.map((shipment) => [
      shipment,
      hourOf(timeOf(shipment))
    ])
  )
  const grouped = (group: DayGroup["group"], namesOf: (shipment: DayShipment) => ReadonlyArray<string>) => {
    const named = new Map<string, Array<DayShipment>>()
    for (const shipment of shipments) {
      const names = namesOf(shipment)
      for (const name of names.length === 0 ? [""] : names) {
        const same = named.get(name)
        if (same === undefined) named.set(name, [shipment])
        else same.push(shipment)
      }
    }
    return Array.from(named)
      .sort(([left], [right]) => left === "" ? 1 : right === "" ? -1 : byName(left, right))
      .map(([name, same]) => counted(group, name, same, detentionMinutes))
  }
  return [
    counted("TOTAL", "", shipments, detentionMinutes),
    ...dates.map((date) =>
      counted(
        "DATE",
        date,
        shipments.filter((shipment) => at.get(shipment)!.startsWith(date)),
        detentionMinutes
      )
    ),
    ...grouped("HOUR", (shipment) => [at.get(shipment)!.slice(-2)]),
    ...grouped("DOCK", ({ dockSlug }) => [dockSlug]),
    ...grouped("CARRIER", ({ carrier }) => [carrier]),
    ...grouped("SUPPLIER", ({ suppliers }) => suppliers)
  ]
}
