/**
 * Generated situations: a document, and the state in which it is decided. They include states that our own interface cannot produce, such
 * as several orders with the same number, each of which could be remapped.
 */
import type { Document } from "@dockline/core/document/Document"
import type { Snapshot } from "@dockline/core/document/Plan"
import type { Candidate } from "@dockline/core/document/Remap"
import { defaultStrategies } from "@dockline/core/document/Strategy"
import type { OrderItem, OrderItemDraft } from "@dockline/core/shipment/OrderItem"
import { emptyOrderFields, emptyShipmentFields } from "@dockline/core/shipment/Shipment"
import type { Order } from "@dockline/core/shipment/Shipment"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { shipmentStatuses } from "@dockline/core/values/Vocabulary"
import * as fc from "fast-check"
import * as Generators from "./Generators.ts"
import {
  documentsWith,
  incomingItems,
  keyInDocument,
  storedItems,
  storedOrders,
  storedShipments
} from "./Generators.ts"
import type { DocumentOptions } from "./Generators.ts"
import { aCandidate, anOrder, aSnapshot, without } from "./Given.ts"

/** The place of an order that is not on the shipment of a document. */
const elsewhere = fc.record({
  createdAt: fc.constantFrom(
    Timestamp.of("2026-11-18T00:00:00.000Z"),
    Timestamp.of("2026-11-19T00:00:00.000Z")
  ),
  shipmentStatus: fc.constantFrom("SCHEDULED" as const, "SCHEDULED" as const, ...shipmentStatuses),
  shipmentIsLinked: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 3)
})

/** The dock D1 of the facility. */
const d1 = { id: 3, slug: "D1" }

/** Gives every order and every item of a snapshot an id of its own, in their order. */
const withIds = (orders: ReadonlyArray<Order>, firstId: number): ReadonlyArray<Order> =>
  orders.map((order, index) => ({
    ...order,
    id: String(firstId + index),
    items: order.items.map((item, position) => ({ ...item, id: String((firstId + index) * 100 + position) }))
  }))

/** Snapshots of an outbound shipment S1 or none, and of orders elsewhere, some of which have the same number. */
export const snapshots: fc.Arbitrary<Snapshot> = fc
  .tuple(
    fc.option(storedShipments),
    fc.array(fc.tuple(storedOrders, Generators.directions, elsewhere), { maxLength: 6 })
  )
  .map(([target, candidates]) => {
    const orders = withIds(candidates.map(([order, direction]) => ({ ...order, direction })), 7)
    return aSnapshot({
      dock: d1,
      target: target === null ? null : { ...target, orders: withIds(target.orders, 95) },
      candidates: candidates.map(([, , shipment], index) => ({
        ...shipment,
        order: orders[index]!,
        shipmentId: 50 + index
      }))
    })
  })

/** Which items of a document have the keys of stored ones. */
const matches = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })

/** The items of a list, some of them with the keys of stored ones. */
const naming =
  (items: ReadonlyArray<OrderItem>, matches: ReadonlyArray<boolean>) =>
  (item: OrderItemDraft, index: number): OrderItemDraft => {
    const { identifier, lpn, sku } = items[index] ?? item
    if (!matches[index]) return item
    return { ...item, lpn, sku, identifier: lpn === "" ? identifier : item.identifier }
  }

/** Items with the keys of stored ones, as in a document. */
const namesOf = (items: ReadonlyArray<OrderItem>): ReadonlyArray<OrderItemDraft> =>
  items.map((item) => without(item, "id"))

/** Whether an item's key is new in a document. */
const distinctKeys = () => {
  const keys = new Set<string>()
  return (order: number) => (item: OrderItemDraft): boolean => {
    const key = keyInDocument(item, order)
    return !keys.has(key) && keys.add(key).size > 0
  }
}

/** A document, and the state in which it is decided. */
export interface Situation {
  readonly document: Document
  readonly snapshot: Snapshot
}

