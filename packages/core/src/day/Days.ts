/**
 * Computes the figures of a day or a week of a facility (D13.13), over the port that reads the shipments of days.
 *
 * Guarantee: a client counts only shipments that it may see.
 */
import { Context, Effect, Layer } from "effect"
import { readScopes } from "../access/Access.ts"
import type { Principal, ReadScope } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import { AllShipmentCounts } from "../capability/Capability.ts"
import { checkPlace, computedPage, filledOrUndefined } from "../places/ListQuery.ts"
import {
  dayAfter,
  defaultDetentionMinutes,
  defaultTimeZone,
  Directory,
  hoursOf,
  startOfDay,
  timeZoneFault
} from "../places/Place.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import { InvalidParameter } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { mapPage } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { averageDays, countedBy, dayOf, dayShipmentsAtMost, shownWithCounts, sumsOf, trendOf } from "./Day.ts"
import type { CountedShipment, DayShipment } from "./Day.ts"
import { faultsOfDay } from "./DayOperations.ts"
import type { day, DayQuery, dayShipments, dayTrend } from "./DayOperations.ts"

/** Selects the shipments whose time (D13.10) is `from` or later, and before `to`. */
export interface DayFilter extends SlugsOfPlace {
  readonly from: Timestamp.Timestamp
  readonly to: Timestamp.Timestamp
}

/**
 * Port: reads the shipments of days. In a database, the cost of a read depends only on their number, and not on other stored data.
 */
export class DayStore extends Context.Service<DayStore, {
  /** At most `limit` shipments of the days within the scopes, without cancelled shipments, in any order. */
  readonly list: (
    scopes: ReadonlyArray<ReadScope>,
    filter: DayFilter,
    limit: number
  ) => Effect.Effect<ReadonlyArray<DayShipment>, StorageUnavailable>
}>()("@dockline/core/day/DayStore") {}

/** Computes the figures of days. */
export class Days extends Context.Service<Days, {
  /** The figures of a day or a week of a facility. */
  readonly day: Operation.Handler<typeof day>
  /** The figures with which to compare a day or a week. */
  readonly dayTrend: Operation.Handler<typeof dayTrend>
  /** The shipments that a figure of a day counts, in the order of their times. */
  readonly dayShipments: Operation.Handler<typeof dayShipments>
}>()("@dockline/core/day/Days") {
  /** Counts the shipments of the store. */
  static readonly layer: Layer.Layer<Days, never, DayStore | Directory> = Layer.effect(
    Days,
    Effect.gen(function*() {
      const store = yield* DayStore
      const directory = yield* Directory
      const allCounts = yield* AllShipmentCounts
      const counts = allCounts.flatMap(({ names }) => names)

      /** Adds the counts of other capabilities to the shipments. Each capability is called once for all shipments. */
      const withCounts = Effect.fnUntraced(function*(
        place: { readonly business: string; readonly facility: string },
        shipments: ReadonlyArray<DayShipment>
      ): Effect.fn.Return<ReadonlyArray<CountedShipment>, StorageUnavailable> {
        if (allCounts.length === 0 || shipments.length === 0) return shipments
        const ids = shipments.map(({ id }) => id)
        const countMaps = yield* Effect.forEach(allCounts, ({ countsOf }) => countsOf(place, ids), {
          concurrency: "unbounded"
        })
        const none = Object.fromEntries(counts.map((name) => [name, 0]))
        return shipments.map((shipment) => ({
          ...shipment,
          counts: Object.assign({}, none, ...countMaps.map((each) => each.get(shipment.id)))
        }))
      })

      /** The function that reads days, and the rules of the request, with the requested days. */
      const daysAt = Effect.fnUntraced(function*(query: DayQuery, principal: Principal) {
        const { business, facility } = query
        yield* checkPlace(directory, principal, { business, facility })
        const errors = faultsOfDay(query)
        if (errors.length > 0) return yield* new InvalidParameter({ errors })
        const settings = yield* directory.facility(business, facility)
        const zone = filledOrUndefined(query.timeZone) ?? settings?.timeZone ?? ""
        const timeZone = timeZoneFault(zone) === undefined ? zone : defaultTimeZone
        const hourOf = hoursOf(timeZone)
        const first = filledOrUndefined(query.date) ?? hourOf(yield* Timestamp.now).slice(0, 10)
        const dates = Array.from(
          { length: Number(filledOrUndefined(query.days) ?? 1) },
          (_, days) => dayAfter(first, days)
        )
        const detentionMinutes = Number(
          filledOrUndefined(query.detentionMinutes) ?? settings?.detentionMinutes ?? defaultDetentionMinutes
        )
        /** The shipments of `days` days, beginning with `date`. */
        const read = Effect.fnUntraced(function*(date: string, days: number) {
          const shipments = yield* store.list(readScopes(principal), {
            business,
            facility,
            from: startOfDay(date, timeZone),
            to: startOfDay(dayAfter(date, days), timeZone)
          }, dayShipmentsAtMost + 1)
          if (shipments.length <= dayShipmentsAtMost) return shipments
          const detail = days > 1
            ? `asks for more than ${dayShipmentsAtMost} shipments`
            : `asks for ${date}, which has more than ${dayShipmentsAtMost} shipments`
          return yield* new InvalidParameter({ errors: [{ path: days > 1 ? "days" : "date", detail }] })
        })
        return { read, rules: { hourOf, dates, detentionMinutes, counts } }
      })

      /** The shipments of the requested days, and the rules by which they are counted. */
      const daysOf = Effect.fnUntraced(function*(query: DayQuery, principal: Principal) {
        const { read, rules } = yield* daysAt(query, principal)
        const shipments = yield* read(rules.dates[0]!, rules.dates.length)
        return { rules, shipments: yield* withCounts(query, shipments) }
      })

      return Days.of({
        day: Effect.fn("Days.day")(function*(query, principal) {
          const { rules, shipments } = yield* daysOf(query, principal)
          return computedPage(dayOf(shipments, rules), query)
        }),

        dayTrend: Effect.fn("Days.dayTrend")(function*(query, principal) {
          const { read, rules: { dates, detentionMinutes } } = yield* daysAt(query, principal)
          const past = Array.from({ length: averageDays }, (_, at) => dayAfter(dates[0]!, at - averageDays))
          // Reads one day after another and keeps only their sums, so that memory never holds the shipments of more than one day.
          const days = yield* Effect.forEach(
            [...past, ...dates],
            (date) => Effect.map(read(date, 1), (shipments) => sumsOf(date, shipments, detentionMinutes))
          )
          return computedPage(trendOf(days, dates.length), query)
        }),

        dayShipments: Effect.fn("Days.dayShipments")(function*(query, principal) {
          const { rules, shipments } = yield* daysOf(query, principal)
          const { name = "" } = query
          const group = filledOrUndefined(query.group) ?? "TOTAL"
          if (name !== "" && group === "TOTAL") {
            const detail = "goes with a group other than TOTAL, such as group=DOCK"
            return yield* new InvalidParameter({ errors: [{ path: "name", detail }] })
          }
          const number = filledOrUndefined(query.counted) ?? "shipments"
          return mapPage(
            computedPage(countedBy(shipments, { number, group, name }, rules), query),
            shownWithCounts
          )
        })
      })
    })
  )
}
