/**
 * Pallets, identified by shipment and license plate number (LPN). Towers and lift cameras report each pallet that crosses a dock (D6).
 * These events determine which pallets remain on the truck.
 */
import { Order, Schema } from "effect"
import { checkDigitNote, unseenInLpn, visibleLpn } from "../labels/Lpn.ts"
import { labelValues } from "../places/MessageField.ts"
import type { Label } from "../places/MessageField.ts"
import type { TrackedPallet } from "../shipment/Discrepancies.ts"
import { remains } from "../shipment/Shipment.ts"
import type { Dock, SeenPallet } from "../shipment/Shipment.ts"
import { Verdict } from "../shipment/Verdict.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import type { MessageId, PalletId, ShipmentId } from "../values/Id.ts"
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
  /** The shipment, if the tower knows it; an event has at most one of `shipmentId` and `shipmentNumber`. */
  readonly shipmentId: ShipmentId | null
  /** The number of the shipment; `""` when the tower sends none. */
  readonly shipmentNumber: string
  readonly labels: ReadonlyArray<Label>
  /** Notes about characters that were left out of the labels, for the answer (D22). */
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
      description: "Oddities of the LPN that had no effect; absent without notes"
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

/** The part of a recorded event that the completion of its shipment needs. */
export interface RecordedPallet {
  readonly palletId: PalletId
  readonly messageId: MessageId
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  readonly dock: Dock
  readonly orders: ReadonlyArray<string>
  readonly labels: ReadonlyArray<Label>
}

/** The LPN of a pallet: the first value of the label `lpn`; `""` without one (D6.2). */
export const lpnOf = (labels: ReadonlyArray<Label>): string => labelValues(labels, "lpn")[0] ?? ""

/** The labels without invisible characters in LPNs, and notes about these characters (D22). Other labels are free text, and unchanged. */
export const readableLabels = (
  labels: ReadonlyArray<Label>
): Pick<PalletEvent, "labels" | "leftOut"> => {
  const leftOut: Array<string> = []
  const readable = labels.map((label) => {
    const unseen = label.name === "lpn" ? unseenInLpn(label.value) : []
    if (unseen.length === 0) return label
    leftOut.push(`label lpn: left out invisible characters: ${unseen.slice(0, 5).join(", ")}`)
    return { ...label, value: visibleLpn(label.value) }
  })
  return leftOut.length === 0 ? { labels } : { labels: readable, leftOut }
}

/** The notes for the answer to an event (D22): about characters left out, and about a wrong check digit of its SSCC. */
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

/** Orders events by the time of occurrence, and events of one instant by the order of recording. */
export const byOccurrence = (left: RecordedPallet, right: RecordedPallet): number =>
  Order.String(left.occurredAt, right.occurredAt) || left.messageId - right.messageId

/**
 * The last event of each pallet that remains on a shipment at its departure, in the order of pallet ids (D6.6). For each pallet, successive
 * events of one direction count once, and then opposite neighbours cancel.
 */
export const remaining = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<RecordedPallet> =>
  ofPallets(events).flatMap(({ first, last }) =>
    remains({ first: first.direction, last: last.direction }) ? [last] : []
  )

/**
 * The pallets of events, in id order, each with the dock where it was seen last. The events must be in the order of recording: a pallet has
 * its LPN in the form of its first recorded event (D22).
 */
export const trackedPallets = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<TrackedPallet> => {
  const lpns = new Map<number, string>()
  for (const { labels, palletId } of events) if (!lpns.has(palletId)) lpns.set(palletId, lpnOf(labels))
  return ofPallets(events).map(({ first, last }) => ({
    id: last.palletId,
    lpn: lpns.get(last.palletId)!,
    first: first.direction,
    last: last.direction,
    dockId: last.dock.id,
    dockSlug: last.dock.slug
  }))
}

/** The pallets of events, in id order. */
export const seenPallets = (events: ReadonlyArray<RecordedPallet>): ReadonlyArray<SeenPallet> =>
  trackedPallets(events).map(({ dockId, first, id, last, lpn }) => ({ id, lpn, first, last, dockId }))

/** The first and the last event of each pallet, in id order. */
const ofPallets = (events: ReadonlyArray<RecordedPallet>) => {
  const pallets = new Map<number, { readonly first: RecordedPallet; readonly last: RecordedPallet }>()
  for (const event of [...events].sort(byOccurrence)) {
    pallets.set(event.palletId, { first: pallets.get(event.palletId)?.first ?? event, last: event })
  }
  return Array.from(pallets.values()).sort((left, right) => left.last.palletId - right.last.palletId)
}
