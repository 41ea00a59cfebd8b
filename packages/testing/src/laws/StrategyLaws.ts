/**
 * Laws of the item update strategies (WIRE.md, item strategies; D3.5, D3.6).
 *
 * {@link everyStrategy} has the laws of every strategy, including your own. {@link takesWhatIsGiven} is a law of most strategies. {@link
 * append}, {@link merge}, {@link remove} and {@link overwrite} have the laws of the four strategies of the wire contract.
 */
import { defaultStrategies, itemsLeft } from "@dockline/core/document/Strategy"
import type { ItemChanges, Strategy } from "@dockline/core/document/Strategy"
import { emptyOrderItem, orderItemFieldNames } from "@dockline/core/shipment/Shipment"
import type { OrderItem } from "@dockline/core/shipment/Shipment"
import { Result } from "effect"
import * as fc from "fast-check"
import * as assert from "../Assert.ts"
import { keyOf, keysAreUnique, saysNothing, storedItems } from "../generators/Generators.ts"
import type { NamedStrategies } from "../generators/Generators.ts"
import { without } from "../generators/Given.ts"
import { meetings } from "../generators/Situations.ts"
import type { Meeting } from "../generators/Situations.ts"
import * as Law from "../Law.ts"

/** The items after a strategy was applied, with the new items last and with high ids; `undefined` if the strategy refused. */
export const itemsAfter = (
  strategy: Strategy,
  { incoming, itemsBefore }: Meeting
): ReadonlyArray<OrderItem> | undefined => {
  const changes = Result.getOrUndefined(strategy.apply(itemsBefore, incoming))
  if (changes === undefined) return undefined
  return [
    ...itemsLeft(itemsBefore, changes),
    ...changes.created.map((item, index) => ({ ...item, id: String(1_000_000 + index) }))
  ]
}

/** Makes a law for the items that a strategy accepts. Refused items are skipped. */
const ofAccepted = (
  name: string,
  strategy: Strategy,
  holds: (meeting: Meeting, after: ReadonlyArray<OrderItem>, changes: ItemChanges) => void
): Law.Law =>
  Law.make(
    name,
    meetings,
    (meeting) => {
      const after = itemsAfter(strategy, meeting)
      fc.pre(after !== undefined)
      holds(meeting, after, Result.getOrThrow(strategy.apply(meeting.itemsBefore, meeting.incoming)))
    },
    150,
    Law.brief
  )

const withoutIds = (items: ReadonlyArray<OrderItem>) => items.map((item) => without(item, "id"))

const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

/** The result of a strategy, in a form that can be compared. */
const textOf = (result: ReturnType<Strategy["apply"]>) =>
  Result.match(result, {
    onSuccess: (changes) => changes,
    onFailure: ({ code, message }) => ({ code, message })
  })

/** D3.5: no two items of an order have the same key afterwards. */
export const keysStayUnique = (strategy: Strategy): Law.Law =>
  ofAccepted(
    "D3.5 keys stay unique",
    strategy,
    (_, after) => assert.isTrue(keysAreUnique(after), `a key is there twice: ${Law.brief(after)}`)
  )

/** The same items give the same result, and are not modified. */
export const isPure = (strategy: Strategy): Law.Law =>
  Law.make(
    "a strategy is pure: alike for alike items, which it leaves as they are",
    meetings,
    (meeting) => {
      const { incoming, itemsBefore } = frozen(structuredClone(meeting))
      const first = textOf(strategy.apply(itemsBefore, incoming))
      assert.deepStrictEqual(
        textOf(strategy.apply(structuredClone(itemsBefore), structuredClone(incoming))),
        first
      )
      assert.deepStrictEqual({ incoming, itemsBefore }, meeting)
    },
    150,
    Law.brief
  )

/** Each updated or removed item has the id of a stored item, and no id occurs twice. */
export const changesWhatIsThere = (strategy: Strategy): Law.Law =>
  ofAccepted(
    "what is updated or removed was there, keeps its id and is named once; what is removed is in id order",
    strategy,
    ({ itemsBefore }, _, { removed, updated }) => {
      const ids = [...updated, ...removed].map(({ id }) => id)
      const before = itemsBefore.map(({ id }) => id)
      assert.includeMembers(before, ids)
      assert.strictEqual(new Set(ids).size, ids.length, `named twice: updated or removed ${ids.join(", ")}`)
      const removedIds = new Set(removed.map(({ id }) => id))
      const inOrder = itemsBefore.filter(({ id }) => removedIds.has(id))
      assert.deepStrictEqual(
        removed.map(({ id }) => id),
        inOrder.map(({ id }) => id),
        "what is removed is not in id order"
      )
      assert.deepStrictEqual(removed, inOrder)
    }
  )

