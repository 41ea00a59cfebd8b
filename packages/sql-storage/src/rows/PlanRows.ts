/**
 * Rows of plans, as `intake_apply` takes them: sets of the rows of all plans of a batch, and columns of their items.
 */
import type { Before, NewIds, OrderChange, Plan, Snapshot } from "@dockline/core/document/Plan"
import { countsAfter } from "@dockline/core/document/PlanCounts"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import type { Steps } from "@dockline/core/input/Slices"
import { lpnKey } from "@dockline/core/labels/Lpn"
import { itemFields, orderItemFieldNames } from "@dockline/core/shipment/OrderItem"
import type { OrderItem, OrderItemDraft } from "@dockline/core/shipment/OrderItem"
import { textOfHeader } from "@dockline/core/shipment/ShipmentSize"
import { Array as Arr } from "effect"
import { indexKey, itemIndexKey } from "./IndexKey.ts"

/** A plan, what it depends on, whose time is that of what it creates, and the facility that it is for. */
export interface PlacedPlan {
  readonly facilityId: number
  readonly snapshot: Before & Pick<Snapshot, "now">
  readonly plan: Plan
}

/** The arguments of `intake_apply`. */
export interface PlanRows {
  /** JSON of the rows of shipments and orders. */
  readonly plans: string
  /** The columns of the orders whose items change: their ids, and the ids of their shipments and facilities. */
  readonly ordersOfItems: ReadonlyArray<string>
  /** The columns of removed items: the positions of their orders in those of items, and their ids. */
  readonly removed: ReadonlyArray<string>
  /** The columns of items. */
  readonly items: ReadonlyArray<string>
}

/** What `intake_apply` returns. */
export type AppliedIds = readonly [
  shipments: ReadonlyArray<number>,
  orders: ReadonlyArray<string>,
  items: ReadonlyArray<string>
]

type Row = Readonly<Record<string, unknown>>

/** The sets of `intake_apply`. */
const noSets = () => ({
  newShipments: new Array<Row>(),
  changedShipments: new Array<Row>(),
  countedShipments: new Array<Row>(),
  newOrders: new Array<Row>(),
  changedOrders: new Array<Row>(),
  movedOrders: new Array<number>(),
  leftShipments: new Array<number>()
})

/** An order whose items change, as rows of items refer to it. What is new has its place among what is new, with a minus, as its id. */
type OrderOfItems = readonly [id: string | number, shipment: number, facility: number]

/** A shipment or order of a plan under core's names, with its key. `intake_apply` ignores other members. */
const keyed = <Named extends { readonly number: string }>(row: Named) => ({
  ...row,
  numberKey: indexKey(row.number)
})

const addPlan = (
  sets: ReturnType<typeof noSets>,
  { facilityId, plan, snapshot }: PlacedPlan
): ReadonlyArray<OrderOfItems> => {
  const { shipment } = plan
  const { now: createdAt } = snapshot
  const counts = countsAfter(snapshot, plan)
  const counted = { ...counts.discrepancies, discrepant: counts.isDiscrepant }
  if (shipment._tag === "Update" && !shipment.changed) {
    sets.countedShipments.push({ id: shipment.shipment.id, ...counted })
  } else {
    const row = {
      ...keyed(shipment.shipment),
      ...counted,
      textSize: textOfHeader(shipment.shipment),
      facilityId,
      createdAt,
      dockId: shipment.shipment.dock?.id ?? null
    }
    if (shipment._tag === "Create") sets.newShipments.push({ ...row, at: sets.newShipments.length + 1 })
    else sets.changedShipments.push(row)
  }
  const isNew = shipment._tag === "Create"
  const on = {
    facilityId,
    ...(isNew ? { newShipment: sets.newShipments.length } : { shipmentId: shipment.shipment.id })
  }
  const shipmentOf = isNew ? -sets.newShipments.length : shipment.shipment.id
  return plan.orders.map(({ order }, at) => {
    const { changed: resized, rows: rowCount, text: textSize } = counts.orders[at]!
    if (order._tag === "Create") {
      const newOrder = sets.newOrders.length + 1
      sets.newOrders.push({ ...keyed(order.order), ...on, at: newOrder, createdAt, rowCount, textSize })
      return [-newOrder, shipmentOf, facilityId]
    }
    if (order.changed || resized || order.remappedFrom !== null) {
      sets.changedOrders.push({ ...order.order, ...on, rowCount, textSize })
    }
    if (order.remappedFrom !== null) {
      sets.movedOrders.push(Number(order.order.id))
      sets.leftShipments.push(order.remappedFrom)
    }
    return [order.order.id, shipmentOf, facilityId]
  })
}

