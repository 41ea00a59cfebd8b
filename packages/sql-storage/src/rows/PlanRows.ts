/** The arguments of `intake_apply`: sets of rows of all plans of a batch, and columns of their items. */
import { countsAfter } from "@dockline/core/document/Plan"
import type { Before, NewIds, Plan, Snapshot } from "@dockline/core/document/Plan"
import * as JsonWriter from "@dockline/core/input/JsonWriter"
import type { Steps } from "@dockline/core/input/Slices"
import { lpnKey } from "@dockline/core/labels/Lpn"
import { itemFields, orderItemFieldNames } from "@dockline/core/shipment/Shipment"
import type { OrderItem, OrderItemDraft } from "@dockline/core/shipment/Shipment"
import { textOfHeader } from "@dockline/core/shipment/ShipmentSize"
import { Array as Arr, Record } from "effect"
import { indexKey, itemIndexKey } from "./BusinessRows.ts"

/**
 * A plan, its facility, the ids of the entities that the plan creates, and the snapshot that the plan was made from. The time of the snapshot
 * becomes the time of creation.
 */
export interface PlacedPlan {
  readonly facilityId: number
  readonly snapshot: Before & Pick<Snapshot, "now">
  readonly plan: Plan
  readonly ids: NewIds
}

type Row = Readonly<Record<string, unknown>>

/** Makes empty sets of rows for `intake_apply`. */
const emptySets = () => ({
  newShipments: new Array<Row>(),
  changedShipments: new Array<Row>(),
  countedShipments: new Array<Row>(),
  newOrders: new Array<Row>(),
  changedOrders: new Array<Row>()
})

type Sets = ReturnType<typeof emptySets>

/** Makes the empty columns of items that come before the columns of their fields. */
const emptyItemColumns = () => ({
  isNew: new Array<boolean>(),
  id: new Array<string>(),
  order: new Array<string>(),
  shipment: new Array<number>(),
  facility: new Array<number>(),
  key: new Array<string>(),
  // This column ends with the last key that differs from its LPN: the database reads missing entries as null.
  lpnKey: new Array<string | null>()
})

type Field = (typeof orderItemFieldNames)[number]

/** Columns of items, as arrays in text form; `null` if there is no item. */
export type WrittenItemColumns = Readonly<
  Record<keyof ReturnType<typeof emptyItemColumns> | Field, string | null>
>

/** The arguments of `intake_apply`: sets of rows as JSON, and arrays in text form. An empty set is `null`. */
export interface PlanRows extends Readonly<Record<keyof Sets, string | null>> {
  /** The shipments that the orders in `movedOrders` leave, in their order. */
  readonly movedFromShipments: string | null
  readonly movedOrders: string | null
  /** The orders of the items in `removedItems`, in their order. */
  readonly removedFromOrders: string | null
  readonly removedItems: string | null
  readonly items: WrittenItemColumns
}

/** A shipment or order of a plan with the field names of core, and its key. `intake_apply` ignores other members. */
const withKey = <Entity extends { readonly number: string }>(entity: Entity) => ({
  ...entity,
  numberKey: indexKey(entity.number)
})

/** Adds the rows of a plan, and returns the id of its shipment and the ids of its orders. */
const addPlan = (
  sets: Sets,
  { facilityId, ids, plan, snapshot }: PlacedPlan,
  move: (orderId: string, from: number) => void
): readonly [shipment: number, orders: ReadonlyArray<string>] => {
  const { shipment } = plan
  const { now: createdAt } = snapshot
  const counts = countsAfter(snapshot, plan)
  const counting = { ...counts.discrepancies, discrepant: counts.isDiscrepant }
  // A plan that creates its shipment has an id for it.
  const shipmentId = shipment._tag === "Create" ? Number(ids.shipment) : shipment.shipment.id
  if (shipment._tag === "Update" && !shipment.isChanged) {
    sets.countedShipments.push({ id: shipmentId, ...counting })
  } else {
    const rows = shipment._tag === "Create" ? sets.newShipments : sets.changedShipments
    rows.push({
      ...withKey(shipment.shipment),
      ...counting,
      id: shipmentId,
      textSize: textOfHeader(shipment.shipment),
      facilityId,
      createdAt,
      dockId: shipment.shipment.dock?.id ?? null
    })
  }
  const newIds = ids.orders.values()
  const orders = plan.orders.map(({ order }, at) => {
    const { isChanged: isResized, rows: rowCount, text: textSize } = counts.orders[at]!
    if (order._tag === "Create") {
      // Each created order has an id.
      const id = newIds.next().value!
      sets.newOrders.push({
        ...withKey(order.order),
        id,
        facilityId,
        shipmentId,
        createdAt,
        rowCount,
        textSize
      })
      return id
    }
    const { id } = order.order
    if (order.isChanged || isResized || order.remappedFrom !== null) {
      sets.changedOrders.push({ ...order.order, shipmentId, rowCount, textSize })
    }
    if (order.remappedFrom !== null) move(id, order.remappedFrom)
    return id
  })
  return [shipmentId, orders]
}

