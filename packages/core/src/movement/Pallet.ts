/**
 * Pallets, which their shipment and license plate number (LPN) identify. Towers and lift cameras report each pallet when
 * it crosses a dock (D6).
 */
import { Schema } from "effect"
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
}

/** The answer to a recorded event, the same for each repeat (D6.1). */
export const PalletAnswer = Schema.Struct({
  messageId: shownWhole("Id of the event's message"),
  serviceShipmentId: shownText("Id of the shipment the pallet belongs to"),
  servicePalletId: shownText("Id of the pallet"),
  orders: Schema.Array(Schema.String).annotate({
    description: "Numbers of the orders the pallet belongs to"
  }),
  verdict: Verdict
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
