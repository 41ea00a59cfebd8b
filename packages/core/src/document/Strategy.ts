/**
 * Item update strategies: how the items of a document change the items of an order (WIRE.md, item strategies).
 *
 * Guarantee: each of the four strategies of the contract is a pure function of the stored and the incoming items. If both have distinct
 * keys, so have the items after the strategy; the decision refuses incoming items with equal keys. Strategies are values, so that an
 * embedding service can add its own, which must be pure too.
 */
import { Context, Result } from "effect"
import { changeableItemFields, itemKey } from "../shipment/Shipment.ts"
import type { OrderItem, OrderItemDraft } from "../shipment/Shipment.ts"
import { DuplicateOrderItemKey } from "../values/Errors.ts"
import type { StrategyRefusal } from "./Document.ts"

/** The changes that a strategy makes to an order's items. Items in none of the lists stay unchanged. */
export interface ItemChanges {
  /** New items, in request order. */
  readonly created: ReadonlyArray<OrderItemDraft>
  /** Matched items in their new state, in request order, whether or not they changed. */
  readonly updated: ReadonlyArray<OrderItem>
  /** Removed items, in id order. */
  readonly removed: ReadonlyArray<OrderItem>
}

/** One way to apply a document's items to an order. */
export interface Strategy {
  /**
   * The item fields that a document must have; otherwise it is refused with 422. An absent or empty (`""`) field is missing; 0 is a
   * quantity (D3.10).
   */
  readonly requiredFields: ReadonlyArray<string>
  /** Applies the `incoming` items, at least one and without duplicate keys, to the stored `items`, which are in id order. */
  readonly apply: (
    items: ReadonlyArray<OrderItem>,
    incoming: ReadonlyArray<OrderItemDraft>
  ) => Result.Result<ItemChanges, StrategyRefusal>
}

/** No changes, the result of every strategy for a document without items. */
export const noItemChanges: ItemChanges = { created: [], updated: [], removed: [] }

/** The stored items that remain after changes, in their order: unchanged items, and updated items in their new state. */
export const itemsLeft = (
  itemsBefore: ReadonlyArray<OrderItem>,
  { removed, updated }: ItemChanges
): ReadonlyArray<OrderItem> => {
  if (removed.length === 0 && updated.length === 0) return itemsBefore
  if (removed.length === itemsBefore.length) return []
  const removedIds = new Set<string>()
  for (const { id } of removed) removedIds.add(id)
  const changes = new Map<string, OrderItem>()
  for (const item of updated) changes.set(item.id, item)
  const items: Array<OrderItem> = []
  for (const item of itemsBefore) if (!removedIds.has(item.id)) items.push(changes.get(item.id) ?? item)
  return items
}

const byKey = (items: ReadonlyArray<OrderItem>): ReadonlyMap<string, OrderItem> =>
  new Map(items.map((item) => [itemKey(item), item]))

/** The key of an item, as refusals show it. */
const keyOf = ({ identifier, lpn, sku }: OrderItemDraft) => ({ identifier, lpn, sku })

/** Adds new items and keeps the existing ones; an existing key is a conflict. */
export const append: Strategy = {
  requiredFields: ["lpn", "sku", "quantity", "quantityUnit"],
  apply: (items, incoming) => {
    const existing = byKey(items)
    const duplicate = incoming.find((item) => existing.has(itemKey(item)))
    return duplicate === undefined
      ? Result.succeed({ ...noItemChanges, created: incoming })
      : Result.fail(new DuplicateOrderItemKey(keyOf(duplicate)))
  }
}

/** Updates the items that match and creates those that do not; an empty value keeps the stored one (D3.6). */
export const merge: Strategy = {
  requiredFields: ["lpn", "sku"],
  apply: (items, incoming) => {
    const existing = byKey(items)
    const created: Array<OrderItemDraft> = []
    const updated: Array<OrderItem> = []
    for (const item of incoming) {
      const match = existing.get(itemKey(item))
      if (match === undefined) created.push(item)
      else updated.push(mergeItem(match, item))
    }
    return Result.succeed({ created, updated, removed: [] })
  }
}

/** Removes the items that match; it also succeeds when none matches. */
export const remove: Strategy = {
  requiredFields: ["lpn", "sku"],
  apply: (items, incoming) => {
    const keys = new Set(incoming.map(itemKey))
    return Result.succeed({ ...noItemChanges, removed: items.filter((item) => keys.has(itemKey(item))) })
  }
}

/** Removes every existing item, then creates the incoming ones with new ids. */
export const overwrite: Strategy = {
  requiredFields: ["lpn", "sku", "quantity", "quantityUnit"],
  apply: (items, incoming) => Result.succeed({ created: incoming, updated: [], removed: items })
}

const strategies = {
  APPEND: append,
  MERGE: merge,
  DELETE: remove,
  OVERWRITE: overwrite
}

/** The strategies of the wire contract, by the names that documents use. */
export const defaultStrategies: Readonly<Record<string, Strategy>> = strategies

/** The strategy of a document that has items and names none (WIRE.md, document intake). */
export const defaultStrategyName = "OVERWRITE" satisfies keyof typeof strategies

/** The name of a strategy: one of the contract, or any that a service adds to them. */
export type StrategyName = keyof typeof strategies | (string & {})

/** The strategies of the service; {@link defaultStrategies} unless provided. */
export const Strategies: Context.Reference<Readonly<Record<string, Strategy>>> = Context.Reference(
  "@dockline/core/Strategies",
  { defaultValue: () => defaultStrategies }
)

/** Whether a value is empty: `""`, 0, `false` and `[]` keep the stored value (D3.6, D3.7). */
export const isEmptyValue = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** Overwrites the named fields of `before` with the fields of `change` that are not empty; returns `before` itself when nothing changes. */
export const overlay = <A extends object>(
  before: A,
  change: Partial<A>,
  names: ReadonlyArray<keyof A>
): A => {
  let copy: A | undefined
  for (const name of names) {
    const value = change[name]
    if (value === undefined || isEmptyValue(value) || sameValue(before[name], value)) continue
    copy ??= { ...before }
    copy[name] = value
  }
  return copy ?? before
}

/** Compares scalars by value, and lists by the members of their entries, so that repeating a list is no change. */
const sameValue = (left: unknown, right: unknown): boolean =>
  left === right ||
  (Array.isArray(left) && Array.isArray(right) && left.length === right.length &&
    left.every((entry, index) => sameEntry(entry, right[index])))

const sameEntry = (left: Record<string, unknown>, right: Record<string, unknown>): boolean => {
  for (const name in right) if (left[name] !== right[name]) return false
  return true
}

const mergeItem = (item: OrderItem, input: OrderItemDraft): OrderItem =>
  overlay<OrderItem>(item, input, changeableItemFields)
