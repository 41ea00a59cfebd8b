/**
 * What days of facilities were, as a capability (D13.13).
 */
import { Effect } from "effect"
import * as Capability from "../capability/Capability.ts"
import recorded from "./answers.json" with { type: "json" }
import { day as dayOperation, dayShipments } from "./DayOperations.ts"
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
    dayShipments
  },
  services: Days.layer,
  handlers: Effect.map(Days, ({ day, dayShipments }) => ({ day, dayShipments })),
  memory: MemoryDays.memory,
  answers: recorded.answers,
  notes: {
    names: { "DayGroup.group": "DayGroupKind" },
    descriptions: {
      DayGroupKind: "What shipments have in common that are counted together.",
      "DayGroupKind.TOTAL": "They are of the days that are asked for",
      "DayGroupKind.DATE": "Their day",
      "DayGroupKind.HOUR": "Their hour",
      "DayGroupKind.DOCK": "Their dock",
      "DayGroupKind.CARRIER": "Their carrier",
      "DayGroupKind.SUPPLIER": "A supplier of their orders"
    }
  }
})
