/**
 * The decisions that laws check: an accepted document, its plan, its answer, and the shipment after the plan.
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

/** A rule that decides the effect of a document on a snapshot, such as `decide` of `@dockline/core/document/Decision`. */
export type Decide = (document: Document, snapshot: Snapshot) => Result.Result<Plan, DecisionRefusal>

/** A rule that makes the answer to the client from an executed plan, such as `outcome` of `@dockline/core/document/Outcome`. */
export type Answer = (before: Before, plan: Plan, ids: NewIds) => Outcome

/** Options of a law of a decision. */
export interface DecisionOptions extends DocumentOptions {
  /** The rule that makes the answer; `outcome` of core by default. */
  readonly answer?: Answer
}

/** An accepted document, with its plan and its answer. */
export interface DecisionRun extends Situation {
  readonly plan: Plan
  readonly result: Outcome
}

/** A law of a decision. The options determine the documents that it tries, and their answers. */
export type DecisionLaw = (decide: Decide, options?: DecisionOptions) => Law.Law

/** Makes a law of every accepted document; refused documents are skipped. */
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

/** The answer of a plan. A new shipment has the id 1; the ids of new orders and items are above all ids in generated snapshots. */
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

/** The type and the id of a shipment, of orders and of their items, such as `ORDER 7`. */
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
