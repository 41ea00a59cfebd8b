/**
 * What clients see of shipments, orders and items: the one place where absent values become the empty defaults of
 * the contract (missing text `""`, numbers 0, flags `false`, lists `[]`; WIRE.md, D4.1).
 */
import { Schema } from "effect"
import type { Location } from "../places/Place.ts"
import { orderStatuses, shipmentStatuses, shipmentStatusNames } from "../values/Vocabulary.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import type { Order } from "./Order.ts"
import type { LocatedOrder, ShipmentAfter } from "./Shipment.ts"

const described = (description: string) => Schema.String.annotate({ description })

const PlaceView = Schema.Struct({ slug: Schema.String, name: Schema.String }).annotate({
  identifier: "Place"
})

/** An item as clients see it. */
export const OrderItemView = Schema.Struct({
  id: Schema.String,
  identifier: Schema.String,
  lpn: Schema.String,
  sku: Schema.String,
  quantity: Schema.Finite,
  quantityUnit: Schema.String,
  purchaseOrder: Schema.String,
  description: Schema.String,
  upc: Schema.String,
  weightPerUnit: Schema.Finite,
  weightUnit: Schema.String,
  height: Schema.Finite,
  length: Schema.Finite,
  width: Schema.Finite,
  dimensionUnit: Schema.String,
  isDangerousGood: Schema.Boolean,
  lot: Schema.String,
  expirationDate: described("YYYY-MM-DD, or empty"),
  manufacturingDate: described("YYYY-MM-DD, or empty"),
  caseSerials: Schema.Array(Schema.Struct({ id: Schema.String, quantity: Schema.Int }))
}).annotate({ identifier: "OrderItem" })

/** An item as clients see it. */
export type OrderItemView = typeof OrderItemView.Type

const orderViewFields = {
  id: Schema.String,
  orderNumber: Schema.String,
  status: Schema.Literals(orderStatuses),
  direction: Schema.String,
  orderType: Schema.String,
  purchaseOrder: Schema.String,
  consigneeName: Schema.String,
  consigneePhoneNumber: Schema.String,
  bolNumber: Schema.String,
  expectedQuantity: Schema.Int,
  carrier: Schema.String,
  sealNumber: Schema.String,
  supplier: Schema.String,
  client: Schema.String,
  destination: Schema.String,
  items: Schema.Array(OrderItemView)
}

/** An order as clients see it. */
export const OrderView = Schema.Struct(orderViewFields).annotate({ identifier: "Order" })

/** An order as clients see it. */
export type OrderView = typeof OrderView.Type

/** An order with the place and shipment it belongs to, for lists of orders (D5.1). */
export const LocatedOrderView = Schema.Struct({
  ...orderViewFields,
  business: PlaceView,
  facility: PlaceView,
  shipmentId: Schema.Int,
  shipmentNumber: Schema.String
}).annotate({ identifier: "LocatedOrder" })

/** An order with the place and shipment it belongs to. */
export type LocatedOrderView = typeof LocatedOrderView.Type

/** One step of a shipment: completed or yet to come. */
export const StatusEvent = Schema.Struct({
  status: Schema.Literals(shipmentStatuses),
  displayName: Schema.String,
  completed: Schema.Boolean,
  completedAt: described("RFC 3339 in UTC, or empty while incomplete")
}).annotate({ identifier: "StatusEvent" })

/** One step of a shipment. */
export type StatusEvent = typeof StatusEvent.Type

/** A shipment as clients see it. */
export const ShipmentView = Schema.Struct({
  id: Schema.Int.annotate({ description: "0 in a dry run that would create the shipment" }),
  shipmentNumber: Schema.String,
  status: Schema.Literals(shipmentStatuses),
  direction: Schema.String,
  business: PlaceView,
  facility: PlaceView,
  expectedArrivalAt: described("RFC 3339 in UTC"),
  scheduledAt: described("RFC 3339 in UTC"),
  trailerNumber: Schema.String,
  dockId: Schema.String,
  dockSlug: Schema.String,
  carrier: Schema.String,
  additionalFields: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  statusEvents: Schema.Array(StatusEvent).annotate({
    description: "SCHEDULED, ARRIVED, DEPARTED, in this order"
  }),
  orders: Schema.Array(OrderView)
}).annotate({ identifier: "Shipment" })

/** A shipment as clients see it. */
export type ShipmentView = typeof ShipmentView.Type

/** Shows an order with its items in id order. */
export const orderView = ({ id, number, status, direction, items, ...fields }: Order): OrderView => ({
  id,
  orderNumber: number,
  status,
  direction,
  ...fields,
  items
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
  trailerNumber: shipment.trailerNumber,
  dockId: shipment.dock === null ? "" : String(shipment.dock.id),
  dockSlug: shipment.dock?.slug ?? "",
  carrier: shipment.carrier,
  additionalFields: shipment.additionalFields,
  statusEvents: statusEvents(shipment),
  orders: shipment.orders.map(orderView)
})

const statusEvents = (shipment: ShipmentAfter): ReadonlyArray<StatusEvent> => {
  const completedAt: Readonly<Record<ShipmentStatus, string | null>> = {
    SCHEDULED: shipment.scheduledAt,
    ARRIVED: shipment.arrivedAt,
    DEPARTED: shipment.departedAt
  }
  return shipmentStatuses.map((status) => ({
    status,
    displayName: shipmentStatusNames[status],
    completed: completedAt[status] !== null,
    completedAt: completedAt[status] ?? ""
  }))
}