/** A document without any news: it has nothing about the shipment, and, for each existing order, its present items. */
const repeating = ({ document, snapshot }: Situation): Situation => {
  const there = new Map(snapshot.target?.orders.map(({ number, items }) => [number, namesOf(items)]))
  return {
    document: {
      ...document,
      ...emptyShipmentFields,
      expectedArrivalAt: null,
      dockSlug: "",
      additionalFields: [],
      orders: document.orders.map((order) => ({
        ...order,
        fields: emptyOrderFields,
        items: order.strategy === "MERGE" ? there.get(order.orderNumber) ?? order.items : []
      }))
    },
    snapshot
  }
}

/** The snapshot that a storage loads for a document: with its dock, if the document names one. */
const forDocument = ({ document, snapshot }: Situation): Situation => ({
  document,
  snapshot: { ...snapshot, dock: document.dockSlug === "" ? null : snapshot.dock }
})

/**
 * Situations of documents for the outbound shipment S1 of acme's east hub; half of their items have the keys of existing items, all
 * strategies are equally frequent, and one in six documents contains little that is new.
 */
export const situations = (options: DocumentOptions = {}): fc.Arbitrary<Situation> => {
  const { strategies = defaultStrategies } = options
  const names = fc.array(fc.constantFrom(...Object.keys(strategies)), { minLength: 3, maxLength: 3 })
  return fc
    .tuple(documentsWith(options), snapshots, matches, names, fc.nat(5))
    .map(([document, snapshot, matches, names, draw]) => {
      const isNew = distinctKeys()
      const there = [...(snapshot.target?.orders ?? []), ...snapshot.candidates.map(({ order }) => order)]
      const orders = document.orders.map((order, index) => {
        const itemsBefore = there.find(({ number }) => number === order.orderNumber)?.items ?? []
        const drafts = order.items.length === 0 && matches[index] ? namesOf(itemsBefore) : order.items
        const items = drafts.map(naming(itemsBefore, matches)).filter(isNew(index))
        return { ...order, strategy: names[index]!, items }
      })
      const situation: Situation = {
        document: { ...document, direction: "OUTBOUND", facility: "east", shipmentNumber: "S1", orders },
        snapshot
      }
      return forDocument(draw === 5 ? repeating(situation) : situation)
    })
}

/** The items of an order, and those of a document that is applied to it. */
export interface Meeting {
  readonly itemsBefore: ReadonlyArray<OrderItem>
  /** At least one; without duplicate keys. */
  readonly incoming: ReadonlyArray<OrderItemDraft>
}

/** Meetings in which a document names every other existing item. */
export const meetings: fc.Arbitrary<Meeting> = fc
  .tuple(storedItems, incomingItems, matches)
  .map(([itemsBefore, incoming, matches]) => ({
    itemsBefore,
    incoming: incoming.map(naming(itemsBefore, matches)).filter(distinctKeys()(0))
  }))

/** Ids whose greatest is neither the last one as text nor, as a floating-point number, different from its neighbour. */
const ids = ["9", "10", "11", "100", "9007199254740992", "9007199254740993"]

/** Orders on other shipments, of either direction and any status, some created at the same time; each has an id of its own. */
export const candidates: fc.Arbitrary<ReadonlyArray<Candidate>> = fc
  .tuple(
    fc.array(
      fc.tuple(fc.constantFrom("O1", "O1", "O1", "O2", "o1"), Generators.directions, elsewhere),
      { maxLength: ids.length }
    ),
    fc.shuffledSubarray(ids, { minLength: ids.length })
  )
  .map(([orderFields, ids]) =>
    orderFields.map(([number, direction, shipment], index) =>
      aCandidate(anOrder(ids[index]!, number, [], { direction }), { ...shipment, shipmentId: 50 + index })
    )
  )

/** An order that a document may mean: its number and its direction. */
export const orderKeys: fc.Arbitrary<{ readonly orderNumber: string; readonly direction: string }> = fc
  .record({
    orderNumber: fc.constantFrom("O1", "O2"),
    direction: Generators.directions
  })
