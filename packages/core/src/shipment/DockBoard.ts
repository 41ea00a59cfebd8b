/**
 * The dock board of a facility: each dock with its present shipments, the shipments that are expected next, and those that departed today,
 * without items (D13.15).
 *
 * A storage reads the rows of a board without the items of its shipments: a database has stored counts, so the size of a shipment does not
 * matter.
 */
import { Schema } from "effect"
import * as Timestamp from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import { shipmentStatuses } from "../values/Vocabulary.ts"
import { Progress } from "./Discrepancies.ts"

/** The most shipments that are listed for a dock, the last to arrive first. */
export const shipmentsOfDock = 3

/** The maximum of counts: of further shipments of a dock, of departures, and of capabilities. */
export const countedAtMost = 1000

/** The most expected shipments that are listed. */
export const expectedAtMost = 40

/** The most overdue shipments that are listed, the latest ones. */
export const overdueAtMost = 3

/** The most departures that are listed, the last one first. */
export const departedAtMost = 50

/** A shipment is overdue when its expected time is more than this number of milliseconds ago. */
export const overdueMillis = 12 * 60 * 60_000

/** A shipment as boards show it. */
export const BoardShipment = Schema.Struct({
  id: ViewField.whole("Id of the shipment"),
  shipmentNumber: ViewField.text("Number of the shipment"),
  status: Schema.Literals(shipmentStatuses).annotate({
    identifier: "ShipmentStatus",
    description: "How far the shipment is"
  }),
  direction: ViewField.text("Direction of the shipment"),
  dockSlug: ViewField.text("Its dock, or empty"),
  carrier: ViewField.text("Its carrier, or empty"),
  trailerNumber: ViewField.text("Number of its trailer, or empty"),
  expectedArrivalAt: ViewField.text("When it is expected, RFC 3339 in UTC"),
  arrivedAt: ViewField.text("When it arrived, RFC 3339 in UTC, or empty"),
  departedAt: ViewField.text("When it departed, RFC 3339 in UTC, or empty"),
  progress: Progress.annotate({ description: "How many of its pallets have passed the dock" }),
  lastPalletId: ViewField.text("Id of the pallet that was seen last, or empty"),
  lastPalletLpn: ViewField.text("LPN of that pallet, or empty"),
  lastSeenAt: ViewField.text("When it was seen, RFC 3339 in UTC, or empty"),
  finishesAt: ViewField.text(
    "The estimated time at which its last expected pallet passes, by the pace since the arrival, RFC 3339 in UTC; empty before two pallets have passed, \
and if none is missing"
  ),
  detainedAt: ViewField.text(
    "The time at which it has been there for the facility's `detentionMinutes`, RFC 3339 in UTC; empty unless it is at a dock"
  )
}).annotate({ identifier: "BoardShipment", description: "A shipment as the board of a facility shows it." })

/** A shipment as boards show it. */
export type BoardShipment = typeof BoardShipment.Type

/** A dock with its present shipments. */
export const BoardDock = Schema.Struct({
  dockSlug: ViewField.text("Slug of the dock; empty for shipments that arrived without one"),
  shipments: ViewField.list(
    BoardShipment,
    `Its present shipments, the last to arrive first, at most ${shipmentsOfDock}`
  ),
  others: ViewField.whole(`How many further shipments are present, up to ${countedAtMost}`),
  nextId: ViewField.whole("Id of the first of `expected` at this dock; 0 if there is none")
}).annotate({ identifier: "BoardDock", description: "A dock with its present shipments." })

/** The dock board of a facility. */
export const DockBoard = Schema.Struct({
  business: ViewField.text("Slug of the business"),
  facility: ViewField.text("Slug of the facility"),
  docks: ViewField.list(
    BoardDock,
    "Its docks in slug order; shipments that arrived without a dock come last"
  ),
  expected: ViewField.list(
    BoardShipment,
    `Expected shipments by time: at most ${overdueAtMost} that are more than 12 hours late, and at most ${expectedAtMost} after them`
  ),
  moreExpected: Schema.Boolean.annotate({ description: "Whether more is expected" }),
  late: ViewField.whole("How many of `expected` have not arrived by their time"),
  detained: ViewField.whole(
    "How many of the listed shipments at docks have been there longer than the facility's `detentionMinutes`"
  ),
  departed: ViewField.list(
    BoardShipment,
    `Shipments that departed today, the last first, at most ${departedAtMost}`
  ),
  departedToday: ViewField.whole(`How many shipments departed today, up to ${countedAtMost}`),
  shortToday: ViewField.whole("How many of them departed without an expected pallet")
}).annotate({ identifier: "DockBoard", description: "The dock board of a facility." })

