/**
 * Mutants of the strategies, of remapping, references and reading: rules with one mistake each. Every one is caught by a
 * law, which is named, so that the laws that a service holds its own rules against are known to find such mistakes. The
 * seed is fixed: this is a test of the laws.
 */
import { keyOf } from "@dockline/testing/generators/Generators"
import type { Law } from "@dockline/testing/Law"
import * as StrategyLaws from "@dockline/testing/laws/StrategyLaws"
import { Result } from "effect"
import * as DocumentInput from "../../src/document/DocumentInput.ts"
import * as Remap from "../../src/document/Remap.ts"
import { append, defaultStrategies, merge, remove } from "../../src/document/Strategy.ts"
import * as EntityReference from "../../src/shipment/EntityReference.ts"
import type { OrderItemDraft } from "../../src/shipment/OrderItem.ts"
import { MalformedDocument } from "../../src/values/Errors.ts"
import { applying, choosing, eachIsCaught, isEmptyList, mergeThatLeaves, seeing } from "./MutantRules.ts"
import type { Mutant } from "./MutantRules.ts"
import * as ReadingLaws from "./ReadingLaws.ts"
import * as ReferenceLaws from "./ReferenceLaws.ts"
import * as RemapLaws from "./RemapLaws.ts"

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
    caughtBy: RemapLaws.takesTheLatest((candidates) => (number, direction) =>
      candidates
        .filter((each) => each.order.number === number && Remap.isEligible(each, direction))
        .sort((one, other) => one.createdAt < other.createdAt ? -1 : 1)[0]
    )
  },
  {
    name: "a remap compares ids as text",
    caughtBy: RemapLaws.takesTheLatest((candidates) => (number, direction) =>
      candidates
        .filter((each) => each.order.number === number && Remap.isEligible(each, direction))
        .sort((one, other) =>
          `${one.createdAt} ${one.order.id}` < `${other.createdAt} ${other.order.id}` ? 1 : -1
        )[0]
    )
  },
  {
    name: "a remap takes the first that it finds",
    caughtBy: RemapLaws.ignoresTheirOrder((candidates) => (number, direction) =>
      candidates.find((each) => each.order.number === number && Remap.isEligible(each, direction))
    )
  },
  {
    name: "a remap ignores the direction",
    caughtBy: RemapLaws.keepsNumberAndDirection((candidates) => (number) =>
      Remap.choose(candidates)(number, "OUTBOUND") ?? Remap.choose(candidates)(number, "INBOUND")
    )
  },
  {
    name: "a remap never takes any",
    caughtBy: RemapLaws.takesOneIfAny(() => () => undefined)
  }
]

const mutantsOfReferences: ReadonlyArray<Mutant> = [
  {
    name: "an item is named by its lpn though it has an identifier",
    caughtBy: ReferenceLaws.itemsByIdentifier({
      ...EntityReference,
      itemReference: (item) =>
        EntityReference.itemReference({ ...item, identifier: item.lpn || item.identifier })
    })
  },
  {
    name: "an item is not named by its sku",
    caughtBy: ReferenceLaws.itemsByIdentifier({
      ...EntityReference,
      itemReference: (item) => EntityReference.itemReference({ ...item, sku: "" })
    })
  },
  {
    name: "an order is named by its id",
    caughtBy: ReferenceLaws.ordersByNumber({
      ...EntityReference,
      orderReference: (order) => EntityReference.orderReference({ ...order, number: order.id })
    })
  },
  {
    name: "a shipment that is not there yet has the id 0",
    caughtBy: ReferenceLaws.shipmentsByNumber({
      ...EntityReference,
      shipmentReference: (shipment) =>
        EntityReference.shipmentReference({ ...shipment, id: shipment.id || 0 })
    })
  }
]

const read = DocumentInput.reader()

const mutantsOfReading: ReadonlyArray<Mutant> = [
  {
    name: "reading takes white space from the carrier",
    caughtBy: ReadingLaws.readsWhatIsWritten((raw) =>
      Result.map(read(raw), (document) => ({ ...document, carrier: document.carrier.slice(1) }))
    )
  },
  {
    name: "reading takes the business out of what is sent",
    caughtBy: ReadingLaws.readsOrRefuses((raw) => {
      const result = read(raw)
      Reflect.deleteProperty(Object(raw), "business")
      return result
    })
  },
  {
    name: "reading refuses the whole document with the first of its fields",
    caughtBy: ReadingLaws.namesTheFault((raw) =>
      Result.mapError(read(raw), (refusal) =>
        refusal._tag === "TooManyItems"
          ? refusal
          : new MalformedDocument({ errors: refusal.errors }))
    )
  }
]

const lawsOfStrategies: ReadonlyArray<Law> = [
  ...Object.values(defaultStrategies).flatMap(StrategyLaws.everyStrategy),
  ...StrategyLaws.wireStrategies()
]

eachIsCaught("the strategies", mutantsOfStrategies, lawsOfStrategies)
eachIsCaught("remapping", mutantsOfRemapping, RemapLaws.everyChoice(Remap.choose))
eachIsCaught("references", mutantsOfReferences, ReferenceLaws.everyReference())
eachIsCaught("reading", mutantsOfReading, ReadingLaws.everyReader(read))
