/**
 * The board of a facility's docks in memory.
 */
import { Struct } from "effect"
import { countDiscrepancies, progressOf } from "../../shipment/Discrepancies.ts"
import {
  countedAtMost,
  departedAtMost,
  expectedAtMost,
  overdueAtMost,
  shipmentsOfDock
} from "../../shipment/DockBoard.ts"
import type { BoardRow, BoardRows, BoardTimes } from "../../shipment/DockBoard.ts"
import { timeOf } from "../../shipment/Shipment.ts"
import type { LocatedShipment, Shipment } from "../../shipment/Shipment.ts"
import type { LocatedPallet } from "../../shipment/Verdict.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import { byTime } from "../MemoryLists.ts"

export const boardRows = (
  database: MemoryDatabase["Service"],
  { business, facility }: { readonly business: string; readonly facility: string },
  { dueFrom, today }: BoardTimes
): BoardRows => {
  const here = database.shipmentsWithin([{ business, facilities: [facility] }], {})
  const row = (match: LocatedShipment) => boardRow(match, database.palletsOf(match))
  const of = (status: Shipment["status"]) => here.filter(({ shipment }) => shipment.status === status)
  const latest = (matches: ReadonlyArray<LocatedShipment>) =>
    matches.toSorted((left, right) =>
      byTime(
        { at: timeOf(right.shipment), id: right.shipment.id },
        { at: timeOf(left.shipment), id: left.shipment.id }
      )
    )
  const dockOf = (slug: string) => {
    const there = latest(of("ARRIVED").filter(({ shipment }) => (shipment.dock?.slug ?? "") === slug))
    return {
      dockSlug: slug,
      shipments: there.slice(0, shipmentsOfDock).map(row),
      others: Math.min(countedAtMost, Math.max(0, there.length - shipmentsOfDock))
    }
  }
  const docks = Array.from(database.places.facility(business, facility)?.docks.keys() ?? []).sort()
  const unknownDock = dockOf("")
  const due = latest(of("SCHEDULED")).toReversed()
  const [late, soon] = [true, false].map((isLate) =>
    due.filter(({ shipment }) => timeOf(shipment) < dueFrom === isLate)
  )
  const departed = latest(of("DEPARTED").filter(({ shipment }) => timeOf(shipment) >= today))
  const count = (matches: ReadonlyArray<unknown>): number => Math.min(countedAtMost, matches.length)
  return {
    docks: [...docks.map(dockOf), ...(unknownDock.shipments.length === 0 ? [] : [unknownDock])],
    overdue: late!.slice(-overdueAtMost - 1).map(row),
    expected: soon!.slice(0, expectedAtMost + 1).map(row),
    departed: departed.slice(0, departedAtMost).map(row),
    departedToday: count(departed),
    shortToday: count(
      departed.slice(0, countedAtMost).filter(({ shipment }) =>
        countDiscrepancies(shipment).missingPallets > 0
      )
    )
  }
}

const boardRow = (
  { shipment }: LocatedShipment,
  pallets: ReadonlyArray<LocatedPallet>
): BoardRow => {
  const sightings =
    pallets.map((pallet) => ({ ...pallet, seenAt: pallet.events.at(-1)?.occurredAt ?? Timestamp.earliest }))
      .toSorted((left, right) =>
        byTime({ at: right.seenAt, id: right.id }, { at: left.seenAt, id: left.id })
      )[0]
  return {
    ...Struct.pick(shipment, ["id", "status", "direction", "carrier", "trailerNumber", "expectedArrivalAt"]),
    ...Struct.pick(progressOf(shipment), ["passedPallets", "missingPallets", "unexpectedPallets"]),
    shipmentNumber: shipment.number,
    dockSlug: shipment.dock?.slug ?? "",
    arrivedAt: shipment.arrivedAt ?? "",
    departedAt: shipment.departedAt ?? "",
    lastPalletId: sightings === undefined ? "" : String(sightings.id),
    lastPalletLpn: sightings?.lpn ?? "",
    lastSeenAt: sightings?.seenAt ?? ""
  }
}
