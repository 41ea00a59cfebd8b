/**
 * Laws of the answer to a document: its lists of created, updated and removed entities, and its shipment (WIRE.md, processing rules and
 * reference rules; D3.4, D4.1).
 *
 * Each law has the decision, and optionally the answer, as parameters, so that it can check a rule of your own or a mutant.
 */
import type { Outcome } from "@dockline/core/document/Outcome"
import { compareIds } from "@dockline/core/document/Plan"
import type { Order, OrderItem } from "@dockline/core/shipment/Shipment"
import * as assert from "../Assert.ts"
import type { Law } from "../Law.ts"
import { entitiesOf, everyDecision, ordersOf, shipmentAfter } from "./DecisionLaws.ts"
import type { Decide, DecisionLaw, DecisionOptions } from "./DecisionLaws.ts"

/** D3.4: `created` lists the entities that the plan creates, in document order. */
export const createdIsWhatIsPlanned = everyDecision(
  "D3.4 created is exactly what the plan creates, in document order",
  ({ plan, result }) => {
    const expected = [
      ...(plan.shipment._tag === "Create" ? ["SHIPMENT"] : []),
      ...plan.orders.flatMap((change) => [
        ...(change.order._tag === "Create" ? ["ORDER"] : []),
        ...change.items.created.map(() => "ORDER_ITEM")
      ])
    ]
    assert.deepStrictEqual(result.created.map(({ type }) => type), expected)
  }
)

/**
 * D3.4: `created` lists exactly the new entities, so that the answer is 201 exactly when something was created. `removed` lists exactly the
 * entities that no longer exist, and `updated` only entities that existed before and still exist.
 */
export const createdIsWhatIsNew = everyDecision(
  "D3.4 201 exactly when something was created: created holds what was not there before, removed what is gone",
  ({ result, snapshot }) => {
    const before = entitiesOf(snapshot.target, ordersOf(snapshot))
    const after = entitiesOf(result.shipment, [
      ...result.shipment.orders,
      ...snapshot.candidates.map(({ order }) => order).filter(({ id }) =>
        result.shipment.orders.every((order) => order.id !== id)
      )
    ])
    const namesOf = (references: Outcome["created"]) => references.map(({ id, type }) => `${type} ${id}`)
    assert.sameMembers(namesOf(result.created), after.filter((each) => !before.includes(each)))
    assert.sameMembers(namesOf(result.removed), before.filter((each) => !after.includes(each)))
    for (const each of namesOf(result.updated)) {
      assert.include(before, each)
      assert.include(after, each)
    }
  }
)

/** D3.4: a matched shipment and a matched or remapped order are in `updated`, changed or not. */
export const updatedNamesWhatMatched = everyDecision(
  "D3.4 a matched shipment and a matched or remapped order are always in updated",
  ({ document, plan, result, snapshot }) => {
    const updated = result.updated
      .filter(({ type }) => type !== "ORDER_ITEM")
      .map(({ type, reference }) => [type, reference])
    const matches = document.orders.filter((_, index) => plan.orders[index]!.order._tag === "Update")
    assert.deepStrictEqual(updated, [
      ...(snapshot.target === null ? [] : [["SHIPMENT", "S1"]]),
      ...matches.map(({ orderNumber }) => ["ORDER", orderNumber])
    ])
  }
)

/** WIRE.md, reference rules: created and updated entities have their new references, removed entities their old references. */
export const referencesFollowTheRules = everyDecision(
  "WIRE.md references follow the rules, created and updated ones as things are afterwards",
  ({ result, snapshot }) => {
    const itemsById = (orders: ReadonlyArray<Order>) =>
      new Map(orders.flatMap(({ items }) => items.map((item) => [item.id, item] as const)))
    const check = (references: Outcome["created"], items: ReadonlyMap<string, OrderItem>): void => {
      for (const { type, id, reference } of references) {
        if (type === "SHIPMENT") assert.deepStrictEqual([id, reference], ["1", "S1"])
        else if (type === "ORDER") {
          assert.strictEqual(result.shipment.orders.find((order) => order.id === id)!.number, reference)
        } else {
          const { identifier, lpn, sku } = items.get(id)!
          assert.strictEqual(reference, identifier !== "" ? identifier : lpn !== "" ? lpn : sku)
        }
      }
    }
    const after = itemsById(result.shipment.orders)
    check(result.created, after)
    check(result.updated, after)
    check(result.removed, itemsById(ordersOf(snapshot)))
  }
)

/** D3.4: no entity is listed twice, and removed entities are in id order. */
export const nothingIsNamedTwice = everyDecision(
  "D3.4 created, updated and removed name nothing twice, and removed is in id order",
  ({ result }) => {
    const all = [...result.created, ...result.updated, ...result.removed].map(({ type, id }) =>
      `${type} ${id}`
    )
    assert.strictEqual(new Set(all).size, all.length)
    const removed = result.removed.map(({ id }) => id)
    assert.deepStrictEqual(removed, removed.toSorted(compareIds))
  },
  // More runs, because documents that remove items from two orders are rare.
  400
)

/** D4.1: orders and items are in id order. */
export const idsAreInOrder = everyDecision("D4.1 orders and items are in id order", ({ result }) => {
  for (const list of [result.shipment.orders, ...result.shipment.orders.map(({ items }) => items)]) {
    const ids = list.map(({ id }) => id)
    assert.deepStrictEqual(ids, ids.toSorted(compareIds))
  }
})

/** Applying the plan to the earlier state gives the state in the answer. */
export const applyingGivesTheAnswer = everyDecision(
  "the plan, applied to what was there, gives the shipment of the answer",
  ({ plan, result, snapshot }) => assert.deepStrictEqual(shipmentAfter(snapshot, plan), result.shipment)
)

const all: ReadonlyArray<DecisionLaw> = [
  createdIsWhatIsPlanned,
  createdIsWhatIsNew,
  updatedNamesWhatMatched,
  referencesFollowTheRules,
  nothingIsNamedTwice,
  idsAreInOrder,
  applyingGivesTheAnswer
]

/** All laws of the answer. `options.strategies` are the strategies that `decide` supports; by default all four. */
export const everyLaw = (decide: Decide, options?: DecisionOptions): ReadonlyArray<Law> =>
  all.map((law) => law(decide, options))
