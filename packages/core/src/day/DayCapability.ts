/**
 * What days of facilities were, as a capability (D13.13).
 */
import { Effect } from "effect"
import * as Capability from "../capability/Capability.ts"
import { pallet } from "../operations/PalletExamples.ts"
import type { DayGroup, DayShipment } from "./Day.ts"
import { day as dayOperation, dayShipments } from "./DayOperations.ts"
import { Days } from "./Days.ts"
import * as MemoryDays from "./internal/MemoryDays.ts"

const shipment: DayShipment = {
  id: pallet.shipmentId,
  shipmentNumber: pallet.shipmentNumber,
  status: "DEPARTED",
  direction: "OUTBOUND",
  expectedArrivalAt: "2026-11-20T16:00:00.000Z",
  scheduledAt: "2026-11-19T09:12:44.103Z",
  arrivedAt: "2026-11-20T16:30:00.000Z",
  departedAt: "2026-11-20T18:05:00.000Z",
  dockSlug: "D1",
  carrier: "Northline",
  suppliers: ["Springwater Ltd"],
  missingPallets: 1,
  unexpectedPallets: 0,
  palletsIn: 0,
  palletsOut: 21
}

const counted: DayGroup = {
  id: "TOTAL",
  group: "TOTAL",
  name: "",
  shipments: 42,
  inbound: 25,
  outbound: 17,
  expected: 3,
  atDock: 1,
  departed: 38,
  onTime: 34,
  late: 5,
  complete: 36,
  short: 2,
  over: 0,
  palletsIn: 611,
  palletsOut: 402,
  medianMinutes: 48.5,
  longestMinutes: 171,
  detained: 1,
  detentionMinutes: 51
}

/** A day in all, and at a dock. */
const groups: ReadonlyArray<DayGroup> = [
  counted,
  {
    ...counted,
    id: "DOCK D1",
    group: "DOCK",
    name: "D1",
    shipments: 12,
    inbound: 12,
    outbound: 0,
    departed: 8
  }
]

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
  answers: { day: groups, dayShipments: shipment },
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
