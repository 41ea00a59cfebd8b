/** Makes entities from the bodies that PostgreSQL returns. The views `shipment_body` and `order_body` determine the order of the values. */
import type { Tracking } from "@dockline/core/shipment/Discrepancies"
import { expectedLpns } from "@dockline/core/shipment/Discrepancies"
import {
  emptyOrderFields,
  emptyOrderItem,
  emptyShipmentFields,
  itemFields,
  orderFields,
  orderItemFieldNames,
  shipmentFields
} from "@dockline/core/shipment/Shipment"
import type { LocatedShipment, Order, OrderItem, Shipment } from "@dockline/core/shipment/Shipment"
import type { ShipmentItem } from "@dockline/core/shipment/ShipmentItem"
import * as FieldTable from "@dockline/core/values/FieldTable"
import type { ShipmentId } from "@dockline/core/values/Id"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { orderStatuses } from "@dockline/core/values/Vocabulary"
import { Record, Schema } from "effect"
import {
  dock,
  locationFields,
  palletDirection,
  seenPalletFields,
  shipmentStatus,
  texts,
  timestamp,
  valuesOf,
  whole
} from "./RowFields.ts"

/** Values of the fields of an entity, in the order of their table. */
export type FieldsBody = ReadonlyArray<unknown>

/** The fields of an item in rows: its id comes first. */
const itemRow = { id: FieldTable.text("Its id"), ...itemFields }

const itemBody = valuesOf(itemRow)

/** A row of the view `shipment_body`. */
export const ShipmentBody = Schema.Struct({
  id: whole,
  number: Schema.String,
  status: shipmentStatus,
  version: whole,
  direction: Schema.String,
  dock: Schema.NullOr(dock),
  expectedArrivalAt: timestamp,
  scheduledAt: timestamp,
  arrivedAt: Schema.NullOr(timestamp),
  departedAt: Schema.NullOr(timestamp),
  cancelledAt: Schema.NullOr(timestamp),
  checkIn: Schema.Struct({
    AT_FACILITY: Schema.optionalKey(timestamp),
    DOOR_ASSIGNED: Schema.optionalKey(timestamp),
    CHECKED_OUT: Schema.optionalKey(timestamp)
  }),
  stepClients: Schema.Record(Schema.String, Schema.String),
  additionalFields: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  linkedShipmentIds: Schema.Array(whole),
  owner: Schema.NullOr(Schema.String),
  fields: valuesOf(shipmentFields),
  pallets: Schema.Array(Schema.Tuple([whole, Schema.String, palletDirection, palletDirection, whole]))
})

export type ShipmentBody = typeof ShipmentBody.Type

/** An order without its items: its id, number, status, direction, shipment, creation, fields and owner. */
export const OrderHead = Schema.Tuple([
  Schema.String,
  Schema.String,
  Schema.Literals(orderStatuses),
  Schema.String,
  whole,
  timestamp,
  valuesOf(orderFields),
  Schema.NullOr(Schema.String)
])

export type OrderHead = typeof OrderHead.Type

/** A row of the view `order_body`: an order, and for each of its items the id and then the fields. */
export const OrderBody = Schema.Tuple([OrderHead, Schema.Array(itemBody)])

export type OrderBody = typeof OrderBody.Type

/** Items as columns with the field names of core; an absent date is null. */
export const LoadedItemColumns = Schema.Struct(
  Record.map(
    { orderId: itemRow.id, ...itemRow },
    ({ view }) => Schema.NullOr(Schema.Array(Schema.NullOr(view)))
  )
)

export type LoadedItemColumns = Readonly<Record<"orderId" | keyof OrderItem, ReadonlyArray<unknown> | null>>

/** An item of a shipment: the id and the number of its order, and the item. */
export const ShipmentItemBody = Schema.Tuple([Schema.String, Schema.String, itemBody])

export type ShipmentItemBody = typeof ShipmentItemBody.Type

