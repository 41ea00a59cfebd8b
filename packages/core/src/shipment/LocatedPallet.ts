/**
 * Pallets as they are read: with their events, their orders and where they belong (D13.2).
 */
import type { Label } from "../places/MessageField.ts"
import type { Location } from "../places/Place.ts"
import type { EntrySize } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import type { Dock } from "./Shipment.ts"
import type { Verdict } from "./Verdict.ts"

/** An event of a pallet. */
export interface Sighting {
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  readonly dock: Dock
  /** The id of the event's message. */
  readonly messageId: number
  readonly labels: ReadonlyArray<Label>
  /** What the tower was told. */
  readonly verdict: Verdict
}

/** The orders that a pallet may belong to. */
export interface PalletOrders {
  /** The numbers of its shipment's orders that hold an item with its LPN, in order of order ids; none without an LPN. */
  readonly ordersWithLpn: ReadonlyArray<string>
  /** The number of its shipment's order, if that has exactly one. */
  readonly onlyOrder: string | null
}

/** A pallet with its events, its shipment and where they belong. */
export interface LocatedPallet extends PalletOrders {
  readonly location: Location
  readonly shipmentId: number
  readonly shipmentNumber: string
  readonly id: number
  /** `""` for a pallet without an LPN label. */
  readonly lpn: string
  /** When its first event was recorded, whenever that occurred. */
  readonly recordedAt: Timestamp
  /** At least one, in order of occurrence, and those of one instant in order of recording. */
  readonly events: ReadonlyArray<Sighting>
}

/** The numbers of the orders that a pallet belongs to: the only order of its shipment in any case (D6.3). */
export const ordersOf = ({ onlyOrder, ordersWithLpn }: PalletOrders): ReadonlyArray<string> =>
  onlyOrder === null ? ordersWithLpn : [onlyOrder]

/** The size of an event of a pallet in a list: the event and its labels are rows. */
export const sizeOfEvent = ({ labels, verdict }: Pick<Sighting, "labels" | "verdict">): EntrySize => ({
  rows: 1 + labels.length,
  text: labels.reduce(
    (sum, { name, value }) => sum + name.length + value.length,
    verdict.text.length + verdict.shipmentNumber.length
  )
})

/** The size of a pallet in a list: the pallet, its orders, and its events with their labels are rows. */
export const sizeOfPallet = (pallet: PalletOrders & Pick<LocatedPallet, "events">): EntrySize => {
  const orders = ordersOf(pallet)
  const events = pallet.events.map(sizeOfEvent)
  return {
    rows: events.reduce((sum, { rows }) => sum + rows, 1 + orders.length),
    text: events.reduce(
      (sum, { text }) => sum + text,
      orders.reduce((sum, number) => sum + number.length, 0)
    )
  }
}
