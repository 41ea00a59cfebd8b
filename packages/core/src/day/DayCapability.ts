/**
 * What days of facilities were, as a capability (D13.13).
 */
import { Effect } from "effect"
import * as Capability from "../capability/Capability.ts"
import recorded from "./answers.json" with { type: "json" }
import { day as dayOperation, dayShipments, dayTrend } from "./DayOperations.ts"
import { Days } from "./Days.ts"
import * as MemoryDays from "./internal/MemoryDays.ts"

/** What days of facilities were. */
export const day = Capability.make("day", {
  title: "Day",
  description: "Count what happened at a facility in a day or a week",
  operations: {
    /** What happened at a facility in a day or a week: its shipments and pallets, by dock, carrier and supplier (D13.13). */
    day: dayOperation,
    /** The shipments that a number of a day counts (D13.13). */
    dayShipments,
    /** What a day or a week is compared with: the days before, the average of four weeks, and each of fourteen days (D13.13). */
    dayTrend
  },
  services: Days.layer,
  handlers: Effect.map(Days, ({ day, dayShipments, dayTrend }) => ({ day, dayShipments, dayTrend })),
  memory: MemoryDays.memory,
  answers: recorded.answers,
  notes: {
    names: { "DayGroup.group": "DayGroupKind", "DayTrend.kind": "DayTrendKind" },
    descriptions: {
      DayGroupKind: "What shipments have in common that are counted together.",
      "DayGroupKind.TOTAL": "They are of the days that are asked for",
      "DayGroupKind.DATE": "Their day",
      "DayGroupKind.HOUR": "Their hour",
      "DayGroupKind.DOCK": "Their dock",
      "DayGroupKind.CARRIER": "Their carrier",
      "DayGroupKind.SUPPLIER": "A supplier of their orders",
      DayTrendKind: "What days are compared with.",
      "DayTrendKind.BEFORE": "As many days right before them",
      "DayTrendKind.AVERAGE": "The average of so many days over the four weeks before them",
      "DayTrendKind.DATE": "One day"
    }
  }
})
