/**
 * Generators of situations: a document, and the state in which it is decided. They include states that our own interface cannot produce,
 * such as several orders with the same number that could all be remapped.
 */
import type { Document } from "@dockline/core/document/Document"
import type { Candidate, Snapshot } from "@dockline/core/document/Plan"
import { defaultStrategies } from "@dockline/core/document/Strategy"
import type { Order, OrderItem, OrderItemDraft } from "@dockline/core/shipment/Shipment"
import { emptyOrderFields, emptyShipmentFields } from "@dockline/core/shipment/Shipment"
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

/** The shipment of an order that is not on the shipment of a document. */
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

/** Gives every order and every item of a snapshot a unique id, in ascending order. */
const withIds = (orders: ReadonlyArray<Order>, firstId: number): ReadonlyArray<Order> =>
  orders.map((order, index) => ({
    ...order,
    id: String(firstId + index),
    items: order.items.map((item, position) => ({ ...item, id: String((firstId + index) * 100 + position) }))
  }))

/** Snapshots with or without an outbound shipment S1, and with orders on other shipments, some of which have the same number. */
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

/** Which items of a document get the keys of stored items. */
const matches = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })

/** Makes the function that gives some items the keys of stored items. */
const naming =
  (items: ReadonlyArray<OrderItem>, matches: ReadonlyArray<boolean>) =>
  (item: OrderItemDraft, index: number): OrderItemDraft => {
    const { identifier, lpn, sku } = items[index] ?? item
    if (!matches[index]) return item
    return { ...item, lpn, sku, identifier: lpn === "" ? identifier : item.identifier }
  }

/** The stored items, as items of a document. */
const namesOf = (items: ReadonlyArray<OrderItem>): ReadonlyArray<OrderItemDraft> =>
  items.map((item) => without(item, "id"))

/** Makes the function that tests whether the key of an item is new in a document. */
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

/** Makes a document that repeats the state: it has no fields of the shipment, and the present items of each existing order. */
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
 * Situations with documents for the outbound shipment S1 of acme's east hub. Half of the items have the keys of existing items, all
 * strategies are equally frequent, and one in six documents repeats most of the state.
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

/** The items of an order, and the items of a document that is applied to the order. */
export interface Meeting {
  readonly itemsBefore: ReadonlyArray<OrderItem>
  /** At least one; without duplicate keys. */
  readonly incoming: ReadonlyArray<OrderItemDraft>
}

/** Meetings in which about half of the incoming items have the keys of existing items. */
export const meetings: fc.Arbitrary<Meeting> = fc
  .tuple(storedItems, incomingItems, matches)
  .map(([itemsBefore, incoming, matches]) => ({
    itemsBefore,
    incoming: incoming.map(naming(itemsBefore, matches)).filter(distinctKeys()(0))
  }))

/** Ids whose greatest is not the last in the order of texts, and is the same floating-point number as another id. */
const ids = ["9", "10", "11", "100", "9007199254740992", "9007199254740993"]

/** Orders on other shipments, of either direction and any status. Some were created at the same time. Each has a unique id. */
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

/** The number and the direction of an order that a document may name. */
export const orderKeys: fc.Arbitrary<{ readonly orderNumber: string; readonly direction: string }> = fc
  .record({
    orderNumber: fc.constantFrom("O1", "O2"),
    direction: Generators.directions
  })