/** Each created or updated item is complete: it has all fields of items, with their types, and no others. */
export const itemsAreWhole = (strategy: Strategy): Law.Law =>
  ofAccepted("what is created or updated is a whole item", strategy, (_, __, { created, updated }) => {
    const shapeOf = (item: object) =>
      Object.entries(item).map(([name, value]) => `${name}: ${Array.isArray(value) ? "list" : typeof value}`)
        .sort()
    const shape = shapeOf(emptyOrderItem)
    for (const item of created) assert.deepStrictEqual(shapeOf(item), shape)
    for (const item of updated) assert.deepStrictEqual(shapeOf(without(item, "id")), shape)
  })

/** The required fields of a strategy are fields of items. */
export const requiresFieldsOfItems = (strategy: Strategy): Law.Law =>
  Law.make(
    "what is required are fields of an item",
    fc.constant(strategy.requiredFields),
    (names) => assert.includeMembers<string>(orderItemFieldNames, names),
    1
  )

/**
 * The laws of every strategy, including your own. They do not require any effect: a strategy that changes nothing or loses incoming items,
 * as `DELETE` rightly does, fulfils them. Add {@link takesWhatIsGiven} if it applies, and your own laws for the results in each field.
 */
export const everyStrategy = (strategy: Strategy): ReadonlyArray<Law.Law> => [
  keysStayUnique(strategy),
  isPure(strategy),
  changesWhatIsThere(strategy),
  itemsAreWhole(strategy),
  requiresFieldsOfItems(strategy)
]

/**
 * An item with the key of each incoming item exists afterwards. This holds for APPEND, MERGE, OVERWRITE, and most strategies of other
 * services. A strategy without this law may silently lose incoming items.
 */
export const takesWhatIsGiven = (strategy: Strategy): Law.Law =>
  ofAccepted(
    "each incoming item is there afterwards",
    strategy,
    ({ incoming }, after) => assert.includeMembers(after.map(keyOf), incoming.map(keyOf))
  )

/** Applying the same items again changes nothing. This holds for DELETE and MERGE. */
export const isIdempotent = (strategy: Strategy): Law.Law =>
  ofAccepted(
    "the same items again change nothing",
    strategy,
    ({ incoming }, once) =>
      assert.deepStrictEqual(itemsAfter(strategy, { itemsBefore: once, incoming }), once)
  )

/** WIRE.md, item strategies: APPEND keeps the existing items unchanged and adds the incoming ones. */
export const appendKeeps = (append: Strategy): Law.Law =>
  ofAccepted(
    "WIRE.md APPEND keeps what was there, and adds what is given",
    append,
    ({ incoming, itemsBefore }, after) => {
      assert.deepStrictEqual(after.slice(0, itemsBefore.length), itemsBefore)
      assert.deepStrictEqual(withoutIds(after.slice(itemsBefore.length)), incoming)
    }
  )

/** D3.5: APPEND is refused exactly if a key already exists. The refusal names the first such key. */
export const appendRefusesWhatIsThere = (append: Strategy): Law.Law =>
  Law.make(
    "D3.5 APPEND is refused exactly when a key is there already, and names the first such",
    meetings,
    ({ incoming, itemsBefore }) => {
      const keys = new Set(itemsBefore.map(keyOf))
      const clash = incoming.find((item) => keys.has(keyOf(item)))
      const refusal = Result.match(append.apply(itemsBefore, incoming), {
        onSuccess: () => undefined,
        onFailure: ({ message }) => message
      })
      const isNamed = clash && clash.lpn === "" && clash.identifier !== ""
        ? `identifier=${clash.identifier}`
        : `lpn=${clash?.lpn}`
      const expected = clash && `DUPLICATE_ORDER_ITEM_KEY: ${isNamed}, sku=${clash.sku}`
      assert.deepStrictEqual(refusal, expected)
    },
    150,
    Law.brief
  )

/** APPEND and then DELETE of the same items restores the earlier items. */
export const appendThenDelete = (append: Strategy, remove: Strategy): Law.Law =>
  ofAccepted(
    "APPEND then DELETE of the same items is identity on items",
    append,
    ({ incoming, itemsBefore }, items) =>
      assert.deepStrictEqual(itemsAfter(remove, { itemsBefore: items, incoming }), itemsBefore)
  )

/** The guarantees of APPEND. */
export const append = (strategy: Strategy): ReadonlyArray<Law.Law> => [
  appendKeeps(strategy),
  appendRefusesWhatIsThere(strategy)
]

