/** The capability `day`, the figures of a facility's days (D13.13), with its port in memory. */
import { Effect, Struct } from "effect"
import * as Capability from "../capability/Capability.ts"
import { over } from "../memory/MemoryDatabase.ts"
import { countDiscrepancies } from "../shipment/Discrepancies.ts"
import { remains, timeOf } from "../shipment/Shipment.ts"
import type { Shipment } from "../shipment/Shipment.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import recorded from "./answers.json" with { type: "json" }
import type { DayShipment } from "./Day.ts"
import { day as dayOperation, dayShipments, dayTrend } from "./DayOperations.ts"
import { Days, DayStore } from "./Days.ts"

/** The port in memory. */
export const memory = over(DayStore, (database) => ({
  list: (scopes, { from, to, ...place }, limit) =>
    Effect.sync(() =>
      database.shipmentsWithin(scopes, place)
        .filter(({ shipment }) =>
          shipment.status !== "CANCELLED" && from <= timeOf(shipment) && timeOf(shipment) < to
        )
        .slice(0, limit)
        .map(({ shipment }) => dayShipment(shipment))
    )
}))

const dayShipment = (shipment: Shipment): DayShipment => {
  const { arrivedAt, departedAt, dock, number, orders, pallets } = shipment
  const remaining = (direction: PalletDirection) =>
    pallets.filter((pallet) => remains(pallet) && pallet.last === direction).length
  return {
    ...Struct.pick(shipment, ["id", "status", "direction", "expectedArrivalAt", "scheduledAt", "carrier"]),
    ...Struct.pick(countDiscrepancies(shipment), ["missingPallets", "unexpectedPallets"]),
    shipmentNumber: number,
    arrivedAt: arrivedAt ?? "",
    departedAt: departedAt ?? "",
    dockSlug: dock?.slug ?? "",
    suppliers: Array.from(new Set(orders.map(({ supplier }) => supplier))).filter((each) => each !== ""),
    palletsIn: remaining("UNLOADING"),
    palletsOut: remaining("LOADING")
  }
}

/** The figures of a facility's days. */
export const day = Capability.make("day", {
  title: "Day",
  description: "Count the shipments of a facility in a day or a week",
  operations: {
    /** What happened at a facility in a day or a week: its shipments and pallets, by dock, carrier and supplier (D13.13). */
    day: dayOperation,
    /** The shipments that a figure of a day counts (D13.13). */
    dayShipments,
    /** The figures to compare a day or a week with: the days before, the average of four weeks, and each of fourteen days (D13.13). */
    dayTrend
  },
  services: Days.layer,
  handlers: Effect.map(Days, ({ day, dayShipments, dayTrend }) => ({ day, dayShipments, dayTrend })),
  memory,
  answers: recorded.answers,
  notes: {
    names: { "DayGroup.group": "DayGroupKind", "DayTrend.kind": "DayTrendKind" },
    descriptions: {
      DayGroupKind: "The property by which shipments are grouped.",
      "DayGroupKind.TOTAL": "The total of the requested days",
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
