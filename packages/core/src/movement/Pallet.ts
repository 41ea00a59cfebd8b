/**
 * The pallet: known by its shipment and its license plate (lpn), reported by towers and lift cameras each time it
 * crosses a dock (D6).
 */
import { Schema } from "effect"
import { labelValues } from "../places/MessageField.ts"
import type { Label } from "../places/MessageField.ts"
import type { Dock } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"

/** A pallet seen at a dock, as a tower reports it. */
export interface PalletEvent {
  /** Names the event for ever within its facility. */
  readonly eventId: string
  /** Business slug. */
  readonly business: string
  /** Facility slug. */
  readonly facility: string
  readonly dockSlug: string
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  /** The shipment, when the tower knows it; at most one of the two is given. */
  readonly shipmentId: number | null
  /** `""` when not given. */
  readonly shipmentNumber: string
  readonly labels: ReadonlyArray<Label>
}

/** What a recorded event is answered with, the first time and at each repeat (D6.1). */
export const PalletAnswer = Schema.Struct({
  messageId: Schema.Int.annotate({ description: "Id of the message that the event made" }),
  serviceShipmentId: Schema.String.annotate({ description: "Id of the shipment the pallet belongs to" }),
  servicePalletId: Schema.String.annotate({ description: "Id of the pallet" }),
  orders: Schema.Array(Schema.String).annotate({ description: "Numbers of the orders the pallet belongs to" })
}).annotate({ identifier: "PalletAnswer" })

/** What a recorded event is answered with, the first time and at each repeat (D6.1). */
export type PalletAnswer = typeof PalletAnswer.Type

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

/** The label that holds a pallet's license plate (D6.2). */
export const lpnLabel = "lpn"

/** The license plate of a pallet: the first value of the label `lpn`; `""` without one. */
export const lpnOf = (labels: ReadonlyArray<Label>): string => labelValues(labels, lpnLabel)[0] ?? ""

/** All that an event says, as one text: events that say the same have the same (D6.1). */
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