/** A shipment with its location, as `located_shipment` and `shipments_shown` return it. */
export const LocatedBody = Schema.Struct({
  ...locationFields,
  shipment: ShipmentBody,
  orders: Schema.Array(OrderBody)
})

export type LocatedBody = typeof LocatedBody.Type

/**
 * Makes a function that reads a body, whose values have the order of the members of the entity. It copies an empty entity that
 * the JSON parser made, because V8 stores the members of such an object in the object itself, which makes reading faster.
 */
const reader = <Entity extends object>(entity: Entity) => {
  const empty: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(entity))
  const names = Object.keys(empty)
  return (body: FieldsBody): Entity => {
    const read = { ...empty }
    for (let at = 0; at < names.length; at++) read[names[at]!] = body[at]
    // Now each member has its value.
    return read as Entity
  }
}

const toShipmentFields = reader(emptyShipmentFields)

const toOrderFields = reader(emptyOrderFields)

const toItem = reader<OrderItem>({ id: "", ...emptyOrderItem })

/** The member `owner` of an entity; nothing if the entity has no owner. */
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
export interface OrderOnShipment {
  readonly order: Order
  readonly shipmentId: ShipmentId
  readonly createdAt: Timestamp
}

/** Makes an order from its head and its items. */
export const orderOfHead = (
  [id, number, status, direction, shipmentId, createdAt, fields, owner]: OrderHead,
  items: ReadonlyArray<OrderItem>
): OrderOnShipment => ({
  order: { ...toOrderFields(fields), id, number, status, direction, ...ownedBy(owner), items },
  shipmentId,
  createdAt
})

/** Reads an order with its items and its shipment. */
export const toOrderOnShipment = ([head, items]: OrderBody): OrderOnShipment =>
  orderOfHead(head, items.map(toItem))

const toOrder = (body: OrderBody): Order => toOrderOnShipment(body).order

/** Reads an item with its order. */
export const toShipmentItem = ([orderId, orderNumber, item]: ShipmentItemBody): ShipmentItem => ({
  item: toItem(item),
  orderId,
  orderNumber
})

/** Groups items by the ids of their orders; a null becomes `""`. */
export const itemsByOrder = (columns: LoadedItemColumns): ReadonlyMap<string, ReadonlyArray<OrderItem>> => {
  const itemsOf = new Map<string, Array<OrderItem>>()
  const fields = (["id", ...orderItemFieldNames] as const).map((name) => columns[name] ?? [])
  columns.orderId?.forEach((id, at) => {
    const order = String(id)
    const item = toItem(fields.map((values) => values[at] ?? ""))
    const items = itemsOf.get(order)
    if (items === undefined) itemsOf.set(order, [item])
    else items.push(item)
  })
  return itemsOf
}

/** Reads a shipment with its location. */
export const toLocatedShipment = (
  { business, facility, orders, shipment }: LocatedBody
): LocatedShipment => ({
  location: { business, facility },
  shipment: toShipment(shipment, orders.map(toOrder))
})

/** Other shipments that expect pallets of a shipment. */
export const Elsewhere = Schema.Array(
  Schema.Struct({ lpn: Schema.String, shipmentId: whole, shipmentNumber: Schema.String })
)

/** The result of `shipment_tracking`: the LPN of each item, in the order of orders and items. */
export const TrackingBody = Schema.Struct({
  ...locationFields,
  direction: Schema.String,
  status: shipmentStatus,
  dock: Schema.NullOr(dock),
  pallets: Schema.Array(Schema.Struct({ ...seenPalletFields, dockSlug: Schema.String })),
  elsewhere: Elsewhere,
  lpns: texts
})

export type TrackingBody = typeof TrackingBody.Type

/** The data that the discrepancies of a shipment depend on. */
export const toTracking = (
  { direction, dock, elsewhere, lpns, pallets, status }: TrackingBody
): Tracking => {
  const expected = expectedLpns({ orders: [{ items: lpns.map((lpn) => ({ lpn })) }] })
  return { direction, status, dock, pallets, elsewhere, expectedLpns: Array.from(expected.values()) }
}
