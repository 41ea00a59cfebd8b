/**
 * What the model says of the pallets of shipments, written from D13.2 of WIRE.md alone.
 */
import type { PalletQuery } from "@dockline/core/Pallets"
import type { PalletView } from "@dockline/core/PalletView"
import { inOrder, ordersOfPallet, ordersWith } from "./ModelMovement.ts"
import { dockIdOf } from "./ModelState.ts"
import type { PalletRecord, Shipment, State } from "./ModelState.ts"
import { showPlace } from "./ModelView.ts"

/** The pallets of a shipment, in the order of their ids. */
export const palletsOf = (state: State, shipment: Shipment): ReadonlyArray<PalletView> =>
  idsOf(state.pallets.filter(({ shipmentId }) => shipmentId === shipment.id)).map((id) => show(state, id))

/** The pallets with an LPN at a place, the newest first. */
export const palletsWith = (
  state: State,
  { business, facility, lpn }: PalletQuery
): ReadonlyArray<PalletView> =>
  idsOf(state.pallets.filter((each) =>
    lpn !== "" && each.lpn === lpn && each.business === business &&
    (facility === undefined || facility === "" || each.facility === facility)
  )).toReversed().map((id) => show(state, id))

const idsOf = (events: ReadonlyArray<PalletRecord>): ReadonlyArray<number> =>
  [...new Set(events.map(({ palletId }) => palletId))].sort((left, right) => left - right)

const show = (state: State, id: number): PalletView => {
  const events = inOrder(state.pallets.filter(({ palletId }) => palletId === id))
  const last = events.at(-1)!
  const { business, facility, dockSlug, labels, lpn, payload, shipmentId } = last
  const shipment = state.shipments.find((each) => each.id === shipmentId)!
  const shown: object = {
    id: String(id),
    lpn,
    state: payload["direction"] === "LOADING" ? "LOADED" : "UNLOADED",
    expected: ordersWith(state, shipment, lpn || undefined).length > 0,
    orders: ordersOfPallet(state, shipment, lpn || undefined),
    dockId: dockIdOf(state, business, facility, dockSlug),
    dockSlug,
    firstSeenAt: events[0]!.occurredAt,
    lastSeenAt: last.occurredAt,
    url: payload["url"],
    labels,
    events: events.map((event) => ({
      direction: event.payload["direction"],
      occurredAt: event.occurredAt,
      dockSlug: event.dockSlug,
      messageId: event.answer.messageId
    })),
    ...showPlace(state, shipment),
    shipmentId,
    shipmentNumber: shipment.number
  }
  return shown as PalletView
}
