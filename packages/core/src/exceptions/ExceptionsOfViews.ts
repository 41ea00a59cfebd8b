/**
 * Adds counts of exceptions to shipments on boards of docks and to the figures of days (D13.13, D13.15).
 *
 * Guarantee: the exceptions of a view are counted once, after the view is read.
 */
import { Effect } from "effect"
import * as Extension from "../capability/Extension.ts"
import { countedAtMost } from "../shipment/DockBoard.ts"
import type { BoardShipment, DockBoard } from "../shipment/DockBoard.ts"
import type { ShipmentCounts } from "../shipment/ShipmentCounts.ts"
import * as ViewField from "../values/ViewField.ts"
import recorded from "./answers.json" with { type: "json" }
import { ExceptionStore } from "./Exceptions.ts"

/** Counts of the open exceptions of a shipment at a dock, or of all shipments of a facility. */
interface Open {
  readonly openExceptions: number
  readonly urgentExceptions: number
}

type ShownShipment = BoardShipment & Open

/** A board with the exceptions of its shipments. */
export interface BoardWithExceptions extends DockBoard, Open {
  readonly docks: ReadonlyArray<
    Omit<DockBoard["docks"][number], "shipments"> & { readonly shipments: ReadonlyArray<ShownShipment> }
  >
  readonly expected: ReadonlyArray<ShownShipment>
  readonly departed: ReadonlyArray<ShownShipment>
}

const withExceptions = (
  board: DockBoard,
  all: Open,
  openOf: (shipment: BoardShipment) => Open
): BoardWithExceptions => {
  const viewOf = (shipment: BoardShipment): ShownShipment => ({ ...shipment, ...openOf(shipment) })
  return {
    ...board,
    docks: board.docks.map((dock) => ({ ...dock, shipments: dock.shipments.map(viewOf) })),
    expected: board.expected.map(viewOf),
    departed: board.departed.map(viewOf),
    ...all
  }
}

const none: Open = { openExceptions: 0, urgentExceptions: 0 }

const shownOpen = ({ open, urgent }: { readonly open: number; readonly urgent: number }): Open => ({
  openExceptions: open,
  urgentExceptions: urgent
})

/** The fields for boards of docks. */
export const ofBoards = Extension.view<"dockBoard", BoardWithExceptions>()({
  views: {
    BoardShipment: {
      openExceptions: ViewField.whole("Its exceptions that are not resolved"),
      urgentExceptions: ViewField.whole("Its open exceptions of high priority")
    },
    DockBoard: {
      openExceptions: ViewField.whole(
        `Exceptions of the facility that are not resolved, up to ${countedAtMost}`
      ),
      urgentExceptions: ViewField.whole(`Open exceptions of high priority, up to ${countedAtMost}`)
    }
  },
  example: recorded.boards.dockBoard,
  load: Effect.map(ExceptionStore, ({ countsOf, openAt }) => (place, board) => {
    const shipments = [
      ...board.docks.flatMap((dock) => dock.shipments),
      ...board.expected,
      ...board.departed
    ]
    return Effect.map(
      Effect.all([
        shipments.length === 0 ? Effect.succeed([]) : countsOf(place, shipments.map(({ id }) => id)),
        openAt(place, countedAtMost)
      ], { concurrency: "unbounded" }),
      ([counts, all]) => {
        const byShipment = new Map(counts.map((each) => [each.shipmentId, shownOpen(each)]))
        return withExceptions(board, shownOpen(all), ({ id }) => byShipment.get(id) ?? none)
      }
    )
  })
})

/** The fields for groups of a day. */
export const ofDays = Extension.ofFields({
  fields: {
    exceptions: ViewField.whole("Exceptions of these shipments"),
    openExceptions: ViewField.whole("Open exceptions")
  },
  example: recorded.days.day
})

/** The fields for the shipments of a day. */
export const ofDayShipments = Extension.ofFields({
  fields: {
    exceptions: ViewField.whole("Exceptions of the shipment"),
    openExceptions: ViewField.whole("Open exceptions")
  },
  example: recorded.days.dayShipments
})

/** The counts of shipments. */
export const shipmentCounts = {
  names: ["exceptions", "openExceptions"],
  /** Makes the function that counts, for shipments of a place. */
  countsOf: Effect.map(
    ExceptionStore,
    ({ countsOf }): ShipmentCounts["countsOf"] => (place, shipmentIds) =>
      Effect.map(countsOf(place, shipmentIds), (counts) =>
        new Map(
          counts.map(({ open, reported, shipmentId }) => [
            shipmentId,
            { exceptions: reported, openExceptions: open }
          ])
        ))
  )
}
