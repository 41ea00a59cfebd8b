/**
 * Makes entities of the bodies that PostgreSQL returns, whose order is that of the views `shipment_body` and `order_body`.
 */
import type { Location } from "@dockline/core/places/Place"
import type { Tracking } from "@dockline/core/shipment/Discrepancies"
import { emptyOrderFields } from "@dockline/core/shipment/Order"
import type { Order } from "@dockline/core/shipment/Order"
import { emptyOrderItem, orderItemFieldNames } from "@dockline/core/shipment/OrderItem"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { expectedLpns } from "@dockline/core/shipment/Progress"
import { emptyShipmentFields } from "@dockline/core/shipment/Shipment"
import type { LocatedShipment, Shipment } from "@dockline/core/shipment/Shipment"
import type { ShipmentItem } from "@dockline/core/shipment/ShipmentItem"
import type { OrderStatus, PalletDirection } from "@dockline/core/values/Vocabulary"

/** A row of the view `shipment_body`. */
export interface ShipmentBody
  extends Omit<Shipment, keyof typeof emptyShipmentFields | "orders" | "owner" | "pallets">
{
  readonly owner: string | null
  readonly fields: FieldsBody
  readonly pallets: ReadonlyArray<
    readonly [id: number, lpn: string, first: PalletDirection, last: PalletDirection, dockId: number]
  >
}

/** Values of the fields of an entity, in the order of their table. */
export type FieldsBody = ReadonlyArray<unknown>

/** An order without its items. */
export type OrderHead = readonly [
  id: string,
  number: string,
  status: OrderStatus,
  direction: string,
  shipmentId: number,
  createdAt: string,
  fields: FieldsBody,
  owner: string | null
]

/** A row of the view `order_body`. */
export type OrderBody = readonly [
  head: OrderHead,
  /** Of each item its id, then its fields. */
  items: ReadonlyArray<FieldsBody>
]

/** Items as columns, under core's names. */
export type ItemColumns = Readonly<Record<"orderId" | keyof OrderItem, ReadonlyArray<unknown> | null>>

/** An item of a shipment with its order: its id, then its fields. */
export type ShipmentItemBody = readonly [
  orderId: string,
  orderNumber: string,
  item: FieldsBody
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
    // Each member has got its value.
    return read as Entity
  }
}

const toShipmentFields = reader(emptyShipmentFields)

const toOrderFields = reader(emptyOrderFields)

const toItem = reader<OrderItem>({ id: "", ...emptyOrderItem })

/** Whose something is; what is nobody's has no owner. */
const ownedBy = (owner: string | null) => owner === null ? undefined : { owner }

/** Reads a shipment with these orders. */
export const toShipment = (
  { fields, owner, pallets, ...shipment }: ShipmentBody,
  orders: ReadonlyArray<Order>
): Shipment => ({
  ...toShipmentFields(fields),
  ...shipment,
  ...ownedBy(owner),
  orders,
  pallets: pallets.map(([id, lpn, first, last, dockId]) => ({ id, lpn, first, last, dockId }))
})

/** An order with its shipment and the time of its creation. */
export interface PlacedOrder {
  readonly order: Order
  readonly shipmentId: number
  readonly createdAt: string
}

/** Makes an order of its head and its items. */
export const placeOrder = (
  [id, number, status, direction, shipmentId, createdAt, fields, owner]: OrderHead,
  items: ReadonlyArray<OrderItem>
): PlacedOrder => ({
  order: { ...toOrderFields(fields), id, number, status, direction, ...ownedBy(owner), items },
  shipmentId,
  createdAt
})

/** Reads an order with its items and its shipment. */
export const toPlacedOrder = ([head, items]: OrderBody): PlacedOrder => placeOrder(head, items.map(toItem))

const toOrder = (body: OrderBody): Order => toPlacedOrder(body).order

/** Reads an item with its order. */
export const toShipmentItem = ([orderId, orderNumber, item]: ShipmentItemBody): ShipmentItem => ({
  item: toItem(item),
  orderId,
  orderNumber
})

/** Reads items by their orders; a date that is not there is null. */
export const toItems = (columns: ItemColumns): ReadonlyMap<string, ReadonlyArray<OrderItem>> => {
  const found = new Map<string, Array<OrderItem>>()
  const fields = (["id", ...orderItemFieldNames] as const).map((name) => columns[name] ?? [])
  columns.orderId?.forEach((id, at) => {
    const order = String(id)
    const item = toItem(fields.map((values) => values[at] ?? ""))
    const items = found.get(order)
    if (items === undefined) found.set(order, [item])
    else items.push(item)
  })
  return found
}

/** Reads a shipment with its location. */
export const toLocatedShipment = (
  { business, facility, orders, shipment }: LocatedBody
): LocatedShipment => ({
  location: { business, facility },
  shipment: toShipment(shipment, orders.map(toOrder))
})

/** What `shipment_tracking` returns. */
export interface FoundTracking extends Location, Omit<Tracking, "expectedLpns"> {
  /** Of each item, in the order of orders and items. */
  readonly lpns: ReadonlyArray<string>
}

/** What the discrepancies of a shipment depend on. */
export const toTracking = ({ lpns, ...found }: FoundTracking): Tracking => {
  const { direction, dock, elsewhere, pallets, status } = found
  const expected = expectedLpns({ orders: [{ items: lpns.map((lpn) => ({ lpn })) }] })
  return { direction, status, dock, pallets, elsewhere, expectedLpns: Array.from(expected.values()) }
}
