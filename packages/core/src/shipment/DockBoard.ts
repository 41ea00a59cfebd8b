/**
 * What the docks of a facility see: each dock with the shipments that are there, what is expected next, and what departed today, without
 * items (D13.15).
 *
 * Guarantee: each dock is told by its own shipments, however many there are elsewhere and whatever their size.
 */
import { Schema } from "effect"
import * as Timestamp from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import { shipmentStatuses } from "../values/Vocabulary.ts"
import { Progress } from "./Discrepancies.ts"

/** The most shipments that a dock tells, the last to arrive first. */
export const shipmentsOfDock = 3

/** The most further shipments of a dock, departures, and what capabilities count, that are counted. */
export const countedAtMost = 1000

/** The most shipments that are expected next. */
export const expectedAtMost = 40

/** The most overdue shipments that are told, the last ones. */
export const overdueAtMost = 3

/** The most departures that are told, the last one first. */
export const departedAtMost = 50

/** A shipment is overdue so long after the time at which it was expected. */
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
    "When its last expected pallet passes at the pace since the arrival, RFC 3339 in UTC; empty before two pallets have passed, \
and where none is missing"
  ),
  detainedAt: ViewField.text(
    "From when it is there longer than the facility's `detentionMinutes`, RFC 3339 in UTC; empty unless it is at a dock"
  )
}).annotate({ identifier: "BoardShipment", description: "A shipment as the board of a facility shows it." })

/** A shipment as boards show it. */
export type BoardShipment = typeof BoardShipment.Type

/** A dock with the shipments that are there. */
export const BoardDock = Schema.Struct({
  dockSlug: ViewField.text("Slug of the dock; empty for shipments that arrived without one"),
  shipments: ViewField.list(
    BoardShipment,
    `The shipments that are there, the last to arrive first, ${shipmentsOfDock} at most`
  ),
  others: ViewField.whole(`How many further shipments are there, up to ${countedAtMost}`),
  nextId: ViewField.whole("Id of the first of `expected` at this dock; 0 for none of them")
}).annotate({ identifier: "BoardDock", description: "A dock with the shipments that are there." })

/** What the docks of a facility see. */
export const DockBoard = Schema.Struct({
  business: ViewField.text("Slug of the business"),
  facility: ViewField.text("Slug of the facility"),
  docks: ViewField.list(
    BoardDock,
    "Its docks by their slugs; shipments that arrived without a dock come last"
  ),
  expected: ViewField.list(
    BoardShipment,
    `What is expected next, by time: ${overdueAtMost} that are more than 12 hours late, and ${expectedAtMost} after them, at most`
  ),
  moreExpected: Schema.Boolean.annotate({ description: "Whether more is expected" }),
  late: ViewField.whole("How many of `expected` have not come by their time"),
  detained: ViewField.whole(
    "How many of the shipments that are told at docks are there longer than the facility's `detentionMinutes`"
  ),
  departed: ViewField.list(BoardShipment, `What departed today, the last first, ${departedAtMost} at most`),
  departedToday: ViewField.whole(`How many shipments departed today, up to ${countedAtMost}`),
  shortToday: ViewField.whole("How many of them departed without an expected pallet")
}).annotate({ identifier: "DockBoard", description: "What the docks of a facility see." })

/** What the docks of a facility see. */
export type DockBoard = typeof DockBoard.Type

/** A shipment as a storage reads it for a board: the pallets that have passed beside what is kept of discrepancies. */
export interface BoardRow extends Omit<BoardShipment, "progress" | "finishesAt" | "detainedAt"> {
  readonly passedPallets: number
  readonly missingPallets: number
  readonly unexpectedPallets: number
}

/** What a storage reads for a board. */
export interface BoardRows extends Pick<DockBoard, "departedToday" | "shortToday"> {
  readonly docks: ReadonlyArray<{
    readonly dockSlug: string
    readonly shipments: ReadonlyArray<BoardRow>
    readonly others: number
  }>
  /** The last that are overdue, and the first of the others, by time; one more of each than the limits where there are more. */
  readonly overdue: ReadonlyArray<BoardRow>
  readonly expected: ReadonlyArray<BoardRow>
  readonly departed: ReadonlyArray<BoardRow>
}

/** The times of a board. */
export interface BoardTimes {
  /** What was expected earlier and has not come is overdue. */
  readonly dueFrom: Timestamp.Timestamp
  /** When today began at the facility. */
  readonly today: Timestamp.Timestamp
}

/**
 * When the last expected pallet of a shipment passes if each takes as long as those before: the time from the arrival to the last
 * pallet, shared by all that have passed. `""` where that says nothing.
 */
const finishOf = ({ arrivedAt, lastSeenAt, missingPallets, passedPallets, status }: BoardRow): string => {
  if (status !== "ARRIVED" || missingPallets === 0 || passedPallets < 2) return ""
  const last = Date.parse(lastSeenAt)
  const minutes = last - Date.parse(arrivedAt)
  return minutes > 0 ? Timestamp.fromMillis(last + Math.round(minutes / passedPallets * missingPallets)) : ""
}

/** What a board tells of its place and of now. */
export interface BoardMoment {
  readonly business: string
  readonly facility: string
  /** How many minutes a shipment may take at the facility. */
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

/** The board of what a storage has read. */
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
    // Canonical timestamps are in the order of their texts.
    late:
      coming.filter(({ expectedArrivalAt }) => expectedArrivalAt !== "" && expectedArrivalAt < now).length,
    detained: lanes.flatMap(({ shipments }) => shipments)
      .filter(({ detainedAt }) => detainedAt !== "" && detainedAt < now).length,
    departed: departed.map(view),
    ...counts
  }
}
