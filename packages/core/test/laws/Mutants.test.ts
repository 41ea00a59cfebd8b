/**
 * Mutants of the strategies: rules with one mistake each. Every one is caught by a law, which is named, so that the laws
 * that a service holds its own rules against are known to find such mistakes. The seed is fixed: this is a test of the laws.
 */
import { keyOf } from "@dockline/testing/generators/Generators"
import type { Law } from "@dockline/testing/Law"
import * as StrategyLaws from "@dockline/testing/laws/StrategyLaws"
import { append, defaultStrategies, merge, remove } from "../../src/document/Strategy.ts"
import type { OrderItemDraft } from "../../src/shipment/OrderItem.ts"
import { applying, eachIsCaught, seeing } from "./MutantRules.ts"
import type { Mutant } from "./MutantRules.ts"

const mutantsOfStrategies: ReadonlyArray<Mutant> = [
  {
    name: "APPEND adds an item whose key is there already",
    caughtBy: StrategyLaws.keysStayUnique(applying((_, incoming) => ({ created: incoming })))
  },
  {
    name: "MERGE knows an item without an lpn by its sku alone",
    caughtBy: StrategyLaws.mergeMatchesByKey(
      seeing(merge, (item) => item.lpn === "" ? { ...item, identifier: "" } : item)
    )
  },
  {
    name: "APPEND drops the last item that is given",
    caughtBy: StrategyLaws.appendKeeps(applying((_, incoming) => ({ created: incoming.slice(0, -1) })))
  },
  {
    name: "APPEND compares keys without where the lpn ends",
    caughtBy: StrategyLaws.appendRefusesWhatIsThere(
      seeing(append, (item) => ({ ...item, lpn: "", sku: item.lpn + item.sku }))
    )
  },
  {
    name: "MERGE takes empty values",
    caughtBy: StrategyLaws.mergeClearsNothing(applying((stored, incoming) => ({
      updated: stored.flatMap((item) =>
        incoming.filter((given) => keyOf(given) === keyOf(item)).map((given) => ({ ...item, ...given }))
      )
    })))
  },
  {
    name: "MERGE adds quantities up",
    caughtBy: StrategyLaws.isIdempotent(applying((stored, incoming) => {
      const given = new Map(incoming.map((item) => [keyOf(item), item.quantity]))
      return {
        updated: stored.map((item) => ({
          ...item,
          quantity: item.quantity + (given.get(keyOf(item)) ?? 0)
        }))
      }
    }))
  },
  {
    name: "DELETE does not take back what APPEND added",
    caughtBy: StrategyLaws.appendThenDelete(append, applying(() => ({})))
  },
  {
    name: "DELETE goes by the lpn alone",
    caughtBy: StrategyLaws.deleteLeavesTheOthers(seeing(remove, (item) => ({ ...item, sku: "" })))
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
  },
  {
    name: "a strategy loses what it is given",
    caughtBy: StrategyLaws.takesWhatIsGiven(applying(() => ({})))
  }
]

const lawsOfStrategies: ReadonlyArray<Law> = [
  ...Object.values(defaultStrategies).flatMap(StrategyLaws.everyStrategy),
  ...StrategyLaws.wireStrategies(),
  StrategyLaws.takesWhatIsGiven(append)
]

eachIsCaught("the strategies", mutantsOfStrategies, lawsOfStrategies)
