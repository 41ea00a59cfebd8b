/**
 * The outcome of a plan: what a document created, updated and removed, and the shipment as it is afterwards.
 *
 * Guarantee: the outcome is a function of the plan and of the ids the store gave, so the answer of a dry run is
 * the answer of the real one with those ids empty (D5.3).
 */
import { Schema } from "effect"
import type { Location } from "../places/Place.ts"
import type { Order } from "../shipment/Order.ts"
import type { OrderItem } from "../shipment/OrderItem.ts"
import { EntityReference, itemReference, orderReference, shipmentReference } from "../shipment/Reference.ts"
import type { ShipmentAfter } from "../shipment/Shipment.ts"
import { ShipmentView, shipmentView } from "../shipment/View.ts"
import type { OrderChange, Plan } from "./Plan.ts"

/** The ids a store gave to what a plan creates. */
export interface NewIds {
  /** Of the shipment, when the plan creates it. */
  readonly shipment: number | ""
  /** Of the orders that are created, in document order. */
  readonly orders: ReadonlyArray<string>
  /** Of the items that are created, over all orders in document order. */
  readonly items: ReadonlyArray<string>
}

/** The ids of a dry run: all empty. */
export const noIds = (plan: Plan): NewIds => ({
  shipment: "",
  orders: plan.orders.filter((change) => change.order._tag === "Create").map(() => ""),
  items: plan.orders.flatMap((change) => change.items.created.map(() => ""))
})

/** What a document did. */
export interface Outcome {
  readonly created: ReadonlyArray<EntityReference>
  readonly updated: ReadonlyArray<EntityReference>
  readonly removed: ReadonlyArray<EntityReference>
  readonly shipment: ShipmentAfter
}

/** Completes a plan with the ids of what it creates. */
export const outcome = (plan: Plan, ids: NewIds): Outcome => {
  const created: Array<EntityReference> = []
  const updated: Array<EntityReference> = []
  const removed: Array<OrderItem> = []
  const header = plan.shipment._tag === "Create"
    ? { ...plan.shipment.shipment, id: ids.shipment }
    : plan.shipment.shipment
  ;(plan.shipment._tag === "Create" ? created : updated).push(shipmentReference(header))
  const orderIds = ids.orders.values()
  const itemIds = ids.items.values()
  const orders = plan.orders.map((change) => {
    const order = orderAfter(change, orderIds, itemIds)
    ;(change.order._tag === "Create" ? created : updated).push(orderReference(order))
    const createdFrom = order.items.length - change.items.created.length
    for (const item of order.items.slice(createdFrom)) created.push(itemReference(item))
    for (const item of change.items.updated) updated.push(itemReference(item))
    for (const item of change.items.removed) removed.push(item)
    return order
  })
  return {
    created,
    updated,
    removed: removed.sort((left, right) => compareIds(left.id, right.id)).map(itemReference),
    shipment: {
      ...header,
      orders: [...plan.untouched, ...orders].sort((left, right) => compareIds(left.id, right.id))
    }
  }
}

/** The order as the change leaves it; the items it created stand last, as new ids are the highest. */
const orderAfter = (change: OrderChange, orderIds: Iterator<string>, itemIds: Iterator<string>): Order => {
  const removed = new Set(change.items.removed.map((item) => item.id))
  const updated = new Map(change.items.updated.map((item) => [item.id, item]))
  const kept = change.stored.filter((item) => !removed.has(item.id)).map((item) =>
    updated.get(item.id) ?? item
  )
  const created = change.items.created.map((item): OrderItem => ({ id: next(itemIds), ...item }))
  const header = change.order._tag === "Create"
    ? { id: next(orderIds), ...change.order.order }
    : change.order.order
  return { ...header, items: [...kept, ...created] }
}

const next = (ids: Iterator<string>): string => {
  const { done, value } = ids.next()
  if (done) throw new Error("The store gave fewer ids than the plan creates")
  return value
}

/** Ids compare as the numbers they are; those of a dry run, empty, stand last, where new ones will. */
export const compareIds = (left: string, right: string): number => {
  if (left === "" || right === "") return left === right ? 0 : left === "" ? 1 : -1
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}

/** The answer to a processed document (WIRE.md, document intake). */
export const IntakeResult = Schema.Struct({
  created: Schema.Array(EntityReference),
  updated: Schema.Array(EntityReference),
  removed: Schema.Array(EntityReference),
  shipment: ShipmentView
}).annotate({ identifier: "IntakeResult" })

/** The answer to a processed document. */
export type IntakeResult = typeof IntakeResult.Type

/** Shows what a document did. */
export const intakeResult = (outcome: Outcome, location: Location): IntakeResult => ({
  created: outcome.created,
  updated: outcome.updated,
  removed: outcome.removed,
  shipment: shipmentView(outcome.shipment, location)
})