/** An array as text, in the syntax of PostgreSQL. */
export const arrayOf = (values: ReadonlyArray<string | number | boolean | null>): string => {
  const json = JSON.stringify(values)
  // PostgreSQL reads a backslash before any character as that character.
  return json.includes("\\") && /\\[^"\\]/.test(json)
    ? `{${values.map(quote).join(",")}}`
    : `{${json.slice(1, -1)}}`
}

const quote = (value: string | number | boolean | null): string =>
  typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value)

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

const arrayOrNull = (values: ReadonlyArray<string | number>): string | null =>
  values.length === 0 ? null : arrayOf(values)

/** The rows of plans, in their order. */
export function* planRows(plans: ReadonlyArray<PlacedPlan>): Steps<PlanRows> {
  const sets = emptySets()
  const moves = { orders: new Array<string>(), from: new Array<number>() }
  const removed = { from: new Array<string>(), ids: new Array<string>() }
  const items: Array<OrderItemDraft> = []
  const columns = emptyItemColumns()
  for (const each of plans) {
    const [shipment, orders] = addPlan(sets, each, (orderId, from) => {
      moves.orders.push(orderId)
      moves.from.push(from)
    })
    const newIds = each.ids.items.values()
    for (const [order, change] of Arr.zip(orders, each.plan.orders)) {
      const { changedItems, items: { created, removed: removals } } = change
      const add = (item: OrderItem | OrderItemDraft, id: string, isNew: boolean): void => {
        items.push(item)
        columns.isNew.push(isNew)
        columns.id.push(id)
        columns.order.push(order)
        columns.shipment.push(shipment)
        columns.facility.push(each.facilityId)
        columns.key.push(itemIndexKey(item))
        const lpn = lpnKey(item.lpn)
        if (lpn === item.lpn) return
        while (columns.lpnKey.length < items.length - 1) columns.lpnKey.push(null)
        columns.lpnKey.push(lpn)
      }
      for (const { id } of removals) {
        removed.from.push(order)
        removed.ids.push(id)
      }
      // Each created item has an id.
      for (const item of created) add(item, newIds.next().value!, true)
      for (const item of changedItems) add(item, item.id, false)
      if (created.length + changedItems.length > 0) yield created.length + changedItems.length
    }
  }
  const json: Partial<Record<keyof Sets, string>> = {}
  for (const name of Record.keys(sets)) {
    if (sets[name].length > 0) json[name] = yield* JsonWriter.write(sets[name])
  }
  return {
    newShipments: null,
    changedShipments: null,
    countedShipments: null,
    newOrders: null,
    changedOrders: null,
    ...json,
    movedFromShipments: arrayOrNull(moves.from),
    movedOrders: arrayOrNull(moves.orders),
    removedFromOrders: arrayOrNull(removed.from),
    removedItems: arrayOrNull(removed.ids),
    items: yield* itemColumns(items, columns)
  }
}

const nullItemColumns = Record.map(
  { ...emptyItemColumns(), ...itemFields } satisfies Record<keyof WrittenItemColumns, unknown>,
  () => null
)

/** The cost of an item in one column, in the unit of slices. */
const columnCost = 1 / 4

function* itemColumns(
  items: ReadonlyArray<OrderItemDraft>,
  columns: ReturnType<typeof emptyItemColumns>
): Steps<WrittenItemColumns> {
  if (items.length === 0) return nullItemColumns
  const fields: Partial<Record<Field, string>> = {}
  for (const name of orderItemFieldNames) {
    fields[name] = columnOf(name, items)
    yield items.length * columnCost
  }
  return {
    ...nullItemColumns,
    ...Record.map(columns, (values) => arrayOf(values)),
    ...fields
  }
}
