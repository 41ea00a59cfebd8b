/**
 * Rows: how the bodies that PostgreSQL returns become entities, and entities the rows of a plan.
 *
 * The order of each body is that of the views `shipment_body` and `order_body` (migration 1).
 */
import type { Label } from "@dockline/core/MessageField"
import type { Order, OrderDraft } from "@dockline/core/Order"
import type { CaseSerial, OrderItem, OrderItemDraft } from "@dockline/core/OrderItem"
import type { RecordedPallet } from "@dockline/core/Pallet"
import type { Place } from "@dockline/core/Place"
import type { OrderChange, Plan } from "@dockline/core/Plan"
import { changedItems } from "@dockline/core/Plan"
import type { AdditionalField, Dock, ShipmentDraft, ShipmentHeader } from "@dockline/core/Shipment"
import type { LocatedShipment } from "@dockline/core/Shipment"
import type { OrderStatus, PalletDirection, ShipmentStatus } from "@dockline/core/Vocabulary"
import { indexKey, itemIndexKey } from "./IndexKey.ts"

/** A business or facility: slug, name. */
export type PlaceBody = readonly [slug: string, name: string]

/** A dock: id, slug. */
export type DockBody = readonly [id: number, slug: string]

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
  trailerNumber: string,
  carrier: string,
  dock: DockBody | null,
  additionalFields: ReadonlyArray<AdditionalField>,
  linkedShipmentIds: ReadonlyArray<number>
]

/** An item within {@link OrderBody}. */
export type ItemBody = readonly [
  id: string,
  identifier: string,
  lpn: string,
  sku: string,
  quantity: number,
  quantityUnit: string,
  purchaseOrder: string,
  description: string,
  upc: string,
  weightPerUnit: number,
  weightUnit: string,
  height: number,
  length: number,
  width: number,
  dimensionUnit: string,
  isDangerousGood: boolean,
  lot: string,
  expirationDate: string,
  manufacturingDate: string,
  caseSerials: ReadonlyArray<CaseSerial>
]

/** A row of the view `order_body`. */
export type OrderBody = readonly [
  id: string,
  number: string,
  status: OrderStatus,
  direction: string,
  orderType: string,
  purchaseOrder: string,
  consigneeName: string,
  consigneePhoneNumber: string,
  bolNumber: string,
  expectedQuantity: number,
  carrier: string,
  sealNumber: string,
  supplier: string,
  client: string,
  destination: string,
  shipmentId: number,
  createdAt: string,
  items: ReadonlyArray<ItemBody>
]

/** What `located_shipment` returns. */
export interface LocatedBody {
  readonly business: PlaceBody
  readonly facility: PlaceBody
  readonly shipment: ShipmentBody
  readonly orders: ReadonlyArray<OrderBody>
}

/** A pallet event of `step_load`. */
export type PalletBody = readonly [
  palletId: number,
  messageId: number,
  direction: PalletDirection,
  occurredAt: string,
  dock: DockBody,
  orders: ReadonlyArray<string>,
  labels: ReadonlyArray<Label>
]

/** Reads a business or facility. */
export const toPlace = ([slug, name]: PlaceBody): Place => ({ slug, name })

/** Reads a dock. */
export const toDock = ([id, slug]: DockBody): Dock => ({ id, slug })

/** Reads a shipment without its orders. */
export const toShipmentHeader = (body: ShipmentBody): ShipmentHeader => ({
  id: body[0],
  number: body[1],
  status: body[2],
  direction: body[3],
  expectedArrivalAt: body[4],
  scheduledAt: body[5],
  arrivedAt: body[6],
  departedAt: body[7],
  trailerNumber: body[8],
  carrier: body[9],
  dock: body[10] === null ? null : toDock(body[10]),
  additionalFields: body[11],
  linkedShipmentIds: body[12]
})

/** Reads an order with its items. */
export const toOrder = (body: OrderBody): Order => ({
  id: body[0],
  number: body[1],
  status: body[2],
  direction: body[3],
  orderType: body[4],
  purchaseOrder: body[5],
  consigneeName: body[6],
  consigneePhoneNumber: body[7],
  bolNumber: body[8],
  expectedQuantity: body[9],
  carrier: body[10],
  sealNumber: body[11],
  supplier: body[12],
  client: body[13],
  destination: body[14],
  items: body[17].map(toItem)
})

