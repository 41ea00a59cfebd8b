/**
 * Decisions as their laws see them: a document that was accepted, the plan, the answer, and the plan carried out by hand.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import type { Document } from "../document/Document.ts"
import { outcome } from "../document/Outcome.ts"
import type { NewIds, Outcome } from "../document/Outcome.ts"
import { createdItems } from "../document/Plan.ts"
import type { DecisionError, OrderChange, Plan, Snapshot } from "../document/Plan.ts"
import type { Order } from "../shipment/Order.ts"
import type { OrderItem } from "../shipment/OrderItem.ts"
import type { ShipmentAfter } from "../shipment/Shipment.ts"
import type { DocumentOptions } from "./Generators.ts"
import * as Law from "./Law.ts"
import { situations } from "./Situations.ts"
import type { Situation } from "./Situations.ts"

/** The rule: what a document does to a snapshot. `decide` of `@dockline/core/Plan` is one. */
export type Decide = (document: Document, snapshot: Snapshot) => Result.Result<Plan, DecisionError>

/** The answer: what the client is told of a plan that was carried out. `outcome` of `@dockline/core/Outcome` is one. */
export type Answer = (plan: Plan, ids: NewIds) => Outcome

/** What a law of a decision may be told. */
export interface DecisionOptions extends DocumentOptions {
  /** The rule of the answer; that of core unless given. */
  readonly answer?: Answer
}

/** A document that was accepted: what it does, and the answer. */
export interface Decided extends Situation {
  readonly plan: Plan
  readonly result: Outcome
}

/** A law of a decision; the options say which documents it is tried on, and how they are answered. */
export type DecisionLaw = (decide: Decide, options?: DecisionOptions) => Law.Law

/** A law of every document that is accepted: a refusal says nothing about it. */
export const everyDecision =
  (name: string, holds: (decided: Decided) => void, runs = 120): DecisionLaw => (decide, options) =>
    Law.make(
      name,
      situations(options),
      ({ document, snapshot }) => {
        const decision = decide(document, snapshot)
        fc.pre(Result.isSuccess(decision))
        const plan = decision.success
        holds({ document, snapshot, plan, result: completed(plan, options) })
      },
      runs,
      Law.brief
    )

/** Ids for what a plan creates: above all that generated snapshots hold. */
const idsFor = (plan: Plan): NewIds => {
  const ids = (count: number, from: number) => Array.from({ length: count }, (_, n) => String(from + n))
  return {
    shipment: plan.shipment._tag === "Create" ? 1 : "",
    orders: ids(plan.orders.filter(({ order }) => order._tag === "Create").length, 1_000_000),
    items: ids(createdItems(plan).length, 2_000_000)
  }
}

/** The answer of a plan, with ids for what it creates. */
export const completed = (plan: Plan, { answer = outcome }: DecisionOptions = {}): Outcome =>
  answer(plan, idsFor(plan))

/** Every order of a snapshot. */
export const ordersOf = ({ candidates, target }: Snapshot): ReadonlyArray<Order> => [
  ...(target?.orders ?? []),
  ...candidates.map(({ order }) => order)
]

/** A shipment, orders and their items, as references name them. */
export const entitiesOf = (
  shipment: { readonly id: number | "" } | null,
  orders: ReadonlyArray<Order>
): ReadonlyArray<string> => [
  ...(shipment === null ? [] : [`SHIPMENT ${shipment.id}`]),
  ...orders.flatMap(({ id, items }) => [`ORDER ${id}`, ...items.map((item) => `ORDER_ITEM ${item.id}`)])
]

/**
 * The shipment after a plan was carried out on a snapshot, one change after another, the way a storage does it; with
 * the ids of {@link completed}.
 */
export const applied = (plan: Plan, snapshot: Snapshot): ShipmentAfter => {
  const ids = idsFor(plan)
  const [orderIds, itemIds] = [ids.orders.values(), ids.items.values()]
  const there = new Map(ordersOf(snapshot).map((order) => [order.id, order]))
  const onTarget = new Map((snapshot.target?.orders ?? []).map((order) => [order.id, order]))
  for (const { items, order } of plan.orders) {
    const header = order._tag === "Create" ? { ...order.order, id: orderIds.next().value! } : order.order
    const before = there.get(header.id)?.items ?? []
    onTarget.set(header.id, { ...header, items: itemsAfter(before, items, itemIds) })
  }
  const header = plan.shipment._tag === "Create"
    ? { ...plan.shipment.shipment, id: ids.shipment }
    : plan.shipment.shipment
  return { ...header, orders: inIdOrder(Array.from(onTarget.values())) }
}

const itemsAfter = (
  before: ReadonlyArray<OrderItem>,
  { created, removed, updated }: OrderChange["items"],
  ids: Iterator<string>
): ReadonlyArray<OrderItem> => {
  const items = new Map(before.map((item) => [item.id, item]))
  for (const { id } of removed) items.delete(id)
  for (const item of updated) items.set(item.id, item)
  for (const item of created) {
    const id = String(ids.next().value)
    items.set(id, { ...item, id })
  }
  return inIdOrder(Array.from(items.values()))
}

const inIdOrder = <A extends { readonly id: string }>(list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.toSorted((left, right) => Number(left.id) - Number(right.id))
