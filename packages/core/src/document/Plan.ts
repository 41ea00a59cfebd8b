/**
 * The plan of a document: its changes, the snapshot that they depend on, and the state that they lead to.
 *
 * Guarantee: the state after a plan is computed in one place, by `evolve`, from the snapshot, the plan and the ids of new
 * entities. A store may write a plan in another way, but must reach the same state.
 */
import type { Place } from "../places/Place.ts"
import { countDiscrepancies, isDiscrepant } from "../shipment/Discrepancies.ts"
import type { DiscrepancyCounts } from "../shipment/Discrepancies.ts"
import type { OrderItem, OrderItemDraft } from "../shipment/OrderItem.ts"
import type {
  Dock,
  Order,
  OrderDraft,
  OrderHeader,
  Shipment,
  ShipmentAfter,
  ShipmentDraft,
  ShipmentHeader
} from "../shipment/Shipment.ts"
import { sizeOfOrder } from "../shipment/ShipmentSize.ts"
import type { ItemId, OrderId, ShipmentId } from "../values/Id.ts"
import type { EntrySize } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type * as Remap from "./Remap.ts"
import { itemsLeft } from "./Strategy.ts"
import type { ItemChanges } from "./Strategy.ts"

/** Everything a decision depends on, as it is under the locks of the transaction. */
export interface Snapshot {
  readonly now: Timestamp
  /** `null`, as the facility, when there is none of that slug. */
  readonly business: Place | null
  readonly facility: Place | null
  /** The dock of the document's `dockSlug`; `null` when it names none or an unknown one. */
  readonly dock: Dock | null
  /** The shipment of the document's shipment number with all its orders; `null` when there is none yet. */
  readonly target: Shipment | null
  /**
   * Orders with one of the document's order numbers on other shipments of the facility. A store may leave out those that
   * remapping would not choose.
   */
  readonly candidates: ReadonlyArray<Remap.Candidate>
  /** The numbers of the document that orders on other shipments of the facility have, if its precondition needs them. */
  readonly numbersInUse?: ReadonlyArray<NumberInUse> | undefined
}

/** An order number that is in use on other shipments than the target, whatever their status and direction. */
export interface NumberInUse {
  readonly orderNumber: string
  /** Whether an order with the number is open and has the direction of the document. */
  readonly isOpen: boolean
}

/** The change of the target shipment. */
export type ShipmentChange =
  | { readonly _tag: "Create"; readonly shipment: ShipmentDraft }
  | { readonly _tag: "Update"; readonly shipment: ShipmentHeader; readonly isChanged: boolean }

/** The change of one order of the document and of its items. */
export interface OrderChange {
  readonly order:
    | { readonly _tag: "Create"; readonly order: OrderDraft }
    | {
      readonly _tag: "Update"
      readonly order: OrderHeader
      readonly isChanged: boolean
      /** The shipment the order leaves, when it is remapped. */
      readonly remappedFrom: ShipmentId | null
    }
  readonly items: ItemChanges
  /** The updated items that have to be written: the others came out as they were. */
  readonly changedItems: ReadonlyArray<OrderItem>
}

/** All changes of a document, which a store applies unchanged. */
export interface Plan {
  readonly shipment: ShipmentChange
  /** In document order. */
  readonly orders: ReadonlyArray<OrderChange>
}

/** The ids a store gave to what a plan creates. */
export interface NewIds {
  /** Of the shipment, when the plan creates it. */
  readonly shipment: ShipmentId | ""
  /** Of the orders that are created, in document order. */
  readonly orders: ReadonlyArray<OrderId>
  /** Of the items that are created, over all orders in document order. */
  readonly items: ReadonlyArray<ItemId>
}

/** The state after a plan. */
export interface StateAfter {
  /** The shipment with all its orders, in id order. */
  readonly shipment: ShipmentAfter
  /** The orders that the document names, in document order. */
  readonly orders: ReadonlyArray<Order>
}

/** The state that a plan makes of its snapshot, once the store has given ids to new entities. */
export const evolve = (before: Before, plan: Plan, ids: NewIds): StateAfter => {
  const orderIds = ids.orders.values()
  const itemIds = ids.items.values()
  const itemsOf = itemsOfOrders(before)
  const orders = plan.orders.map((change): Order => {
    const header = change.order._tag === "Create"
      ? { id: next(orderIds), ...change.order.order }
      : change.order.order
    // New ids are the highest, so created items come last.
    const created = change.items.created.map((item): OrderItem => ({ id: next(itemIds), ...item }))
    return { ...header, items: [...itemsOf(change).left, ...created] }
  })
  const header = plan.shipment._tag === "Create"
    ? { ...plan.shipment.shipment, id: ids.shipment, version: 1 }
    : { ...plan.shipment.shipment, version: plan.shipment.shipment.version + (changesAnything(plan) ? 1 : 0) }
  const all = [...rest(before, plan), ...orders].sort((left, right) => compareIds(left.id, right.id))
  return { shipment: { ...header, orders: all, pallets: before.target?.pallets ?? [] }, orders }
}