/** PostgreSQL's text of an array. */
export const arrayOf = (values: ReadonlyArray<string | number | boolean | null>): string => {
  const json = JSON.stringify(values)
  // PostgreSQL reads a backslash before any character as that character.
  return /\\[^"\\]/.test(json) ? `{${values.map(quoted).join(",")}}` : `{${json.slice(1, -1)}}`
}

const quoted = (value: string | number | boolean | null): string =>
  typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value)

type Field = (typeof orderItemFieldNames)[number]

const columnOf = (name: Field, items: ReadonlyArray<OrderItemDraft>): string => {
  switch (itemFields[name].kind) {
    case "list":
      return arrayOf(items.map((item) => JSON.stringify(item[name])))
    case "date":
      return arrayOf(items.map((item) => item[name] === "" ? null : item[name] as string))
    default:
      return arrayOf(items.map((item) => item[name] as string | number | boolean))
  }
}

/** The rows of plans, in their order. */
export function* planRows(placed: ReadonlyArray<PlacedPlan>): Steps<PlanRows> {
  const sets = noSets()
  const ordersOfItems: Array<OrderOfItems> = []
  const removed = { places: new Array<number>(), ids: new Array<string>() }
  const items: Array<OrderItemDraft> = []
  // The columns of items before their fields.
  const [ids, places, keys] = [new Array<string | number>(), new Array<number>(), new Array<string>()]
  // The keys of LPNs, up to the last that is not the LPN itself: the database takes what is missing as null.
  const lpnKeys: Array<string | null> = []
  let [newItems, changesItems] = [0, false]
  const addItem = (item: OrderItem | OrderItemDraft, id: string | number, place: number) => {
    items.push(item)
    ids.push(id)
    places.push(place)
    keys.push(itemIndexKey(item))
    const lpn = lpnKey(item.lpn)
    if (lpn === item.lpn) return
    while (lpnKeys.length < items.length - 1) lpnKeys.push(null)
    lpnKeys.push(lpn)
  }
  for (const each of placed) {
    const orders = addPlan(sets, each)
    for (const [order, change] of Arr.zip(orders, each.plan.orders)) {
      const { changedItems, items: { created, removed: gone } } = change
      if (created.length + changedItems.length + gone.length === 0) continue
      const place = ordersOfItems.push(order)
      for (const { id } of gone) {
        removed.places.push(place)
        removed.ids.push(id)
      }
      for (const item of created) addItem(item, -++newItems, place)
      for (const item of changedItems) addItem(item, item.id, place)
      changesItems ||= changedItems.length > 0
      yield created.length + changedItems.length
    }
  }
  const columns = [arrayOf(ids), arrayOf(places), arrayOf(keys), arrayOf(lpnKeys)]
  for (const name of orderItemFieldNames) {
    columns.push(columnOf(name, items))
    yield items.length / 4
  }
  const filled = Object.entries(sets).filter(([, rows]) => rows.length > 0)
  return {
    plans: yield* JsonWriter.write({
      ...Object.fromEntries(filled),
      ...(newItems > 0 ? { newItems } : {}),
      ...(changesItems ? { changesItems } : {})
    }),
    ordersOfItems: ordersOfItems.length === 0
      ? []
      : [0, 1, 2].map((at) => arrayOf(ordersOfItems.map((order) => order[at]!))),
    removed: removed.ids.length === 0 ? [] : [arrayOf(removed.places), arrayOf(removed.ids)],
    items: items.length === 0 ? [] : columns
  }
}

const countOf = (orders: ReadonlyArray<OrderChange>, count: (change: OrderChange) => number): number =>
  orders.reduce((sum, change) => sum + count(change), 0)

/** Divides the new ids among the plans. */
export const idsOf = (
  placed: ReadonlyArray<PlacedPlan>,
  [shipments, orders, items]: AppliedIds
): ReadonlyArray<NewIds> => {
  const at = { shipments: 0, orders: 0, items: 0 }
  return placed.map(({ plan }) => ({
    shipment: plan.shipment._tag === "Create" ? shipments[at.shipments++]! : "",
    orders: orders.slice(
      at.orders,
      at.orders += countOf(plan.orders, ({ order }) => order._tag === "Create" ? 1 : 0)
    ),
    items: items.slice(at.items, at.items += countOf(plan.orders, (change) => change.items.created.length))
  }))
}