/** D3.6: MERGE keeps the present value if the incoming value is `""`, 0, `false` or `[]`, and takes every other incoming value. */
export const mergeClearsNothing = (merge: Strategy): Law.Law =>
  ofAccepted(
    "D3.6 MERGE clears nothing on \"\", 0, false or [], and takes everything else",
    merge,
    ({ incoming, itemsBefore }, after) => {
      const byKey = new Map(incoming.map((item) => [keyOf(item), item]))
      for (const [index, before] of itemsBefore.entries()) {
        const item = byKey.get(keyOf(before))
        for (const name of orderItemFieldNames) {
          const isKept = item === undefined || saysNothing(item[name])
          assert.deepStrictEqual(after[index]![name], isKept ? before[name] : item[name], name)
        }
      }
    }
  )

/** D3.6: MERGE keeps the ids of matching items, lists each of them once, and creates the other items, in the order of the request. */
export const mergeMatchesByKey = (merge: Strategy): Law.Law =>
  ofAccepted(
    "D3.6 MERGE lists every matched item once, with its id, and creates the others as given, in request order",
    merge,
    ({ incoming, itemsBefore }, _, { created, removed, updated }) => {
      const ids = new Map(itemsBefore.map((item) => [keyOf(item), item.id]))
      assert.deepStrictEqual(created, incoming.filter((item) => !ids.has(keyOf(item))))
      assert.deepStrictEqual(
        updated.map(({ id }) => id),
        incoming.flatMap((item) => ids.get(keyOf(item)) ?? [])
      )
      assert.deepStrictEqual(removed, [])
    }
  )

/** The guarantees of MERGE. */
export const merge = (strategy: Strategy): ReadonlyArray<Law.Law> => [
  mergeClearsNothing(strategy),
  mergeMatchesByKey(strategy),
  isIdempotent(strategy)
]

/** WIRE.md, item strategies: DELETE leaves exactly the items that are not named, and refuses nothing. */
export const deleteLeavesTheOthers = (remove: Strategy): Law.Law =>
  Law.make(
    "WIRE.md DELETE leaves exactly the items that are not named",
    meetings,
    (meeting) => {
      const keys = new Set(meeting.incoming.map(keyOf))
      assert.deepStrictEqual(
        itemsAfter(remove, meeting),
        meeting.itemsBefore.filter((item) => !keys.has(keyOf(item)))
      )
    },
    150,
    Law.brief
  )

/** The guarantees of DELETE. */
export const remove = (strategy: Strategy): ReadonlyArray<Law.Law> => [
  deleteLeavesTheOthers(strategy),
  isIdempotent(strategy)
]

/** WIRE.md, item strategies: the result of OVERWRITE does not depend on the existing items. */
export const overwriteForgets = (overwrite: Strategy): Law.Law =>
  Law.make(
    "WIRE.md OVERWRITE does not depend on what was there",
    fc.tuple(meetings, storedItems),
    ([{ incoming, itemsBefore }, other]) => {
      const after = itemsAfter(overwrite, { itemsBefore, incoming })
      assert.deepStrictEqual(itemsAfter(overwrite, { itemsBefore: other, incoming }), after)
      assert.deepStrictEqual(after && withoutIds(after), incoming)
    },
    150,
    Law.brief
  )

/** WIRE.md, item strategies: OVERWRITE removes every existing item and creates every incoming item. */
export const overwriteMakesAnew = (overwrite: Strategy): Law.Law =>
  ofAccepted(
    "WIRE.md OVERWRITE removes every item and makes new ones",
    overwrite,
    ({ incoming, itemsBefore }, _, changes) =>
      assert.deepStrictEqual(changes, { created: incoming, updated: [], removed: itemsBefore })
  )

/** The guarantees of OVERWRITE. */
export const overwrite = (strategy: Strategy): ReadonlyArray<Law.Law> => [
  overwriteForgets(strategy),
  overwriteMakesAnew(strategy)
]

/** The guarantees of the four strategies of the wire contract. */
export const wireStrategies = (strategies: NamedStrategies = defaultStrategies): ReadonlyArray<Law.Law> => {
  const [appending, merging, deleting, overwriting] = ["APPEND", "MERGE", "DELETE", "OVERWRITE"].map(
    (name) => strategies[name]!
  ) as [Strategy, Strategy, Strategy, Strategy]
  return [
    ...append(appending),
    ...merge(merging),
    ...remove(deleting),
    ...overwrite(overwriting),
    appendThenDelete(appending, deleting)
  ]
}
