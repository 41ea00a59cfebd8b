/**
 * Laws of the decision about a document: its effect on the present state, and its refusal (WIRE.md, processing rules; D3). The expected
 * refusals of documents after reading follow D3.9. The laws of the client's answer are in `AnswerLaws.ts`.
 *
 * Each law is a function of the decision, so that it can check your own rule, or a mutant. It checks accepted documents, each with its plan,
 * its answer, and the shipment after the plan.
 */
import type { DecisionRefusal, Document } from "@dockline/core/document/Document"
import { outcome } from "@dockline/core/document/Outcome"
import type { Outcome } from "@dockline/core/document/Outcome"
import { changesAnything, drawIds, evolve } from "@dockline/core/document/Plan"
import type { Before, NewIds, Plan, Snapshot } from "@dockline/core/document/Plan"
import { defaultStrategies } from "@dockline/core/document/Strategy"
import type { Strategy } from "@dockline/core/document/Strategy"
import type { Order, OrderItem, OrderItemDraft, ShipmentAfter } from "@dockline/core/shipment/Shipment"
import { orderFieldNames } from "@dockline/core/shipment/Shipment"
import { Result } from "effect"
import * as fc from "fast-check"
import * as assert from "../Assert.ts"
import type { DocumentOptions, NamedStrategies } from "../generators/Generators.ts"
import {
  documentsWith,
  keyInDocument,
  keysAreUnique,
  rawDocuments,
  read,
  saysNothing
} from "../generators/Generators.ts"
import { without } from "../generators/Given.ts"
import { situations, snapshots } from "../generators/Situations.ts"
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
const outcomeAfter = (
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

/** The shipment after a plan. A new shipment has the id 1; the ids of new orders and items are above all ids in generated snapshots. */
export const shipmentAfter = (before: Before, plan: Plan): ShipmentAfter =>
  evolve(before, plan, idsFor(plan)).shipment

/** Every document and snapshot have a decision, which is the same each time. */
export const isPure: DecisionLaw = (decide) =>
  Law.make(
    "a decision is made for every document and snapshot, and is the same each time",
    fc.tuple(rawDocuments, snapshots),
    ([raw, snapshot]) => {
      const document = read(raw)
      const copy = structuredClone({ document, snapshot })
      const [first, second] = [decide(document, snapshot), decide(copy.document, copy.snapshot)]
      if (Result.isSuccess(first)) assert.deepStrictEqual(Result.getOrThrow(second), first.success)
      else assert.strictEqual(Result.getOrThrow(Result.flip(second)).message, first.failure.message)
      assert.deepStrictEqual({ document, snapshot }, copy)
    },
    100,
    Law.brief
  )

/** D3.5: no two items of an order have the same key. */
export const keysStayUnique = everyDecision("D3.5 keys stay unique in every order", ({ result }) => {
  for (const order of result.shipment.orders) {
    assert.isTrue(keysAreUnique(order.items), `a key is there twice: ${Law.brief(order)}`)
  }
})

/** D3.3: no two orders of a shipment have the same number, and every order of the document is on it. */
export const orderNumbersStayUnique = everyDecision(
  "D3.3 order numbers stay unique on the shipment, and it holds every order of the document",
  ({ document, result }) => {
    const numbers = result.shipment.orders.map(({ number }) => number)
    assert.strictEqual(new Set(numbers).size, numbers.length)
    assert.includeMembers(numbers, document.orders.map(({ orderNumber }) => orderNumber))
  }
)

/** D3.3: a remap never takes from an arrived, departed or linked shipment. */
export const remapsOnlyFromScheduled = everyDecision(
  "D3.3 a remap never takes from an arrived, departed or linked shipment, nor when the target has the order",
  ({ plan, snapshot }) => {
    for (const { order } of plan.orders) {
      if (order._tag === "Create" || order.remappedFrom === null) continue
      const from = snapshot.candidates.find(({ shipmentId }) => shipmentId === order.remappedFrom)!
      assert.deepStrictEqual([from.shipmentStatus, from.shipmentIsLinked, from.order.id], [
        "SCHEDULED",
        false,
        order.order.id
      ])
      assert.isFalse(snapshot.target?.orders.some(({ number }) => number === order.order.number) ?? false)
    }
  }
)

/** D3.3: if there is an eligible order, the latest one is remapped. */
export const remapsTheLatest = everyDecision(
  "D3.3 of the eligible orders of a number none is later than the one that is taken, and one is if there is any",
  ({ document, plan, snapshot }) => {
    for (const { order } of plan.orders) {
      const { direction, number } = order.order
      assert.strictEqual(direction, document.direction)
      if (snapshot.target?.orders.some((each) => each.number === number)) continue
      const ages = snapshot.candidates
        .filter((each) =>
          each.order.number === number && each.order.direction === direction &&
          each.shipmentStatus === "SCHEDULED" && !each.shipmentIsLinked
        )
        .map(({ createdAt, order }) => `${createdAt} ${order.id.padStart(20, "0")} ${order.id}`)
        .sort()
      const ownId = order._tag === "Create" ? undefined : order.order.id
      assert.strictEqual(ownId, ages.at(-1)?.split(" ")[2])
    }
  }
)

/**
 * Entities that a document does not name stay unchanged. Which items of a named order are removed or changed depends on the strategy: your
 * own strategy may remove unnamed items, as `OVERWRITE` does.
 */
export const theUnnamedStays: DecisionLaw = (decide, options = {}) =>
  everyDecision(
    "what a document does not name stays: other orders, and items that the order's strategy does not touch",
    ({ document, result, snapshot }) => {
      const { strategies = defaultStrategies } = options
      const after = new Map(result.shipment.orders.map((order) => [order.id, order]))
      const byNumber = new Map(document.orders.map((order) => [order.orderNumber, order]))
      for (const order of snapshot.target?.orders ?? []) {
        if (!byNumber.has(order.number)) assert.deepStrictEqual(after.get(order.id), order)
      }
      for (const { id, items, number } of ordersOf(snapshot)) {
        const [draft, remainder] = [byNumber.get(number), after.get(id)]
        if (draft === undefined || remainder === undefined) continue
        const touchedIds = touchedBy(strategies[draft.strategy]!, items, draft.items)
        const leftById = new Map(remainder.items.map((item) => [item.id, item]))
        for (const item of items) {
          if (!touchedIds.has(item.id)) assert.deepStrictEqual(leftById.get(item.id), item)
        }
      }
    }
  )(decide, options)

/** The ids of the items that a strategy changes or removes. */
const touchedBy = (
  strategy: Strategy,
  items: ReadonlyArray<OrderItem>,
  incoming: ReadonlyArray<OrderItemDraft>
): ReadonlySet<string> => {
  if (incoming.length === 0) return new Set()
  const { removed, updated } = Result.getOrThrow(strategy.apply(items, incoming))
  return new Set([...updated, ...removed].map(({ id }) => id))
}

/** D3.5: the result of a strategy for the items of an order does not depend on other orders. */
export const strategiesArePerOrder: DecisionLaw = (decide, options = {}) =>
  everyDecision(
    "D3.5 each order's items become what its strategy makes of them",
    ({ document, plan, snapshot }) => {
      const { strategies = defaultStrategies } = options
      const itemsById = new Map(ordersOf(snapshot).map(({ id, items }) => [id, items]))
      for (const [index, { items, strategy }] of document.orders.entries()) {
        if (items.length === 0) continue
        const { items: changes, order } = plan.orders[index]!
        const before = order._tag === "Create" ? [] : itemsById.get(order.order.id)!
        assert.deepStrictEqual(changes, Result.getOrThrow(strategies[strategy]!.apply(before, items)))
      }
    }
  )(decide, options)

/** WIRE.md, processing rules: a document without items leaves the items of its order unchanged, even if the order is remapped. */
export const noItemsChangeNone = everyDecision(
  "WIRE.md rule 5: without items the items of an order stay, wherever it was",
  ({ document, plan }) => {
    for (const [index, { items }] of document.orders.entries()) {
      if (items.length === 0) {
        assert.deepStrictEqual(plan.orders[index]!.items, { created: [], updated: [], removed: [] })
      }
    }
  }
)

/** D3.7: no field of an order is cleared, and every value that is not empty replaces the earlier one. */
export const ordersClearNothing = everyDecision(
  "D3.7 nothing of an order is cleared on \"\" or 0, and everything else replaces",
  ({ document, result, snapshot }) => {
    const before = new Map(ordersOf(snapshot).map((order) => [order.id, order]))
    const fieldsByNumber = new Map(document.orders.map((order) => [order.orderNumber, order.fields]))
    for (const order of result.shipment.orders) {
      const fields = fieldsByNumber.get(order.number)
      if (fields === undefined) continue
      for (const name of orderFieldNames) {
        const old = before.get(order.id)?.[name] ?? (name === "expectedQuantity" ? 0 : "")
        assert.strictEqual(order[name], saysNothing(fields[name]) ? old : fields[name], name)
      }
    }
  }
)

/** D3.7: no field of a shipment is cleared, and every value that is not empty replaces the earlier one. */
export const shipmentsClearNothing = everyDecision(
  "D3.7 nothing of a shipment is cleared on \"\", and everything else replaces",
  ({ document, result, snapshot }) => {
    const { dock, now, target } = snapshot
    const { shipment } = result
    assert.strictEqual(shipment.carrier, document.carrier || (target?.carrier ?? ""))
    assert.strictEqual(shipment.trailerNumber, document.trailerNumber || (target?.trailerNumber ?? ""))
    assert.deepStrictEqual(shipment.dock, dock ?? target?.dock ?? null)
    assert.strictEqual(
      shipment.expectedArrivalAt,
      document.expectedArrivalAt ?? target?.expectedArrivalAt ?? now
    )
    const values = [
      ...(target?.additionalFields ?? []),
      ...document.additionalFields.filter(({ value }) => value)
    ]
    const byName = (fields: typeof values) => new Map(fields.map(({ name, value }) => [name, value]))
    assert.deepStrictEqual(byName(shipment.additionalFields.slice()), byName(values))
    assert.strictEqual(byName(values).size, shipment.additionalFields.length)
  }
)

/**
 * D3.9: a document is refused exactly for the reasons in the contract. If there are several reasons, the answer has the one that comes
 * first in the contract.
 */
export const refusesWhatItMust: DecisionLaw = (decide, options = {}) =>
  Law.make(
    "D3.9 a document is refused for what the contract names, the first of it, and for nothing else",
    refusable(options),
    ({ document, snapshot }) => {
      const code = Result.match(decide(document, snapshot), {
        onSuccess: () => undefined,
        onFailure: ({ code }) => code
      })
      assert.strictEqual(code, refusalOf(document, snapshot, options.strategies ?? defaultStrategies))
    },
    200,
    Law.brief
  )

/** D3.2: a departed shipment is final. A document that would change nothing is answered, and any other document is refused. */
export const departedIsFinal: DecisionLaw = (decide, options) =>
  Law.make(
    "D3.2 a departed shipment is answered only as it is, and refused otherwise",
    situations(options),
    ({ document, snapshot }) => {
      fc.pre(snapshot.target !== null)
      const departed: Snapshot = { ...snapshot, target: { ...snapshot.target, status: "DEPARTED" } }
      const withSchedule: Snapshot = { ...snapshot, target: { ...snapshot.target, status: "SCHEDULED" } }
      const [onDeparted, onScheduled] = [decide(document, departed), decide(document, withSchedule)]
      fc.pre(Result.isSuccess(onScheduled))
      const changes = changesAnything(onScheduled.success)
      if (Result.isSuccess(onDeparted)) {
        const after = without(outcomeAfter(departed, onDeparted.success, options).shipment, "id")
        assert.deepStrictEqual([changes, after], [false, without(departed.target!, "id")])
      } else {
        assert.deepStrictEqual([changes, onDeparted.failure.message], [
          true,
          "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DEPARTED"
        ])
      }
    },
    150,
    Law.brief
  )

/** A plan reports no change exactly if the state afterwards is the same as before. */
export const changesAreTold = everyDecision(
  "a plan changes nothing, and no version (D20.4), exactly when everything is afterwards as it was",
  ({ plan, result, snapshot }) => {
    const same = snapshot.target !== null &&
      JSON.stringify(inOrder(result.shipment)) === JSON.stringify(inOrder(snapshot.target)) &&
      plan.orders.every(({ items }) => items.created.length === 0 && items.removed.length === 0)
    assert.strictEqual(changesAnything(plan), !same)
    assert.strictEqual(result.shipment.version, (snapshot.target?.version ?? 0) + (same ? 0 : 1))
  }
)

/** A shipment without its version, with the members of the shipment and of its orders in a fixed order. */
const inOrder = (shipment: Outcome["shipment"]): unknown => {
  const { orders, version: _, ...header } = shipment
  return [Object.entries(header).sort(), orders.map((order) => Object.entries(order).sort())]
}

const all: ReadonlyArray<DecisionLaw> = [
  isPure,
  keysStayUnique,
  orderNumbersStayUnique,
  remapsOnlyFromScheduled,
  remapsTheLatest,
  theUnnamedStays,
  strategiesArePerOrder,
  noItemsChangeNone,
  ordersClearNothing,
  shipmentsClearNothing,
  refusesWhatItMust,
  departedIsFinal,
  changesAreTold
]

/** The guarantees of a decision. `options.strategies` are the strategies that `decide` knows; by default the four of the wire contract. */
export const everyLaw = (decide: Decide, options?: DecisionOptions): ReadonlyArray<Law.Law> =>
  all.map((law) => law(decide, options))

/** The missing parts of a snapshot. Mostly nothing is missing. */
const missing = fc.constantFrom<Partial<Snapshot>>(
  {},
  {},
  {},
  {},
  { dock: null },
  { facility: null, dock: null },
  { business: null, facility: null, dock: null }
)

/**
 * Situations with many reasons for refusal: missing places, orders and items that occur twice, both directions, and cancelled shipments.
 * The shipment has not departed, because another law covers departed shipments.
 */
export const refusable = (options: DocumentOptions): fc.Arbitrary<Situation> =>
  fc
    .tuple(
      fc.oneof(
        situations(options),
        fc.record({ document: documentsWith({ ...options, distinct: false }), snapshot: snapshots })
      ),
      missing
    )
    .map(([{ document, snapshot }, missing]) => {
      const { target } = snapshot
      return {
        document: { ...document, shipmentNumber: "S1" },
        snapshot: {
          ...snapshot,
          ...missing,
          target: target === null || target.status !== "DEPARTED" ? target : { ...target, status: "ARRIVED" }
        }
      }
    })

/** The code of the first duplicate in a list of names. */
const twice = (names: ReadonlyArray<readonly [code: string, name: string]>): string | undefined => {
  const clash = names.find(([code, name], index) =>
    names.slice(0, index).some((other) => other[0] === code && other[1] === name)
  )
  return clash?.[0]
}

/** The code with which a document is refused; `undefined` if it is accepted. */
export const refusalOf = (
  document: Document,
  snapshot: Snapshot,
  strategies: NamedStrategies
): string | undefined => {
  const { business, dock, facility, target } = snapshot
  if (business === null) return "BUSINESS_NOT_FOUND"
  if (facility === null) return "FACILITY_NOT_FOUND"
  if (document.dockSlug !== "" && dock === null) return "UNKNOWN_DOCK"
  const duplicate = twice(document.orders.flatMap(({ items, orderNumber }, index) => [
    ["DUPLICATE_ORDER_IN_REQUEST", orderNumber] as const,
    ...items.map((item) => ["DUPLICATE_ITEM_IN_REQUEST", keyInDocument(item, index)] as const)
  ]))
  if (duplicate !== undefined) return duplicate
  if (target?.status === "CANCELLED") return "SHIPMENT_CANCELLED"
  if (target !== null && target.direction !== document.direction) return "SHIPMENT_CONFLICT"
  for (const { items, orderNumber, strategy } of document.orders) {
    if (items.length === 0) continue
    const itemChanges = strategies[strategy]!.apply(itemsOf(orderNumber, document, snapshot), items)
    if (Result.isFailure(itemChanges)) return itemChanges.failure.code
  }
  return undefined
}

/** The present items of an order: of the order on the shipment, or else of the latest eligible order (D3.3). */
const itemsOf = (
  orderNumber: string,
  { direction }: Document,
  { candidates, target }: Snapshot
): ReadonlyArray<OrderItem> => {
  const eligible = candidates
    .filter(({ order, shipmentIsLinked, shipmentStatus }) =>
      order.number === orderNumber && order.direction === direction && shipmentStatus === "SCHEDULED" &&
      !shipmentIsLinked
    )
    .toSorted((one, other) =>
      one.createdAt < other.createdAt
        ? -1
        : one.createdAt > other.createdAt
        ? 1
        : Number(one.order.id) - Number(other.order.id)
    )
  const order = target?.orders.find(({ number }) => number === orderNumber) ?? eligible.at(-1)?.order
  return order?.items ?? []
}
