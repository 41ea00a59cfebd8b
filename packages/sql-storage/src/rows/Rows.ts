/**
 * Makes entities of the bodies that PostgreSQL returns, whose order is that of the views `shipment_body` and `order_body`,
 * and rows of plans.
 */
import { emptyOrderFields } from "@dockline/core/Order"
import type { Order } from "@dockline/core/Order"
import { emptyOrderItem } from "@dockline/core/OrderItem"
import type { OrderItem } from "@dockline/core/OrderItem"
import type { Location } from "@dockline/core/Place"
import type { OrderChange, Plan } from "@dockline/core/Plan"
import { emptyShipmentFields } from "@dockline/core/Shipment"
import type { AdditionalField, Dock, LocatedShipment, Shipment } from "@dockline/core/Shipment"
import type { OrderStatus, PalletDirection, ShipmentStatus } from "@dockline/core/Vocabulary"
import { indexKey, itemIndexKey } from "./IndexKey.ts"

/** A row of the view `shipment_body`. */
export type ShipmentBody = readonly [
  id: number,
  number: string,
  status: ShipmentStatus,
  direction: string,
  expectedArrivalAt: string,
  scheduledAt: string,
  arrivedAt: string | null,
  departedAt: string | null,
  dock: Dock | null,
  additionalFields: ReadonlyArray<AdditionalField>,
  linkedShipmentIds: ReadonlyArray<number>,
  fields: FieldsBody,
  pallets: ReadonlyArray<readonly [id: number, lpn: string, first: PalletDirection, last: PalletDirection]>
]

/** Values of the fields of an entity, in the order of their table. */
export type FieldsBody = ReadonlyArray<unknown>

/** A row of the view `order_body`. */
export type OrderBody = readonly [
  id: string,
  number: string,
  status: OrderStatus,
  direction: string,
  shipmentId: number,
  createdAt: string,
  fields: FieldsBody,
  /** Of each item its id, then its fields. */
  items: ReadonlyArray<FieldsBody>
]

/** A shipment with its location, as `located_shipment` and `shipments_shown` return it. */
export interface LocatedBody extends Location {
  readonly shipment: ShipmentBody
  readonly orders: ReadonlyArray<OrderBody>
}

/**
 * Makes the reader of bodies with the values of an entity in the order of its members. Each entity is a copy of an empty one
 * from the JSON parser, whose objects hold all members inline.
 */
const reader = <Entity extends object>(entity: Entity) => {
  const empty: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(entity))
  const names = Object.keys(empty)
  return (body: FieldsBody): Entity => {
    const read = { ...empty }
    for (let at = 0; at < names.length; at++) read[names[at]!] = body[at]
    return read as Entity
  }
}

const toShipmentFields = reader(emptyShipmentFields)

const toOrderFields = reader(emptyOrderFields)

const toItem = reader<OrderItem>({ id: "", ...emptyOrderItem })

/** Reads a shipment with these orders. */
export const toShipment = (
  [
    id,
    number,
    status,
    direction,
    expectedArrivalAt,
    scheduledAt,
    arrivedAt,
    departedAt,
    dock,
    additionalFields,
    linkedShipmentIds,
    fields,
    pallets
  ]: ShipmentBody,
  orders: ReadonlyArray<OrderBody>
): Shipment => ({
  ...toShipmentFields(fields),
  id,
  number,
  status,
  direction,
  expectedArrivalAt,
  scheduledAt,
  arrivedAt,
  departedAt,
  dock,
  additionalFields,
  linkedShipmentIds,
  orders: orders.map(toOrder),
  pallets: pallets.map(([id, lpn, first, last]) => ({ id, lpn, first, last }))
})

/** An order with its shipment and the time of its creation. */
export interface PlacedOrder {
  readonly order: Order
  readonly shipmentId: number
  readonly createdAt: string
}

/** Reads an order with its items and its shipment. */
export const toPlacedOrder = (
  [id, number, status, direction, shipmentId, createdAt, fields, items]: OrderBody
): PlacedOrder => ({
  order: { ...toOrderFields(fields), id, number, status, direction, items: items.map(toItem) },
  shipmentId,
  createdAt
})

/** Reads an order with its items. */
export const toOrder = (body: OrderBody): Order => toPlacedOrder(body).order

/** Reads a shipment with its location. */
export const toLocatedShipment = (
  { business, facility, orders, shipment }: LocatedBody
): LocatedShipment => ({
  location: { business, facility },
  shipment: toShipment(shipment, orders)
})

/** A shipment or order of a plan under core's names, with its key. `intake_apply` ignores other members. */
const keyed = <Row extends { readonly number: string }>(row: Row) => ({
  ...row,
  numberKey: indexKey(row.number)
})

/** The argument of `intake_apply`: the rows of a plan. A set that is empty is left out. */
export const planRows = (plan: Plan): Record<string, unknown> => {
  const { shipment } = plan
  const newOrders = plan.orders.filter((change) => change.order._tag === "Create")
  const changedOrders = plan.orders.filter(
    ({ order }) => order._tag === "Update" && (order.changed || order.remappedFrom !== null)
  )
  const positions = new Map(newOrders.map((change, index) => [change, index + 1]))
  return {
    ...(shipment._tag === "Update" ? { shipmentId: shipment.shipment.id } : {}),
    ...(shipment._tag === "Create" || shipment.changed
      ? { shipment: { ...keyed(shipment.shipment), dockId: shipment.shipment.dock?.id ?? null } }
      : {}),
    ...unlessEmpty("newOrders", newOrders.map(({ order }) => keyed(order.order))),
    ...unlessEmpty("changedOrders", changedOrders.map(({ order }) => order.order)),
    ...unlessEmpty("removedItems", plan.orders.flatMap(({ items }) => items.removed.map((item) => item.id))),
    ...unlessEmpty("changedItems", plan.orders.flatMap(({ changedItems }) => changedItems)),
    ...unlessEmpty("newItems", plan.orders.flatMap(({ items }) => items.created)),
    ...unlessEmpty("newItemPlaces", plan.orders.flatMap((change) => placesOf(change, positions.get(change))))
  }
}

/** The order and the key of each item that a change creates. */
const placesOf = ({ items, order }: OrderChange, newOrder: number | undefined) => {
  const place = order._tag === "Update" ? { orderId: order.order.id } : { newOrder }
  return items.created.map((item) => ({ ...place, itemKey: itemIndexKey(item) }))
}

const unlessEmpty = (name: string, rows: ReadonlyArray<unknown>): Record<string, unknown> =>
  rows.length === 0 ? {} : { [name]: rows }
