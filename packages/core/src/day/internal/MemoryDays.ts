/** The shipments of days, in memory. */
import { Effect, Struct } from "effect"
import { over } from "../../memory/MemoryDatabase.ts"
import { countDiscrepancies } from "../../shipment/Discrepancies.ts"
import { remains } from "../../shipment/SeenPallet.ts"
import { timeOf } from "../../shipment/Shipment.ts"
import type { Shipment } from "../../shipment/Shipment.ts"
import type { PalletDirection } from "../../values/Vocabulary.ts"
import type { DayShipment } from "../Day.ts"
import { DayStore } from "../DayStore.ts"

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
