/** How mutants are made of the rules: each is the rule itself but for one mistake. */
import { Result } from "effect"
import { orderItemFieldNames } from "../src/OrderItem.ts"
import type { OrderItem, OrderItemDraft } from "../src/OrderItem.ts"
import { decide } from "../src/Plan.ts"
import type { Plan, Snapshot } from "../src/Plan.ts"
import * as Remap from "../src/Remap.ts"
import type { ItemChanges, Strategy } from "../src/Strategy.ts"
import type { Decide } from "../src/testing/Decided.ts"
import { keyOf } from "../src/testing/Generators.ts"
import type { Law } from "../src/testing/Law.ts"
import type * as RemapLaws from "../src/testing/RemapLaws.ts"

export interface Mutant {
  /** The mistake. */
  readonly name: string
  /** The law that finds it, held against the mutant. */
  readonly caughtBy: Law
}

type Apply = (
  stored: ReadonlyArray<OrderItem>,
  incoming: ReadonlyArray<OrderItemDraft>
) => Partial<ItemChanges>

/** A strategy that refuses nothing. */
export const applying = (apply: Apply): Strategy => ({
  requiredFields: ["lpn", "sku"],
  apply: (stored, incoming) =>
    Result.succeed({ created: [], updated: [], removed: [], ...apply(stored, incoming) })
})

/** A strategy that is given other items than there are. */
export const seeing = (strategy: Strategy, see: (item: OrderItemDraft) => OrderItemDraft): Strategy => ({
  ...strategy,
  apply: (stored, incoming) =>
    strategy.apply(stored.map((item) => ({ ...see(item), id: item.id })), incoming.map(see))
})

/** MERGE as it is, but for the values that say nothing to it. */
export const mergeThatLeaves = (leaves: (value: unknown) => boolean): Strategy =>
  applying((stored, incoming) => {
    const there = new Map(stored.map((item) => [keyOf(item), item]))
    const taken = (given: OrderItemDraft) =>
      Object.fromEntries(
        orderItemFieldNames.filter((name) => !leaves(given[name])).map((name) => [name, given[name]])
      )
    return {
      created: incoming.filter((item) => !there.has(keyOf(item))),
      updated: incoming.flatMap((item) => {
        const match = there.get(keyOf(item))
        return match === undefined ? [] : [{ ...match, ...taken(item) }]
      })
    }
  })

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** Chooses among candidates that look other than they are. */
export const choosing =
  (see: (candidate: Remap.Candidate) => Remap.Candidate): RemapLaws.Choose => (candidates, ...order) => {
    const chosen = Remap.choose(candidates.map(see), ...order)
    return candidates.find(({ shipmentId }) => shipmentId === chosen?.shipmentId)
  }

/** Decides on a snapshot that looks other than it is. */
export const deciding = (see: (snapshot: Snapshot) => Partial<Snapshot>): Decide => (document, snapshot) =>
  decide(document, { ...snapshot, ...see(snapshot) })

/** Decides as it should, and then changes the plan. */
export const planning = (change: (plan: Plan) => Partial<Plan>): Decide => (document, snapshot) =>
  Result.map(decide(document, snapshot), (plan) => ({ ...plan, ...change(plan) }))
