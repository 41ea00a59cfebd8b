/**
 * Whether a pallet that crosses a dock is where it should be: what a tower needs to light green or red before the pallet is on
 * the truck (D15.2). And pallets as they are read: with their events, their orders and where they belong (D13.2).
 *
 * Guarantee: a verdict agrees with the discrepancies that the pallet leads to (D13.4), as long as nothing else happens.
 */
import { Schema } from "effect"
import type { Label } from "../places/MessageField.ts"
import type { Location } from "../places/Place.ts"
import { shownText, shownWhole } from "../values/Field.ts"
import type { MessageId, PalletId, ShipmentId } from "../values/Id.ts"
import type { EntrySize } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import { ends, hasPassed, sightAgain } from "./Shipment.ts"
import type { Dock, Sightings } from "./Shipment.ts"

/** What a pallet can be at a dock. Of those that hold, the last one is told. */
const verdictKinds = [
  "EXPECTED",
  "REPEATED",
  "WRONG_DOCK",
  "UNEXPECTED",
  "WRONG_SHIPMENT",
  "WRONG_DIRECTION"
] as const

/** Whether a pallet that crosses a dock is where it should be (D15.2). */
export const Verdict = Schema.Struct({
  kind: Schema.Literals(verdictKinds).annotate({
    description:
      "EXPECTED, or REPEATED if it has passed before: the pallet may go on; any other verdict means that it should not"
  }),
  shipmentId: shownWhole(
    "Id of the shipment where it belongs: of WRONG_SHIPMENT the one that expects it, otherwise that of the event"
  ),
  shipmentNumber: shownText("Number of that shipment"),
  dockSlug: shownText("Slug of the dock of that shipment; empty while it has none"),
  text: shownText("The verdict in a sentence, for a display at the dock"),
  late: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "True if the shipment had departed when the pallet was reported, which passed before; absent otherwise"
    })
  )
}).annotate({
  identifier: "Verdict",
  description: "Whether a pallet that crosses a dock is where it should be."
})

/** Whether a pallet that crosses a dock is where it should be (D15.2). */
export type Verdict = typeof Verdict.Type

/** A shipment and its dock, as a verdict names them. */
export interface VerdictPlace {
  readonly id: ShipmentId
  readonly number: string
  readonly dock: Dock | null
}

/** What a verdict depends on. */
export interface Sighting {
  /** The shipment of the event; its dock is that which it has after the event. */
  readonly shipment: VerdictPlace & { readonly direction: string }
  readonly lpn: string
  /** Whether an item of the shipment is expected on the pallet. */
  readonly isExpected: boolean
  /** The latest created open shipment of the facility that expects the pallet, if the shipment of the event does not. */
  readonly elsewhere: VerdictPlace | null
  /** Where the pallet was seen before; `null` if it was not. */
  readonly sighted: Sightings | null
}

/** The verdict on a pallet that has crossed a dock. */
export const verdictOf = (
  { direction, occurredAt }: { readonly direction: PalletDirection; readonly occurredAt: Timestamp },
  dock: Dock,
  { elsewhere, isExpected, lpn, shipment, sighted }: Sighting
): Verdict => {
  const after = sightAgain(sighted, direction, occurredAt, dock.id)
  const { number } = shipment
  const verdictOf = (kind: Verdict["kind"], text: string, of: VerdictPlace = shipment): Verdict => ({
    kind,
    shipmentId: of.id,
    shipmentNumber: of.number,
    dockSlug: of.dock?.slug ?? "",
    text
  })
  if (!hasPassed(shipment.direction, after)) {
    const end = ends[shipment.direction]
    return verdictOf(
      "WRONG_DIRECTION",
      sighted === null && end !== undefined
        ? `Pallets of shipment ${number} are ${
          end === "LOADING" ? "loaded, and this one was unloaded" : "unloaded, and this one was loaded"
        }.`
        : `The pallet of shipment ${number} has gone back, and counts as not passed.`
    )
  }
  if (!isExpected) {
    if (elsewhere !== null) {
      return verdictOf(
        "WRONG_SHIPMENT",
        `Shipment ${elsewhere.number} expects the pallet, ${number} does not.`,
        elsewhere
      )
    }
    return verdictOf(
      "UNEXPECTED",
      lpn === ""
        ? "The pallet has no LPN, so that no shipment expects it."
        : "No open shipment of the facility expects the pallet."
    )
  }
  if (shipment.dock !== null && shipment.dock.id !== after.dockId) {
    return verdictOf("WRONG_DOCK", `Shipment ${number} is at dock ${shipment.dock.slug}.`)
  }
  return sighted !== null && hasPassed(shipment.direction, sighted)
    ? verdictOf("REPEATED", `The pallet of shipment ${number} has passed before.`)
    : verdictOf("EXPECTED", `Shipment ${number} expects the pallet.`)
}

/** An event of a pallet. */
export interface PalletSighting {
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  readonly dock: Dock
  /** The id of the event's message. */
  readonly messageId: MessageId
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
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly id: PalletId
  /** `""` for a pallet without an LPN label. */
  readonly lpn: string
  /** When its first event was recorded, whenever that occurred. */
  readonly recordedAt: Timestamp
  /** At least one, in order of occurrence, and those of one instant in order of recording. */
  readonly events: ReadonlyArray<PalletSighting>
}

/** The numbers of the orders that a pallet belongs to: the only order of its shipment in any case (D6.3). */
export const ordersOf = ({ onlyOrder, ordersWithLpn }: PalletOrders): ReadonlyArray<string> =>
  onlyOrder === null ? ordersWithLpn : [onlyOrder]

/** The size of an event of a pallet in a list: the event and its labels are rows. */
export const sizeOfEvent = ({ labels, verdict }: Pick<PalletSighting, "labels" | "verdict">): EntrySize => ({
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