const toItem = (body: ItemBody): OrderItem => ({
  id: body[0],
  identifier: body[1],
  lpn: body[2],
  sku: body[3],
  quantity: body[4],
  quantityUnit: body[5],
  purchaseOrder: body[6],
  description: body[7],
  upc: body[8],
  weightPerUnit: body[9],
  weightUnit: body[10],
  height: body[11],
  length: body[12],
  width: body[13],
  dimensionUnit: body[14],
  isDangerousGood: body[15],
  lot: body[16],
  expirationDate: body[17],
  manufacturingDate: body[18],
  caseSerials: body[19]
})

/** Reads a shipment with where it belongs. */
export const toLocatedShipment = (body: LocatedBody): LocatedShipment => ({
  location: { business: toPlace(body.business), facility: toPlace(body.facility) },
  shipment: { ...toShipmentHeader(body.shipment), orders: body.orders.map(toOrder) }
})

/** Reads a pallet event. */
export const toRecordedPallet = (body: PalletBody): RecordedPallet => ({
  palletId: body[0],
  messageId: body[1],
  direction: body[2],
  occurredAt: body[3],
  dock: toDock(body[4]),
  orders: body[5],
  labels: body[6]
})

const shipmentRow = (shipment: ShipmentDraft) => ({
  number: shipment.number,
  number_key: indexKey(shipment.number),
  status: shipment.status,
  direction: shipment.direction,
  expected_arrival_at: shipment.expectedArrivalAt,
  scheduled_at: shipment.scheduledAt,
  trailer_number: shipment.trailerNumber,
  carrier: shipment.carrier,
  dock_id: shipment.dock?.id ?? null,
  additional_fields: shipment.additionalFields
})

const orderRow = (order: OrderDraft) => ({
  number: order.number,
  number_key: indexKey(order.number),
  status: order.status,
  direction: order.direction,
  order_type: order.orderType,
  purchase_order: order.purchaseOrder,
  consignee_name: order.consigneeName,
  consignee_phone_number: order.consigneePhoneNumber,
  bol_number: order.bolNumber,
  expected_quantity: order.expectedQuantity,
  carrier: order.carrier,
  seal_number: order.sealNumber,
  supplier: order.supplier,
  client: order.client,
  destination: order.destination
})

const itemRow = (item: OrderItemDraft) => ({
  identifier: item.identifier,
  lpn: item.lpn,
  sku: item.sku,
  quantity: item.quantity,
  quantity_unit: item.quantityUnit,
  purchase_order: item.purchaseOrder,
  description: item.description,
  upc: item.upc,
  weight_per_unit: item.weightPerUnit,
  weight_unit: item.weightUnit,
  height: item.height,
  length: item.length,
  width: item.width,
  dimension_unit: item.dimensionUnit,
  is_dangerous_good: item.isDangerousGood,
  lot: item.lot,
  expiration_date: item.expirationDate || null,
  manufacturing_date: item.manufacturingDate || null,
  case_serials: item.caseSerials
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
    ...(shipment._tag === "Create" || shipment.changed ? { shipment: shipmentRow(shipment.shipment) } : {}),
    ...unlessEmpty("newOrders", newOrders.map(({ order }) => orderRow(order.order))),
    ...unlessEmpty(
      "changedOrders",
      changedOrders.map(({ order }) => ({ ...orderRow(order.order), ...orderId(order) }))
    ),
    ...unlessEmpty("removedItems", plan.orders.flatMap(({ items }) => items.removed.map((item) => item.id))),
    ...unlessEmpty(
      "changedItems",
      plan.orders.flatMap((change) => changedItems(change).map((item) => ({ ...itemRow(item), id: item.id })))
    ),
    ...unlessEmpty("newItems", plan.orders.flatMap((change) => newItemRows(change, positions.get(change))))
  }
}

const orderId = (order: OrderChange["order"]): Record<string, string> =>
  order._tag === "Update" ? { id: order.order.id } : {}

const newItemRows = (
  change: OrderChange,
  position: number | undefined
): ReadonlyArray<Record<string, unknown>> => {
  const order = position === undefined ? { order_id: orderId(change.order)["id"] } : { new_order: position }
  return change.items.created.map((item) => ({ ...order, item_key: itemIndexKey(item), ...itemRow(item) }))
}

const unlessEmpty = (name: string, rows: ReadonlyArray<unknown>): Record<string, unknown> =>
  rows.length === 0 ? {} : { [name]: rows }
