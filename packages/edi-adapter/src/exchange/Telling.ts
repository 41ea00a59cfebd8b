/**
 * What partners are told of a shipment that departed: a ship notice and shipping advices of an outbound shipment, receiving advices of
 * an inbound one (D18.2).
 *
 * Guarantee: quantities are those of the pallets that passed the door. A ship notice that differs from the one that was told before is
 * a replacement, and one that says the same is not told again.
 */
import type * as Slices from "@dockline/core/internal/input/Slices"
import type { LocatedShipment } from "@dockline/core/Shipment"
import { Result } from "effect"
import { passedOf } from "../sets/Passed.ts"
import { writeShipNotice } from "../sets/ShipNoticeWriter.ts"
import { localTime } from "../sets/Times.ts"
import type { Told } from "../sets/Told.ts"
import { writeReceiptAdvices, writeShippingAdvices } from "../sets/WarehouseAdvices.ts"
import { defaultDelimiters } from "../x12/Segment.ts"
import type { SegmentDraft } from "../x12/Segment.ts"
import { readSteps } from "../x12/X12Reader.ts"
import { writeSteps } from "../x12/X12Writer.ts"
import type { WriteFault } from "../x12/X12Writer.ts"
import type { Partner } from "./Partner.ts"
import { interchangeFor } from "./Taken.ts"
import type { Sending } from "./Taken.ts"

/** What a partner is told of a shipment. */
export interface Telling {
  /** The text of the interchange; `""` if nothing is told. */
  readonly text: string
  /** The LPNs of pallets that passed and that no order expects, so that no set tells of them; `""` for one without a label. */
  readonly unexpected: ReadonlyArray<string>
}

/** What is known beside the shipment. */
export interface TellingOptions {
  /** The time zone of the facility (D13.7). */
  readonly timeZone: string
  readonly sending: Sending
  /** The text of the interchange that told of the shipment before, if one did. */
  readonly before?: string | undefined
}

/** The group of each kind of set (GS01). */
const groupIds = { "856": "SH", "945": "SW", "944": "RE" } as const

/** Writes what a partner is told of a shipment that departed, in steps; names what X12 cannot hold. */
export function* tell(
  { location, shipment }: LocatedShipment,
  partner: Partner,
  { before, sending, timeZone }: TellingOptions
): Slices.Steps<Result.Result<Telling, ReadonlyArray<WriteFault>>> {
  const unexpected = shipment.departedAt === null ? [] : passedOf(shipment).unexpected
  if (shipment.departedAt === null) return Result.succeed({ text: "", unexpected })
  const told: Told = {
    shipment,
    facility: location.facility,
    at: localTime(shipment.departedAt, timeZone),
    delimiters: defaultDelimiters
  }
  const earlier = before === undefined ? undefined : yield* noticeIn(before, shipment.number)
  const sets = {
    "856": () => shipment.direction === "OUTBOUND" ? noticeOf(told, earlier) : [],
    "945": () => shipment.direction === "OUTBOUND" ? writeShippingAdvices(told) : [],
    "944": () => shipment.direction === "INBOUND" ? writeReceiptAdvices(told) : []
  }
  const groups = Array.from(new Set(partner.tells)).flatMap((id) => {
    const written = sets[id]()
    return written.length === 0
      ? []
      : [{ functionalId: groupIds[id], sets: written.map((segments) => ({ id, segments })) }]
  })
  if (groups.length === 0) return Result.succeed({ text: "", unexpected })
  return Result.map(
    yield* writeSteps(interchangeFor(partner, groups, sending)),
    (text) => ({ text, unexpected })
  )
}

/** The ship notice: a replacement if another one was told before, and none if it says the same. */
const noticeOf = (told: Told, earlier: string | undefined): ReadonlyArray<ReadonlyArray<SegmentDraft>> => {
  const notice = writeShipNotice(told, false)
  if (notice.length === 0) return []
  if (earlier === undefined) return [notice]
  // The first segment says what the notice is for, and when it was made.
  return earlier === linesOf(notice.slice(1)) ? [] : [writeShipNotice(told, true)]
}

/** The segments of the ship notice of a shipment in a text, without the first; `undefined` if there is none. */
function* noticeIn(text: string, number: string): Slices.Steps<string | undefined> {
  const reading = yield* readSteps(text)
  if (Result.isFailure(reading)) return undefined
  const sets = reading.success.flatMap(({ groups }) => groups).flatMap(({ sets }) => sets)
  const notice = sets.find(({ id, segments }) => id === "856" && segments[0]?.elements[1] === number)
  return notice && linesOf(notice.segments.slice(1))
}

const linesOf = (segments: ReadonlyArray<SegmentDraft>): string =>
  segments.map(({ elements, id }) => [id, ...elements].join("*").replace(/\*+$/, "")).join("~")
