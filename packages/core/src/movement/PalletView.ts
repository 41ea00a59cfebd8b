/**
 * What clients see of a pallet (D13.2).
 */
import { Schema } from "effect"
import { ordersOf } from "../shipment/LocatedPallet.ts"
import type { LocatedPallet } from "../shipment/LocatedPallet.ts"
import { Verdict } from "../shipment/Verdict.ts"
import { PlaceView } from "../shipment/View.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import { palletDirections } from "../values/Vocabulary.ts"
import { palletUrl } from "./internal/Payload.ts"

const LabelView = Schema.Struct({ name: shownText("Its name"), value: shownText("What was read") }).annotate({
  description: "A value that was read from a label of a pallet."
})

const PalletEventView = Schema.Struct({
  direction: Schema.Literals(palletDirections).annotate({ description: "Which way it crossed the dock" }),
  occurredAt: shownTime("When"),
  dockSlug: shownText("Slug of the dock"),
  messageId: shownWhole("Id of the event's message, which may have expired"),
  verdict: Verdict
}).annotate({ description: "A pallet has crossed a dock." })

/** A pallet as clients see it. */
export const PalletView = Schema.Struct({
  id: shownText("Its id"),
  lpn: shownText("Its license plate, or empty"),
  state: Schema.Literals(["LOADED", "UNLOADED"]).annotate({ description: "What happened to it last" }),
  expected: Schema.Boolean.annotate({ description: "Whether an item of the shipment has its lpn" }),
  orders: Schema.Array(Schema.String).annotate({ description: "Numbers of the orders it belongs to" }),
  dockId: shownText("Id of the dock where it was seen last"),
  dockSlug: shownText("Slug of the dock where it was seen last"),
  firstSeenAt: shownTime("When its first event occurred"),
  lastSeenAt: shownTime("When its last event occurred"),
  url: shownText("Its page in the dashboard"),
  labels: Schema.Array(LabelView).annotate({ description: "The labels of its last event" }),
  events: Schema.Array(PalletEventView).annotate({ description: "Its events, in order of occurrence" }),
  business: PlaceView,
  facility: PlaceView,
  shipmentId: shownWhole("Id of its shipment"),
  shipmentNumber: shownText("Number of its shipment")
}).annotate({ identifier: "Pallet", description: "A pallet that towers have seen of a shipment." })

/** A pallet as clients see it. */
export type PalletView = typeof PalletView.Type

/** Shows a pallet; `dashboardUrl` has no slash at the end. */
export const palletView = (pallet: LocatedPallet, dashboardUrl: string): PalletView => {
  const { events, id, location, lpn, ordersWithLpn, shipmentId, shipmentNumber } = pallet
  const [first, last] = [events[0]!, events.at(-1)!]
  return {
    id: String(id),
    lpn,
    state: last.direction === "LOADING" ? "LOADED" : "UNLOADED",
    expected: ordersWithLpn.length > 0,
    orders: ordersOf(pallet),
    dockId: String(last.dock.id),
    dockSlug: last.dock.slug,
    firstSeenAt: first.occurredAt,
    lastSeenAt: last.occurredAt,
    url: palletUrl(dashboardUrl, shipmentId, id),
    labels: last.labels.map(({ name, value }) => ({ name, value })),
    events: events.map(({ direction, dock, messageId, occurredAt, verdict }) => ({
      direction,
      occurredAt,
      dockSlug: dock.slug,
      messageId,
      verdict
    })),
    ...location,
    shipmentId,
    shipmentNumber
  }
}
