/**
 * What the model shows of shipments and orders (D4.1).
 */
import type { LocatedOrderView, OrderView, ShipmentView } from "@dockline/core/View"
import { progress } from "./ModelProgress.ts"
import { dockIdOf, ordersOf, placeOf } from "./ModelState.ts"
import type { Order, Shipment, State } from "./ModelState.ts"

/** A shipment, with ids as they are to be shown. */
export const showShipment = (
  state: State,
  shipment: Shipment,
  shownId: (id: number) => string = String
): ShipmentView => {
  const { business, facility, number, status, direction, fields, additionalFields, scheduledAt } = shipment
  const place = showPlace(state, shipment)
  const event = (status: ShipmentView["status"], displayName: string, completedAt: string) => ({
    status,
    displayName,
    completed: completedAt !== "",
    completedAt
  })
  const shown: object = {
    id: Number(shownId(shipment.id)),
    shipmentNumber: number,
    status,
    direction,
    ...place,
    ...fields,
    scheduledAt,
    dockId: dockIdOf(state, business, facility, fields.dockSlug),
    additionalFields,
    statusEvents: [
      event("SCHEDULED", "Scheduled", scheduledAt),
      event("ARRIVED", "Arrived", shipment.arrivedAt),
      event("DEPARTED", "Departed", shipment.departedAt)
    ],
    progress: progress(state, shipment),
    orders: ordersOf(state, shipment).map((order) => showOrder(order, shownId))
  }
  return shown as ShipmentView
}

/** The business and the facility of a shipment. */
export const showPlace = (state: State, shipment: Shipment) => {
  const { business, facility } = placeOf(state, shipment.business, shipment.facility)
  return {
    business: { slug: business.slug, name: business.name },
    facility: { slug: facility.slug, name: facility.name }
  }
}

/** The fields are those of an order and of an item, each by its name, as are those of a shipment. */
const showOrder = (order: Order, shownId: (id: number) => string): OrderView => {
  const items: ReadonlyArray<unknown> = order.items.map(({ id, fields }) => ({ id: shownId(id), ...fields }))
  const shown: object = {
    id: shownId(order.id),
    orderNumber: order.number,
    status: order.status,
    direction: order.direction,
    ...order.fields,
    items
  }
  return shown as OrderView
}

/** An order, with the place and the shipment that it is on. */
export const showLocatedOrder = (state: State, order: Order): LocatedOrderView => {
  const shipment = state.shipments.find(({ id }) => id === order.shipmentId)!
  return {
    ...showOrder(order, String),
    ...showPlace(state, shipment),
    shipmentId: shipment.id,
    shipmentNumber: shipment.number
  }
}
