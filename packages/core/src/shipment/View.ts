/**
 * The views of shipments, orders and items: only they turn absent values into the empty defaults of the contract (missing text `""`,
 * numbers 0, flags `false`, lists `[]`; WIRE.md, D4.1).
 */
import { Schema } from "effect"
import type { Location } from "../places/Place.ts"
import { shownText, shownTime, shownWhole } from "../values/Field.ts"
import * as FieldTable from "../values/FieldTable.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import {
  checkInSteps,
  orderStatuses,
  shipmentMilestoneNames,
  shipmentMilestones,
  shipmentStatuses
} from "../values/Vocabulary.ts"
import type { ShipmentMilestone } from "../values/Vocabulary.ts"
import { Progress, progressOf } from "./Discrepancies.ts"
import { itemFields, orderFields, shipmentFields, takeShipmentFields } from "./Shipment.ts"
import type { LocatedOrder, Order, ShipmentAfter } from "./Shipment.ts"
import type { ShipmentItem } from "./ShipmentItem.ts"

/** Explains why a direction is not an enum. */
const directionText = "Direction; a service may have more than INBOUND and OUTBOUND"

/** A business or facility as clients see it. */
export const PlaceView = Schema.Struct({
  slug: shownText("Its name in documents and addresses"),
  name: shownText("Its name for people")
}).annotate({ identifier: "Place", description: "A business or facility." })

const itemViewFields = { id: FieldTable.text("Its id"), ...itemFields }

/** An item as clients see it. */
export const OrderItemView = Schema.Struct(FieldTable.shownFields(itemViewFields)).annotate({
  identifier: "OrderItem",
  description: "An item of an order: a pallet, or a part of one."
})

/** An item as clients see it. */
export type OrderItemView = typeof OrderItemView.Type

/** An item with the order it belongs to, for lists of the items of a shipment (D13.12). */
export const ShipmentItemView = Schema.Struct({
  ...FieldTable.shownFields(itemViewFields),
  orderId: shownText("Id of its order"),
  orderNumber: shownText("Number of its order")
}).annotate({
  identifier: "ShipmentItem",
  description: "An item of a shipment with the order it belongs to."
})

/** An item with the order it belongs to. */
export type ShipmentItemView = typeof ShipmentItemView.Type

const orderViewFields = {
  id: shownText("Its id"),
  orderNumber: shownText("Order number"),
  status: Schema.Literals(orderStatuses).annotate({ description: "How far it is" }),
  direction: shownText(directionText),
  ...FieldTable.shownFields(orderFields),
  items: Schema.Array(OrderItemView).annotate({ description: "Its items, in id order" })
}

/** An order as clients see it. */
export const OrderView = Schema.Struct(orderViewFields).annotate({
  identifier: "Order",
  description: "An order of a shipment."
})

/** An order as clients see it. */
export type OrderView = typeof OrderView.Type

/** An order with the place and shipment it belongs to, for lists of orders (D5.1). */
export const LocatedOrderView = Schema.Struct({
  ...orderViewFields,
  business: PlaceView,
  facility: PlaceView,
  shipmentId: shownWhole("Id of its shipment"),
  shipmentNumber: shownText("Number of its shipment")
}).annotate({
  identifier: "LocatedOrder",
  description: "An order with the place and the shipment it belongs to."
})

/** An order with the place and shipment it belongs to. */
export type LocatedOrderView = typeof LocatedOrderView.Type

/** One step of a shipment: completed or yet to come. */
export const StatusEvent = Schema.Struct({
  status: Schema.Literals(shipmentMilestones).annotate({ description: "The step" }),
  displayName: shownText("Its name for people"),
  completed: Schema.Boolean.annotate({ description: "Whether the shipment has reached it" }),
  completedAt: shownText("RFC 3339 in UTC, or empty while incomplete"),
  completedBy: shownText(
    "Id of the client or person that took it; empty for SCHEDULED and for a step that a document noted, whose senders are in the record of documents"
  )
}).annotate({ identifier: "StatusEvent", description: "One step of a shipment, completed or yet to come." })

/** One step of a shipment. */
export type StatusEvent = typeof StatusEvent.Type

const AdditionalFieldView = Schema.Struct({ name: shownText("Its name"), value: shownText("Its value") })
  .annotate({ description: "A named value." })

