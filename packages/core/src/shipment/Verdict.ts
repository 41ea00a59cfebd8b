/**
 * The verdict on a pallet that crosses a dock: whether it is where it should be. A tower uses the verdict to light green or red before the
 * pallet is on the truck (D15.2). A {@link LocatedPallet} is a pallet with its events, orders and location (D13.2).
 *
 * Guarantee: a verdict agrees with the discrepancies that the pallet causes (D13.4), as long as nothing else happens.
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

/** The kinds of verdicts. If several apply, the last of them is returned. */
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
    "Id of the shipment where it belongs: for WRONG_SHIPMENT the shipment that expects it, otherwise the shipment of the event"
  ),
  shipmentNumber: shownText("Number of that shipment"),
  dockSlug: shownText("Slug of the dock of that shipment; empty if it has none"),
  text: shownText("The verdict in a sentence, for a display at the dock"),
  late: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "True if the pallet passed before the departure of the shipment and was reported after it; absent otherwise"
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

/** The data that a verdict depends on. */
export interface Sighting {
  /** The shipment of the event, with its dock after the event. */
  readonly shipment: VerdictPlace & { readonly direction: string }
  readonly lpn: string
  /** Whether an item of the shipment is expected on the pallet. */
  readonly isExpected: boolean
  /** The latest created open shipment of the facility that expects the pallet, if the shipment of the event does not. */
  readonly elsewhere: VerdictPlace | null
  /** The earlier sightings of the pallet; `null` for a new pallet. */
  readonly sightings: Sightings | null
}

/** The verdict on a pallet that has crossed a dock. */
export const verdictOf = (
  { direction, occurredAt }: { readonly direction: PalletDirection; readonly occurredAt: Timestamp },
  dock: Dock,
  { elsewhere, isExpected, lpn, shipment, sightings }: Sighting
): Verdict => {
  const after = sightAgain(sightings, direction, occurredAt, dock.id)
  const { number } = shipment
  const makeVerdict = (kind: Verdict["kind"], text: string, of: VerdictPlace = shipment): Verdict => ({
    kind,
    shipmentId: of.id,
    shipmentNumber: of.number,
    dockSlug: of.dock?.slug ?? "",
    text
  })
  if (!hasPassed(shipment.direction, after)) {
    const end = ends[shipment.direction]
    return makeVerdict(
      "WRONG_DIRECTION",
      sightings === null && end !== undefined
        ? `Pallets of shipment ${number} are ${
          end === "LOADING" ? "loaded, and this one was unloaded" : "unloaded, and this one was loaded"
        }.`
        : `The pallet of shipment ${number} has gone back, and counts as not passed.`
    )
  }
  if (!isExpected) {
    if (elsewhere !== null) {
      return makeVerdict(
        "WRONG_SHIPMENT",
        `Shipment ${elsewhere.number} expects the pallet, ${number} does not.`,
        elsewhere
      )
    }
    return makeVerdict(
      "UNEXPECTED",
      lpn === ""
        ? "The pallet has no LPN, so no shipment expects it."
        : "No open shipment of the facility expects the pallet."
    )
  }
  if (shipment.dock !== null && shipment.dock.id !== after.dockId) {
    return makeVerdict("WRONG_DOCK", `Shipment ${number} is at dock ${shipment.dock.slug}.`)
  }
  return sightings !== null && hasPassed(shipment.direction, sightings)
    ? makeVerdict("REPEATED", `The pallet of shipment ${number} has passed before.`)
    : makeVerdict("EXPECTED", `Shipment ${number} expects the pallet.`)
}

/** An event of a pallet. */
export interface PalletSighting {
  readonly direction: PalletDirection
  readonly occurredAt: Timestamp
  readonly dock: Dock
  /** The id of the event's message. */
  readonly messageId: MessageId
  readonly labels: ReadonlyArray<Label>
  /** The verdict that the tower got. */
  readonly verdict: Verdict
}

/** The orders that a pallet may belong to. */
export interface PalletOrders {
  /** The numbers of its shipment's orders that have an item with its LPN, by order id; none without an LPN. */
  readonly ordersWithLpn: ReadonlyArray<string>
  /** The number of the only order of its shipment; `null` if the shipment has several orders or none. */
  readonly onlyOrder: string | null
}

/** A pallet with its events, its shipment and their location. */
export interface LocatedPallet extends PalletOrders {
  readonly location: Location
  readonly shipmentId: ShipmentId
  readonly shipmentNumber: string
  readonly id: PalletId
  /** `""` for a pallet without an LPN label. */
  readonly lpn: string
  /** When its first event was recorded, independent of when that event occurred. */
  readonly recordedAt: Timestamp
  /** At least one event, in order of occurrence; events of one instant in order of recording. */
  readonly events: ReadonlyArray<PalletSighting>
}

/** The numbers of the orders that a pallet belongs to; if its shipment has only one order, always that one (D6.3). */
export const ordersOf = ({ onlyOrder, ordersWithLpn }: PalletOrders): ReadonlyArray<string> =>
  onlyOrder === null ? ordersWithLpn : [onlyOrder]

/** The size of an event of a pallet in a list: the event and each label count as a row. */
export const sizeOfEvent = ({ labels, verdict }: Pick<PalletSighting, "labels" | "verdict">): EntrySize => ({
  rows: 1 + labels.length,
  text: labels.reduce(
    (sum, { name, value }) => sum + name.length + value.length,
    verdict.text.length + verdict.shipmentNumber.length
  )
})

/** The size of a pallet in a list: the pallet, each order, and each event and its labels count as a row. */
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
