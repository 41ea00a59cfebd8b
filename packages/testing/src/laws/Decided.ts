/**
 * Decisions as their laws see them: a document that was accepted, the plan, the answer, and what the plan leads to.
 */
import type { DecisionRefusal, Document } from "@dockline/core/document/Document"
import { outcome } from "@dockline/core/document/Outcome"
import type { Outcome } from "@dockline/core/document/Outcome"
import { drawIds, evolve } from "@dockline/core/document/Plan"
import type { Before, NewIds, Plan, Snapshot } from "@dockline/core/document/Plan"
import type { Order, ShipmentAfter } from "@dockline/core/shipment/Shipment"
import { Result } from "effect"
import * as fc from "fast-check"
import type { DocumentOptions } from "../generators/Generators.ts"
import { situations } from "../generators/Situations.ts"
import type { Situation } from "../generators/Situations.ts"
import * as Law from "../Law.ts"

/** The rule: what a document does to a snapshot. `decide` of `@dockline/core/document/Plan` is one. */
export type Decide = (document: Document, snapshot: Snapshot) => Result.Result<Plan, DecisionRefusal>

/** The answer: what the client is told of a plan that was carried out. `outcome` of `@dockline/core/document/Outcome` is one. */
export type Answer = (before: Before, plan: Plan, ids: NewIds) => Outcome

/** What a law of a decision may be told. */
export interface DecisionOptions extends DocumentOptions {
  /** The rule of the answer; that of core unless given. */
  readonly answer?: Answer
}

/** A document that was accepted: what it does, and the answer. */
export interface DecisionRun extends Situation {
  readonly plan: Plan
  readonly result: Outcome
}

/** A law of a decision; the options say which documents it is tried on, and how they are answered. */
export type DecisionLaw = (decide: Decide, options?: DecisionOptions) => Law.Law

/** A law of every document that is accepted: a refusal says nothing about it. */
export const everyDecision =
  (name: string, holds: (situation: DecisionRun) => void, runs = 120): DecisionLaw => (decide, options) =>
    Law.make(
      name,
      situations(options),
      ({ document, snapshot }) => {
        const decision = decide(document, snapshot)
        fc.pre(Result.isSuccess(decision))
        const plan = decision.success
        holds({ document, snapshot, plan, result: outcomeAfter(snapshot, plan, options) })
      },
      runs,
      Law.brief
    )

/** The answer of a plan, with ids for what it creates that are above all that generated snapshots hold. */
export const outcomeAfter = (
  before: Before,
  plan: Plan,
  { answer = outcome }: DecisionOptions = {}
): Outcome => answer(before, plan, idsFor(plan))

const idsFor = (plan: Plan): NewIds => {
  let last = 1_000_000
  return { ...drawIds(plan, () => ++last), shipment: plan.shipment._tag === "Create" ? 1 : "" }
}

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

/** The shipment after a plan, with the ids of {@link outcomeAfter}. */
export const shipmentAfter = (before: Before, plan: Plan): ShipmentAfter =>
  evolve(before, plan, idsFor(plan)).shipment
