/**
 * Pallets, which their shipment and license plate number (LPN) identify. Towers and lift cameras report each pallet when
 * it crosses a dock (D6).
 */
import { Schema } from "effect"
import { checkDigitNote, unseenInLpn, visibleLpn } from "../labels/Lpn.ts"
import { labelValues } from "../places/MessageField.ts"
import type { Label } from "../places/MessageField.ts"
import type { Dock } from "../shipment/Shipment.ts"
import { Verdict } from "../shipment/Verdict.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"

/** A pallet seen at a dock, as a tower reports it. */
export interface PalletEvent {
  /** Identifies the event within its facility, permanently. */
  readonly eventId: string
  readonly business: string
  readonly facility: string
  readonly dockSlug: string
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  /** The shipment, if the tower knows it; at most one of `shipmentId` and `shipmentNumber` is given. */
  readonly shipmentId: number | null
  /** `""` when not given. */
  readonly shipmentNumber: string
  readonly labels: ReadonlyArray<Label>
  /** What was left out of its labels, as its answer notes it (D22). */
  readonly leftOut?: ReadonlyArray<string>
}

/** The answer to a recorded event, the same for each repeat (D6.1). */
export const PalletAnswer = Schema.Struct({
  messageId: shownWhole("Id of the event's message"),
  serviceShipmentId: shownText("Id of the shipment the pallet belongs to"),
  servicePalletId: shownText("Id of the pallet"),
  orders: Schema.Array(Schema.String).annotate({
    description: "Numbers of the orders the pallet belongs to"
  }),
  verdict: Verdict,
  notes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "What was odd about the LPN and changed nothing; absent where there is nothing to note"
    })
  )
}).annotate({
  identifier: "PalletAnswer",
  description: "The outcome of a pallet event, the same at each repeat."
})

/** The answer to a recorded event, the same for each repeat (D6.1). */
export type PalletAnswer = typeof PalletAnswer.Type

/** The answer to an event, and whether the event had been recorded before. */
export interface RecordedEvent {
  readonly answer: PalletAnswer
  readonly repeated: boolean
}

/** A recorded event, as the completion of its shipment needs it. */
export interface RecordedPallet {
  readonly palletId: number
  readonly messageId: number
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  readonly dock: Dock
  readonly orders: ReadonlyArray<string>
  readonly labels: ReadonlyArray<Label>
}

/** The LPN of a pallet: the first value of the label `lpn`; `""` without one (D6.2). */
export const lpnOf = (labels: ReadonlyArray<Label>): string => labelValues(labels, "lpn")[0] ?? ""

/** Labels without the characters that cannot be seen in LPNs, and what was left out of them (D22). Other labels are free text. */
export const readableLabels = (
  labels: ReadonlyArray<Label>
): Pick<PalletEvent, "labels" | "leftOut"> => {
  const leftOut: Array<string> = []
  const readable = labels.map((label) => {
    const unseen = label.name === "lpn" ? unseenInLpn(label.value) : []
    if (unseen.length === 0) return label
    leftOut.push(`label lpn: left out characters that cannot be seen: ${unseen.slice(0, 5).join(", ")}`)
    return { ...label, value: visibleLpn(label.value) }
  })
  return leftOut.length === 0 ? { labels } : { labels: readable, leftOut }
}

/** What the answer to an event notes (D22): also that the check digit of its SSCC does not fit. */
export const notesOf = ({ labels, leftOut = [] }: PalletEvent): Pick<PalletAnswer, "notes"> => {
  const note = checkDigitNote(lpnOf(labels))
  const notes = note === undefined ? leftOut : [...leftOut, `label lpn: ${note}`]
  return notes.length === 0 ? {} : { notes }
}

/** The whole content of an event as one text, equal for events with equal content (D6.1). */
export const textOf = (event: PalletEvent): string =>
  JSON.stringify([
    event.eventId,
    event.business,
    event.facility,
    event.dockSlug,
    event.direction,
    event.occurredAt,
    event.shipmentId,
    event.shipmentNumber,
    event.labels.map(({ name, value }) => [name, value])
  ])
