/**
 * The plan of a document: its changes, the snapshot that they depend on, and the state that they lead to.
 *
 * Guarantee: the state after a plan is computed in one place, by `evolve`, from the snapshot, the plan and the ids of new entities. A store
 * may apply a plan in another way, but must reach the same state.
 *
 * {@link chooseCandidate} chooses the existing order that a document refers to when the target shipment has no order of that number
 * (WIRE.md, processing rules 3 and 4; D3.3). A storage may repeat the rule in SQL to load fewer candidates; the law
 * `leavesOutOnlyWhatIsNotChosen` fails when the two differ.
 */
import type { Place } from "../places/Place.ts"
import { countDiscrepancies, isDiscrepant } from "../shipment/Discrepancies.ts"
import type { DiscrepancyCounts } from "../shipment/Discrepancies.ts"
import type {
  Dock,
  Order,
  OrderDraft,
  OrderHeader,
  OrderItem,
  OrderItemDraft,
  Shipment,
  ShipmentAfter,
  ShipmentDraft,
  ShipmentHeader
} from "../shipment/Shipment.ts"
import { sizeOfOrder } from "../shipment/ShipmentSize.ts"
import type { ItemId, OrderId, ShipmentId } from "../values/Id.ts"
import type { EntrySize } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { ShipmentStatus } from "../values/Vocabulary.ts"
import { itemsLeft } from "./Strategy.ts"
import type { ItemChanges } from "./Strategy.ts"

/** Everything that a decision depends on, read under the locks of the transaction. */
export interface Snapshot {
  readonly now: Timestamp
  /** `null` when no business has the slug of the document. */
  readonly business: Place | null
  /** `null` when no facility of the business has the slug of the document. */
  readonly facility: Place | null
  /** The dock of the document's `dockSlug`; `null` when the document names none or an unknown one. */
  readonly dock: Dock | null
  /** The shipment of the document's shipment number with all its orders; `null` when it does not exist yet. */
  readonly target: Shipment | null
  /**
   * Orders on other shipments of the facility that have an order number of the document. A store may leave out orders that remapping would
   * not choose.
   */
  readonly candidates: ReadonlyArray<Candidate>
  /** The order numbers of the document that are in use on other shipments of the facility, if the precondition needs them. */
  readonly numbersInUse?: ReadonlyArray<NumberInUse> | undefined
}

/** An order number in use on shipments other than the target, of any status and direction. */
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
  /** The updated items that differ from the stored ones and have to be written. */
  readonly changedItems: ReadonlyArray<OrderItem>
}

/** All changes of a document, which a store applies unchanged. */
export interface Plan {
  readonly shipment: ShipmentChange
  /** In document order. */
  readonly orders: ReadonlyArray<OrderChange>
}

/** The ids that a store gave to the entities that a plan creates. */
export interface NewIds {
  /** The id of the shipment, if the plan creates it. */
  readonly shipment: ShipmentId | ""
  /** The ids of created orders, in document order. */
  readonly orders: ReadonlyArray<OrderId>
  /** The ids of created items, over all orders in document order. */
  readonly items: ReadonlyArray<ItemId>
}

/** The state after a plan. */
export interface StateAfter {
  /** The shipment with all its orders, in id order. */
  readonly shipment: ShipmentAfter
  /** The orders that the document names, in document order. */
  readonly orders: ReadonlyArray<Order>
}

/** The state after a plan is applied to its snapshot, with the ids of new entities. */
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

/** The orders of the target; none if the shipment is created. */
const targetOrders = ({ target }: Before): ReadonlyArray<Order> => target?.orders ?? []

/** The orders of the target that the plan does not name, and that stay unchanged. */
const rest = (before: Before, plan: Plan): ReadonlyArray<Order> => {
  const numbers = new Set(plan.orders.map(({ order }) => order.order.number))
  return targetOrders(before).filter(({ number }) => !numbers.has(number))
}

/**
 * Finds the stored items of a changed order: `had`, its items before the change (`undefined` for a new order), and `left`, those that
 * remain after it, in id order.
 */
export const itemsOfOrders = (before: Before) => {
  const orders = [...before.candidates.map(({ order }) => order), ...targetOrders(before)]
  const itemsOf = new Map(orders.map(({ id, items }) => [id, items]))
  return ({ items, order }: OrderChange) => {
    if (order._tag === "Create") return { had: undefined, left: [] }
    const had = itemsOf.get(order.order.id) ?? []
    return { had, left: itemsLeft(had, items) }
  }
}

/**
 * The items of the shipment after the plan: a list for each unchanged order, and for each changed order a list of remaining and a list of
 * created items.
 */
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

/** Draws the ids for the entities that a plan creates, one after another: the shipment, orders, items. */
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
 * The counts after a plan. A storage may keep them, so that a list finds shipments with discrepancies (D13.4) and cuts its pages without
 * reading items and pallets. `test/storage/Differential.test.ts` compares kept counts with computed ones.
 */
export interface PlanCounts {
  readonly discrepancies: DiscrepancyCounts
  /** Whether the shipment has discrepancies. Cancelled shipments have none, but documents do not change them. */
  readonly isDiscrepant: boolean
  /** The size of each order of the plan, and whether the order is new or changes of its items change the size. */
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
      // A change of the order's own fields is not counted here, because the store writes the size with those fields anyway.
      const was = sizeOfOrder(change.order.order, [had])
      return { ...size, isChanged: was.rows !== size.rows || was.text !== size.text }
    })
  }
}

/** An order of the document's business, facility and number that is on another shipment than the target. */
export interface Candidate {
  readonly order: Order
  readonly createdAt: Timestamp
  readonly shipmentId: ShipmentId
  readonly shipmentStatus: ShipmentStatus
  readonly shipmentIsLinked: boolean
}

/** Whether the order may be moved: its direction fits, and its shipment has not arrived and is not linked. */
const isEligible = (candidate: Candidate, direction: string): boolean =>
  candidate.order.direction === direction &&
  candidate.shipmentStatus === "SCHEDULED" &&
  !candidate.shipmentIsLinked

/** Chooses the most recently created eligible order of a number; if two were created at the same time, the one with the higher id. */
export const chooseCandidate = (
  candidates: ReadonlyArray<Candidate>
): (orderNumber: string, direction: string) => Candidate | undefined => {
  const byNumber = Map.groupBy(candidates, ({ order }) => order.number)
  return (orderNumber, direction) =>
    byNumber.get(orderNumber)
      ?.filter((candidate) => isEligible(candidate, direction))
      .reduce<Candidate | undefined>(
        (best, candidate) => (best === undefined || isLater(candidate, best) ? candidate : best),
        undefined
      )
}

const isLater = (left: Candidate, right: Candidate): boolean =>
  left.createdAt === right.createdAt
    ? BigInt(left.order.id) > BigInt(right.order.id)
    : left.createdAt > right.createdAt
