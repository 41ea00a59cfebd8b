/** How mutants are made of the rules: each is the rule itself but for one mistake. And that each is caught by a law. */
import * as Law from "@dockline/testing/Law"
import { ordersOf } from "@dockline/testing/laws/DecisionLaws"
import type { Answer, Decide } from "@dockline/testing/laws/DecisionLaws"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide } from "../../src/document/Decision.ts"
import { outcome } from "../../src/document/Outcome.ts"
import type { Outcome } from "../../src/document/Outcome.ts"
import type { OrderChange, Plan, Snapshot } from "../../src/document/Plan.ts"
import type { ItemChanges, Strategy } from "../../src/document/Strategy.ts"
import type { OrderItem, OrderItemDraft } from "../../src/shipment/Shipment.ts"

export interface Mutant {
  /** The mistake. */
  readonly name: string
  /** The law that finds it, held against the mutant. */
  readonly caughtBy: Law.Law
}

type Apply = (
  items: ReadonlyArray<OrderItem>,
  incoming: ReadonlyArray<OrderItemDraft>
) => Partial<ItemChanges>

/** A strategy that refuses nothing. */
export const applying = (apply: Apply): Strategy => ({
  requiredFields: ["lpn", "sku"],
  apply: (items, incoming) =>
    Result.succeed({ created: [], updated: [], removed: [], ...apply(items, incoming) })
})

/** A strategy that is given other items than there are. */
export const seeing = (strategy: Strategy, see: (item: OrderItemDraft) => OrderItemDraft): Strategy => ({
  ...strategy,
  apply: (itemsBefore, incoming) =>
    strategy.apply(itemsBefore.map((item) => ({ ...see(item), id: item.id })), incoming.map(see))
})

/** Decides on a snapshot that looks other than it is. */
export const deciding = (see: (snapshot: Snapshot) => Partial<Snapshot>): Decide => (document, snapshot) =>
  decide(document, { ...snapshot, ...see(snapshot) })

/** Decides as it should, and then changes the plan. */
export const planning =
  (change: (plan: Plan, snapshot: Snapshot) => Partial<Plan>): Decide => (document, snapshot) =>
    Result.map(decide(document, snapshot), (plan) => ({ ...plan, ...change(plan, snapshot) }))

/** The items that an order had before a change. */
export const itemsBefore = (snapshot: Snapshot, { order }: OrderChange): ReadonlyArray<OrderItem> =>
  ordersOf(snapshot).find(({ id }) => order._tag === "Update" && id === order.order.id)?.items ?? []

/** Answers as it should, and then changes the answer. */
export const answering = (change: (answer: Outcome) => Partial<Outcome>): Answer => (...args) => {
  const answer = outcome(...args)
  return { ...answer, ...change(answer) }
}

/** Of the laws, not of the rules: what is drawn must not differ from run to run. */
const seed = 20_261_120

/**
 * Each mutant breaks the law that it names, and each of the laws is broken by one of them, so none of them holds of
 * everything.
 */
export const eachIsCaught = (
  rules: string,
  mutants: ReadonlyArray<Mutant>,
  laws: ReadonlyArray<Law.Law>
): void => {
  describe(`mutants of ${rules}`, () => {
    const names = Array.from(new Set(laws.map(({ name }) => name)))

    it.each(mutants)("$name", async ({ caughtBy }) => {
      assert.include(names, caughtBy.name)
      const brokenLaws = await Law.brokenLaws([caughtBy], { seed, breaksBy: "first" })
      assert.deepStrictEqual(brokenLaws.map(({ name }) => name), [caughtBy.name])
    })

    it("every law catches one of them", () => {
      const catching = new Set(mutants.map(({ caughtBy }) => caughtBy.name))
      assert.deepStrictEqual(names.filter((name) => !catching.has(name)), [])
    })
  })
}
