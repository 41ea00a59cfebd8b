/**
 * Mutants: rules with one mistake each. Every one is caught by a law, which is named, so that the laws that a service
 * holds its own rules against are known to find such mistakes. The seed is fixed: this is a test of the laws.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { OrderItemDraft } from "../src/OrderItem.ts"
import { decide } from "../src/Plan.ts"
import type { Plan } from "../src/Plan.ts"
import * as Reference from "../src/Reference.ts"
import * as Remap from "../src/Remap.ts"
import { append, defaultStrategies, merge, remove } from "../src/Strategy.ts"
import * as AnswerLaws from "../src/testing/AnswerLaws.ts"
import * as DecisionLaws from "../src/testing/DecisionLaws.ts"
import { keyOf } from "../src/testing/Generators.ts"
import * as Law from "../src/testing/Law.ts"
import * as ReferenceLaws from "../src/testing/ReferenceLaws.ts"
import * as RemapLaws from "../src/testing/RemapLaws.ts"
import * as StrategyLaws from "../src/testing/StrategyLaws.ts"
import {
  applying,
  choosing,
  deciding,
  isEmptyList,
  mergeThatLeaves,
  planning,
  seeing
} from "./MutantRules.ts"
import type { Mutant } from "./MutantRules.ts"

const seed = 20_261_120

const mutantsOfStrategies: ReadonlyArray<Mutant> = [
  {
    name: "APPEND adds an item whose key is there already",
    caughtBy: StrategyLaws.keysStayUnique(applying((_, incoming) => ({ created: incoming })))
  },
  {
    name: "APPEND replaces an item whose key is there already",
    caughtBy: StrategyLaws.appendRefusesWhatIsThere(applying((stored, incoming) => {
      const given = new Set(incoming.map(keyOf))
      return { created: incoming, removed: stored.filter((item) => given.has(keyOf(item))) }
    }))
  },
  {
    name: "APPEND compares keys without where the lpn ends",
    caughtBy: StrategyLaws.appendRefusesWhatIsThere(
      seeing(append, (item) => ({ ...item, lpn: "", sku: item.lpn + item.sku }))
    )
  },
  {
    name: "APPEND compares keys without case",
    caughtBy: StrategyLaws.appendRefusesWhatIsThere(
      seeing(append, (item) => ({ ...item, lpn: item.lpn.toUpperCase() }))
    )
  },
  {
    name: "MERGE clears on \"\"",
    caughtBy: StrategyLaws.mergeClearsNothing(
      mergeThatLeaves((value) => value === 0 || value === false || isEmptyList(value))
    )
  },
  {
    name: "MERGE takes 0",
    caughtBy: StrategyLaws.mergeClearsNothing(
      mergeThatLeaves((value) => value === "" || value === false || isEmptyList(value))
    )
  },
  {
    name: "MERGE takes false, so that a dangerous good is none any more",
    caughtBy: StrategyLaws.mergeClearsNothing(
      mergeThatLeaves((value) => value === "" || value === 0 || isEmptyList(value))
    )
  },
  {
    name: "MERGE takes no serial numbers",
    caughtBy: StrategyLaws.mergeClearsNothing(mergeThatLeaves((value) => !value || Array.isArray(value)))
  },
  {
    name: "MERGE makes what it matches anew",
    caughtBy: StrategyLaws.mergeMatchesByKey(applying((stored, incoming) => {
      const given = new Set(incoming.map(keyOf))
      return { created: incoming, removed: stored.filter((item) => given.has(keyOf(item))) }
    }))
  },
  {
    name: "DELETE goes by the lpn alone",
    caughtBy: StrategyLaws.deleteLeavesTheOthers(seeing(remove, (item) => ({ ...item, sku: "" })))
  },
  {
    name: "DELETE stops at the first",
    caughtBy: StrategyLaws.deleteLeavesTheOthers(applying((stored, incoming) => ({
      removed: Result.getOrThrow(remove.apply(stored, incoming)).removed.slice(0, 1)
    })))
  },
  {
    name: "OVERWRITE keeps the ids of items that it finds again",
    caughtBy: StrategyLaws.overwriteMakesAnew(applying((stored, incoming) => {
      const given = new Map(incoming.map((item) => [keyOf(item), item]))
      const kept = stored.filter((item) => given.has(keyOf(item)))
      const keys = new Set(kept.map(keyOf))
      return {
        created: incoming.filter((item) => !keys.has(keyOf(item))),
        updated: kept.map((item) => ({ ...item, ...given.get(keyOf(item)) })),
        removed: stored.filter((item) => !keys.has(keyOf(item)))
      }
    }))
  },
  {
    name: "OVERWRITE leaves what is not named",
    caughtBy: StrategyLaws.overwriteForgets(applying((stored, incoming) => {
      const given = new Set(incoming.map(keyOf))
      return { created: incoming, removed: stored.filter((item) => given.has(keyOf(item))) }
    }))
  },
  {
    name: "a strategy sorts the items that it is given where they stand",
    caughtBy: StrategyLaws.isPure(applying((_, incoming) => ({
      created: (incoming as Array<OrderItemDraft>).sort((one, other) => one.quantity - other.quantity)
    })))
  },
  {
    name: "a strategy creates what is there, with its id",
    caughtBy: StrategyLaws.itemsAreWhole(applying((stored) => ({ created: stored, removed: stored })))
  },
  {
    name: "a strategy updates what it removes",
    caughtBy: StrategyLaws.changesWhatIsThere(applying((stored) => ({ updated: stored, removed: stored })))
  },
  {
    name: "a strategy requires what no item has",
    caughtBy: StrategyLaws.requiresFieldsOfItems({ ...merge, requiredFields: ["lpn", "skuNumber"] })
  }
]

const mutantsOfRemapping: ReadonlyArray<Mutant> = [
  {
    name: "a remap takes from a linked shipment",
    caughtBy: RemapLaws.neverFromLinked(choosing((each) => ({ ...each, shipmentIsLinked: false })))
  },
  {
    name: "a remap takes from an arrived shipment",
    caughtBy: RemapLaws.neverFromArrived(choosing((each) => ({
      ...each,
      shipmentStatus: each.shipmentStatus === "ARRIVED" ? "SCHEDULED" : each.shipmentStatus
    })))
  },
  {
    name: "a remap takes from a departed shipment",
    caughtBy: RemapLaws.neverFromArrived(choosing((each) => ({
      ...each,
      shipmentStatus: each.shipmentStatus === "DEPARTED" ? "SCHEDULED" : each.shipmentStatus
    })))
  },
  {
    name: "a remap takes the oldest order",
    caughtBy: RemapLaws.takesTheLatest((candidates, number, direction) =>
      candidates
        .filter((each) => each.order.number === number && Remap.isEligible(each, direction))
        .sort((one, other) => one.createdAt < other.createdAt ? -1 : 1)[0]
    )
  },
  {
    name: "a remap compares ids as text",
    caughtBy: RemapLaws.takesTheLatest((candidates, number, direction) =>
      candidates
        .filter((each) => each.order.number === number && Remap.isEligible(each, direction))
        .sort((one, other) =>
          `${one.createdAt} ${one.order.id}` < `${other.createdAt} ${other.order.id}` ? 1 : -1
        )[0]
    )
  },
  {
    name: "a remap takes the first that it finds",
    caughtBy: RemapLaws.ignoresTheirOrder((candidates, number, direction) =>
      candidates.find((each) => each.order.number === number && Remap.isEligible(each, direction))
    )
  },
  {
    name: "a remap ignores the direction",
    caughtBy: RemapLaws.keepsNumberAndDirection((candidates, number) =>
      Remap.choose(candidates, number, "OUTBOUND") ?? Remap.choose(candidates, number, "INBOUND")
    )
  },
  {
    name: "a remap never takes any",
    caughtBy: RemapLaws.takesOneIfAny(() => undefined)
  },
  {
    name: "a document takes an order from an arrived or linked shipment",
    caughtBy: DecisionLaws.remapsOnlyFromScheduled(deciding(({ candidates }) => ({
      candidates: candidates.map((each) => ({
        ...each,
        shipmentStatus: "SCHEDULED",
        shipmentIsLinked: false
      }))
    })))
  },
  {
    name: "a document takes an order of the other direction",
    caughtBy: DecisionLaws.remapsTheLatest(deciding(({ candidates }) => ({
      candidates: candidates.map((each) => ({ ...each, order: { ...each.order, direction: "OUTBOUND" } }))
    })))
  }
]

const mutantsOfDecisions: ReadonlyArray<Mutant> = [
  {
    name: "a document is decided with an APPEND that adds what is there",
    caughtBy: DecisionLaws.keysStayUnique((document, snapshot) =>
      decide(document, snapshot, {
        ...defaultStrategies,
        APPEND: applying((_, incoming) => ({ created: incoming }))
      })
    )
  },
  {
    name: "a document without items removes those of its order",
    caughtBy: DecisionLaws.noItemsChangeNone((document, snapshot) =>
      Result.map(decide(document, snapshot), (plan) => ({
        ...plan,
        orders: plan.orders.map((change, index) =>
          document.orders[index]!.items.length > 0
            ? change
            : { ...change, items: { created: [], updated: [], removed: change.stored } }
        )
      }))
    )
  },
  {
    name: "a document drops the orders that it does not name",
    caughtBy: DecisionLaws.theUnnamedStays(planning(() => ({ untouched: [] })))
  },
  {
    name: "a document clears the carrier with \"\"",
    caughtBy: DecisionLaws.shipmentsClearNothing((document, snapshot) =>
      Result.map(decide(document, snapshot), (plan): Plan => ({
        ...plan,
        shipment: plan.shipment._tag === "Create"
          ? plan.shipment
          : { ...plan.shipment, shipment: { ...plan.shipment.shipment, carrier: document.carrier } }
      }))
    )
  },
  {
    name: "a document changes a departed shipment",
    caughtBy: DecisionLaws.departedIsFinal(deciding(({ target }) => ({
      target: target === null ? null : { ...target, status: "SCHEDULED" }
    })))
  },
  {
    name: "a document applies the strategy of its first order to all of them",
    caughtBy: DecisionLaws.strategiesArePerOrder((document, snapshot) =>
      decide({
        ...document,
        orders: document.orders.map((order) => ({ ...order, strategy: document.orders[0]!.strategy }))
      }, snapshot)
    )
  },
  {
    name: "the answer leaves out the items that an order keeps",
    caughtBy: AnswerLaws.applyingGivesTheAnswer(planning(({ orders }) => ({
      orders: orders.map((change) => ({ ...change, stored: [] }))
    })))
  },
  {
    name: "the answer names what is updated twice",
    caughtBy: AnswerLaws.nothingIsNamedTwice(planning(({ orders }) => ({
      orders: orders.map(({ items, ...change }) => ({
        ...change,
        items: { ...items, updated: [...items.updated, ...items.updated] }
      }))
    })))
  },
  {
    name: "an item is named by its lpn though it has an identifier",
    caughtBy: ReferenceLaws.itemsByIdentifier({
      ...Reference,
      itemReference: (item) => Reference.itemReference({ ...item, identifier: item.lpn || item.identifier })
    })
  },
  {
    name: "an item is not named by its sku",
    caughtBy: ReferenceLaws.itemsByIdentifier({
      ...Reference,
      itemReference: (item) => Reference.itemReference({ ...item, sku: "" })
    })
  }
]

const realLaws: ReadonlyArray<Law.Law> = [
  ...Object.values(defaultStrategies).flatMap(StrategyLaws.everyStrategy),
  ...StrategyLaws.wireStrategies(),
  ...RemapLaws.everyChoice(Remap.choose),
  ...DecisionLaws.everyLaw(decide),
  ...AnswerLaws.everyLaw(decide),
  ...ReferenceLaws.everyReference()
]

describe("mutants of", () => {
  const known = realLaws.map(({ name }) => name)
  for (
    const [rule, mutants] of [
      ["the strategies", mutantsOfStrategies],
      ["remapping", mutantsOfRemapping],
      ["decisions and answers", mutantsOfDecisions]
    ] as const
  ) {
    it.each(mutants)(`${rule}: $name`, async ({ caughtBy }) => {
      assert.include(known, caughtBy.name)
      const broken = await Law.broken([caughtBy], { seed })
      assert.deepStrictEqual(broken.map(({ name }) => name), [caughtBy.name])
    })
  }

  it("nothing: the rules as they are break no law with the same seed", async () => {
    assert.deepStrictEqual(await Law.broken(realLaws, { seed, factor: 0.25 }), [])
  })
})