/** The dock board of a facility. */
export type DockBoard = typeof DockBoard.Type

/** A shipment as a storage reads it for a board: the number of pallets that have passed, and the stored counts of discrepancies. */
export interface BoardRow extends Omit<BoardShipment, "progress" | "finishesAt" | "detainedAt"> {
  readonly passedPallets: number
  readonly missingPallets: number
  readonly unexpectedPallets: number
}

/** The rows that a storage reads for a board. */
export interface BoardRows extends Pick<DockBoard, "departedToday" | "shortToday"> {
  readonly docks: ReadonlyArray<{
    readonly dockSlug: string
    readonly shipments: ReadonlyArray<BoardRow>
    readonly others: number
  }>
  /** The last overdue shipments by time. Like `expected`, it has one row more than its limit if there are more shipments. */
  readonly overdue: ReadonlyArray<BoardRow>
  /** The first shipments by time that are expected but not overdue. */
  readonly expected: ReadonlyArray<BoardRow>
  readonly departed: ReadonlyArray<BoardRow>
}

/** The times of a board. */
export interface BoardTimes {
  /** Shipments that were expected earlier and have not arrived are overdue. */
  readonly dueFrom: Timestamp.Timestamp
  /** When today began at the facility. */
  readonly today: Timestamp.Timestamp
}

/**
 * The estimated time at which the last expected pallet of a shipment passes. It assumes that each pallet needs the average time of the
 * passed pallets: the time from the arrival to the last pallet, divided by the number of passed pallets. `""` if there is no estimate.
 */
const finishOf = ({ arrivedAt, lastSeenAt, missingPallets, passedPallets, status }: BoardRow): string => {
  if (status !== "ARRIVED" || missingPallets === 0 || passedPallets < 2) return ""
  const last = Date.parse(lastSeenAt)
  const millis = last - Date.parse(arrivedAt)
  return millis > 0 ? Timestamp.fromMillis(last + Math.round(millis / passedPallets * missingPallets)) : ""
}

/** The place and the time of a board. */
export interface BoardMoment {
  readonly business: string
  readonly facility: string
  /** The minutes that a shipment may stay at the facility. */
  readonly detentionMinutes: number
  readonly now: Timestamp.Timestamp
}

const shipmentOf = (row: BoardRow, detentionMinutes: number): BoardShipment => {
  const { missingPallets, passedPallets, unexpectedPallets, ...shipment } = row
  const isThere = row.status === "ARRIVED" && row.arrivedAt !== ""
  return {
    ...shipment,
    finishesAt: finishOf(row),
    detainedAt: isThere ? Timestamp.fromMillis(Date.parse(row.arrivedAt) + detentionMinutes * 60_000) : "",
    progress: {
      expectedPallets: passedPallets - unexpectedPallets + missingPallets,
      passedPallets,
      missingPallets,
      unexpectedPallets
    }
  }
}

/** The board from the rows of a storage. */
export const dockBoardOf = (
  { business, detentionMinutes, facility, now }: BoardMoment,
  { departed, docks, expected, overdue, ...counts }: BoardRows
): DockBoard => {
  const view = (row: BoardRow): BoardShipment => shipmentOf(row, detentionMinutes)
  const coming = [...overdue.slice(-overdueAtMost), ...expected.slice(0, expectedAtMost)].map(view)
  const lanes = docks.map(({ dockSlug, others, shipments }) => ({
    dockSlug,
    shipments: shipments.map(view),
    others,
    nextId: dockSlug === "" ? 0 : coming.find((row) => row.dockSlug === dockSlug)?.id ?? 0
  }))
  return {
    business,
    facility,
    docks: lanes,
    expected: coming,
    moreExpected: overdue.length > overdueAtMost || expected.length > expectedAtMost,
    // The texts of canonical timestamps sort by time.
    late:
      coming.filter(({ expectedArrivalAt }) => expectedArrivalAt !== "" && expectedArrivalAt < now).length,
    detained: lanes.flatMap(({ shipments }) => shipments)
      .filter(({ detainedAt }) => detainedAt !== "" && detainedAt < now).length,
    departed: departed.map(view),
    ...counts
  }
}