/** The parts of a snapshot that `evolve` needs. */
export type Before = Pick<Snapshot, "target" | "candidates">

/** Orders of the target; a shipment that is created has none. */
const targetOrders = ({ target }: Before): ReadonlyArray<Order> => target?.orders ?? []

/** Orders of the target that the plan does not name: they stay as they are. */
const rest = (before: Before, plan: Plan): ReadonlyArray<Order> => {
  const numbers = new Set(plan.orders.map(({ order }) => order.order.number))
  return targetOrders(before).filter(({ number }) => !numbers.has(number))
}

/** Finds the items that the order of a change had, `undefined` of a new order, and what the change leaves, in id order. */
export const itemsOfOrders = (before: Before) => {
  const orders = [...before.candidates.map(({ order }) => order), ...targetOrders(before)]
  const itemsOf = new Map(orders.map(({ id, items }) => [id, items]))
  return ({ items, order }: OrderChange) => {
    if (order._tag === "Create") return { had: undefined, left: [] }
    const had = itemsOf.get(order.order.id) ?? []
    return { had, left: itemsLeft(had, items) }
  }
}

/** The items that the shipment then has, list by list: of orders that stay, and what each change leaves and creates. */
export const itemsAfter = (before: Before, plan: Plan): ReadonlyArray<ReadonlyArray<OrderItemDraft>> => {
  const itemsOf = itemsOfOrders(before)
  return [
    ...rest(before, plan).map(({ items }) => items),
    ...plan.orders.flatMap((change) => [itemsOf(change).left, change.items.created])
  ]
}

const next = (ids: Iterator<string>): string => {
  const { done, value } = ids.next()
  if (done) throw new Error("The store gave fewer ids than the plan creates")
  return value
}

/** Compares ids as numbers. The empty ids of a dry run come last, as new ids do. */
export const compareIds = (left: string, right: string): number => {
  if (left === "" || right === "") return left === right ? 0 : left === "" ? 1 : -1
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}

/** Ids for what a plan creates, drawn one after another: of the shipment, of orders, of items. */
export const drawIds = (plan: Plan, draw: (kind: "shipment" | "order" | "item") => number | ""): NewIds => ({
  shipment: plan.shipment._tag === "Create" ? draw("shipment") : "",
  orders: plan.orders.filter(({ order }) => order._tag === "Create").map(() => String(draw("order"))),
  items: plan.orders.flatMap(({ items }) => items.created.map(() => String(draw("item"))))
})

/** The ids of a dry run: all empty. */
export const noIds = (plan: Plan): NewIds => drawIds(plan, () => "")

/** Whether applying the plan writes anything at all. */
export const changesAnything = (plan: Plan): boolean =>
  plan.shipment._tag === "Create" ||
  plan.shipment.isChanged ||
  plan.orders.some((change) =>
    change.order._tag === "Create" ||
    change.order.isChanged ||
    change.order.remappedFrom !== null ||
    change.items.created.length > 0 ||
    change.items.removed.length > 0 ||
    change.changedItems.length > 0
  )

/**
 * The counts after a plan. A storage may keep them, so that a list finds shipments with discrepancies (D13.4) and cuts its pages
 * without looking at items and pallets. `test/storage/Differential.test.ts` holds what is kept against what is read.
 */
export interface PlanCounts {
  readonly discrepancies: DiscrepancyCounts
  /** Whether there are any; documents do not change cancelled shipments, which have none. */
  readonly isDiscrepant: boolean
  /** Of each order of the plan, its size, and whether it had another before. */
  readonly orders: ReadonlyArray<EntrySize & { readonly isChanged: boolean }>
}

/** The counts of the shipment and the orders of a plan. */
export const countsAfter = (before: Before, plan: Plan): PlanCounts => {
  const { target } = before
  const { direction, dock } = plan.shipment.shipment
  const discrepancies = countDiscrepancies({
    direction,
    dock,
    orders: itemsAfter(before, plan).map((items) => ({ items })),
    pallets: target?.pallets ?? []
  })
  const itemsOf = itemsOfOrders(before)
  return {
    discrepancies,
    isDiscrepant: isDiscrepant(plan.shipment.shipment.status, discrepancies),
    orders: plan.orders.map((change) => {
      const { had, left } = itemsOf(change)
      const size = sizeOfOrder(change.order.order, [left, change.items.created])
      if (had === undefined) return { ...size, isChanged: true }
      // What else changes of an order is written with it.
      const was = sizeOfOrder(change.order.order, [had])
      return { ...size, isChanged: was.rows !== size.rows || was.text !== size.text }
    })
  }
}