/** A shipment as clients see it. */
export const ShipmentView = Schema.Struct({
  id: shownWhole("0 in a dry run that would create the shipment"),
  shipmentNumber: shownText("Shipment number"),
  status: Schema.Literals(shipmentStatuses).annotate({ description: "How far it is" }),
  direction: shownText(directionText),
  business: PlaceView,
  facility: PlaceView,
  expectedArrivalAt: shownTime("When it is expected to arrive"),
  scheduledAt: shownTime("When it was scheduled"),
  dockId: shownText("Id of its dock, or empty"),
  dockSlug: shownText("Slug of its dock, or empty"),
  ...FieldTable.shownFields(shipmentFields),
  additionalFields: Schema.Array(AdditionalFieldView).annotate({
    description: "Named values, including the values of the driver"
  }),
  statusEvents: Schema.Array(StatusEvent).annotate({
    description:
      "SCHEDULED, ARRIVED, DEPARTED, in this order; between and after them, in order of time, each of AT_FACILITY, DOOR_ASSIGNED, CHECKED_OUT that was noted, and CANCELLED of a cancelled shipment"
  }),
  progress: Progress.annotate({ description: "How many of its pallets have passed the dock" }),
  version: shownWhole(
    "The number of its changes; a document with this version as If-Match is accepted only if it has not changed since"
  ),
  orders: Schema.Array(OrderView).annotate({ description: "All its orders, in id order" })
}).annotate({ identifier: "Shipment", description: "One visit of a truck or container at a facility." })

/** A shipment as clients see it. */
export type ShipmentView = typeof ShipmentView.Type

const itemView = FieldTable.only(itemViewFields)

const orderFieldsView = FieldTable.take(orderFields)

/** Shows an item with the order it belongs to. */
export const shipmentItemView = (
  { item, orderId, orderNumber }: ShipmentItem
): ShipmentItemView => ({
  ...itemView(item),
  orderId,
  orderNumber
})

/** Shows an order with its items in id order. */
export const orderView = (order: Order): OrderView => ({
  id: order.id,
  orderNumber: order.number,
  status: order.status,
  direction: order.direction,
  ...orderFieldsView(order),
  items: order.items.map(itemView)
})

/** Shows an order with the place and shipment it belongs to. */
export const locatedOrderView = (
  { location, shipmentId, shipmentNumber, order }: LocatedOrder
): LocatedOrderView => ({ ...orderView(order), ...location, shipmentId, shipmentNumber })

/** Shows a shipment with its orders in id order. */
export const shipmentView = (shipment: ShipmentAfter, location: Location): ShipmentView => ({
  id: shipment.id === "" ? 0 : shipment.id,
  shipmentNumber: shipment.number,
  status: shipment.status,
  direction: shipment.direction,
  business: location.business,
  facility: location.facility,
  expectedArrivalAt: shipment.expectedArrivalAt,
  scheduledAt: shipment.scheduledAt,
  dockId: shipment.dock === null ? "" : String(shipment.dock.id),
  dockSlug: shipment.dock?.slug ?? "",
  ...takeShipmentFields(shipment),
  additionalFields: shipment.additionalFields.map(({ name, value }) => ({ name, value })),
  statusEvents: statusEvents(shipment),
  progress: progressOf(shipment),
  version: shipment.version,
  orders: shipment.orders.map(orderView)
})

/**
 * Past events in order of time, then future ones. Events never go back in time (D21.3): SCHEDULED gets the time of the arrival or of a
 * check-in step if that is earlier than the scheduling, and AT_FACILITY gets the time of the arrival if that is earlier than its own.
 */
const statusEvents = (shipment: ShipmentAfter): ReadonlyArray<StatusEvent> => {
  const { arrivedAt, cancelledAt, checkIn, departedAt, scheduledAt, stepClients } = shipment
  const statusEvent = (status: ShipmentMilestone, completedAt: string | null): StatusEvent => ({
    status,
    displayName: shipmentMilestoneNames[status],
    completed: completedAt !== null,
    completedAt: completedAt ?? "",
    completedBy: stepClients[status] ?? ""
  })
  const times = checkInSteps.flatMap((step) => {
    const at = checkIn[step]
    if (at === undefined) return []
    return [statusEvent(step, step === "AT_FACILITY" ? earliest(at, arrivedAt) : at)]
  })
  const all = [
    statusEvent("SCHEDULED", earliest(scheduledAt, arrivedAt, ...Object.values(checkIn))),
    ...times,
    statusEvent("ARRIVED", arrivedAt),
    statusEvent("DEPARTED", departedAt),
    ...(cancelledAt === null ? [] : [statusEvent("CANCELLED", cancelledAt)])
  ]
  return [
    ...all.filter(({ completed }) => completed).toSorted((one, other) =>
      one.completedAt < other.completedAt ? -1 : Number(one.completedAt > other.completedAt)
    ),
    ...all.filter(({ completed }) => !completed)
  ]
}

const earliest = (first: Timestamp, ...others: ReadonlyArray<Timestamp | null | undefined>): Timestamp =>
  others.reduce<Timestamp>((least, each) => each && each < least ? each : least, first)
