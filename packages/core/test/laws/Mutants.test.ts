/**
 * Mutants of the strategies: rules with one mistake each. Every one is caught by a law, which is named, so that the laws
 * that a service holds its own rules against are known to find such mistakes. The seed is fixed: this is a test of the laws.
 */
import { keyOf } from "@dockline/testing/generators/Generators"
import type { Law } from "@dockline/testing/Law"
import * as StrategyLaws from "@dockline/testing/laws/StrategyLaws"
import { append, defaultStrategies, merge, remove } from "../../src/document/Strategy.ts"
import type { OrderItemDraft } from "../../src/shipment/Shipment.ts"
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
    caughtBy: StrategyLaws.mergeClearsNothing(applying((items, incoming) => ({
      updated: items.flatMap((item) =>
        incoming.filter((input) => keyOf(input) === keyOf(item)).map((input) => ({ ...item, ...input }))
      )
    })))
  },
  {
    name: "MERGE adds quantities up",
    caughtBy: StrategyLaws.isIdempotent(applying((items, incoming) => {
      const quantities = new Map(incoming.map((item) => [keyOf(item), item.quantity]))
      return {
        updated: items.map((item) => ({
          ...item,
          quantity: item.quantity + (quantities.get(keyOf(item)) ?? 0)
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
    caughtBy: StrategyLaws.overwriteMakesAnew(applying((items, incoming) => {
      const inputs = new Map(incoming.map((item) => [keyOf(item), item]))
      const remaining = items.filter((item) => inputs.has(keyOf(item)))
      const keys = new Set(remaining.map(keyOf))
      return {
        created: incoming.filter((item) => !keys.has(keyOf(item))),
        updated: remaining.map((item) => ({ ...item, ...inputs.get(keyOf(item)) })),
        removed: items.filter((item) => !keys.has(keyOf(item)))
      }
    }))
  },
  {
    name: "OVERWRITE leaves what is not named",
    caughtBy: StrategyLaws.overwriteForgets(applying((items, incoming) => {
      const keys = new Set(incoming.map(keyOf))
      return { created: incoming, removed: items.filter((item) => keys.has(keyOf(item))) }
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
    caughtBy: StrategyLaws.itemsAreWhole(applying((items) => ({ created: items, removed: items })))
  },
  {
    name: "a strategy updates what it removes",
    caughtBy: StrategyLaws.changesWhatIsThere(applying((items) => ({ updated: items, removed: items })))
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
