/**
 * The decision of document intake, whole and pure: `decide(document, snapshot)` says what changes, `outcome` says
 * what the client is told and what is there afterwards.
 *
 * Guarantee: no clock, no ids, no I/O. The store loads the snapshot under locks, `decide` plans, the store applies
 * the plan, all in one transaction, so every rule of intake can be tested without a database (WIRE.md, D3).
 */
import { Result } from "effect"
import type { Place } from "../places/Place.ts"
import { orderFieldNames } from "../shipment/Order.ts"
import type { Order, OrderDraft, OrderHeader } from "../shipment/Order.ts"
import { itemKey } from "../shipment/OrderItem.ts"
import type { OrderItem, OrderItemDraft } from "../shipment/OrderItem.ts"
import { mergeAdditionalFields } from "../shipment/Shipment.ts"
import type { Dock, Shipment, ShipmentDraft, ShipmentHeader } from "../shipment/Shipment.ts"
import {
  BusinessNotFound,
  DuplicateItemInRequest,
  DuplicateOrderInRequest,
  FacilityNotFound,
  ShipmentConflict,
  ShipmentTooLarge,
  UnknownDock
} from "../values/Errors.ts"
import type { DuplicateOrderItemKey } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { Document, DocumentOrder } from "./Document.ts"
import * as Remap from "./Remap.ts"
import * as ShipmentSize from "./ShipmentSize.ts"
import { defaultStrategies, noItemChanges, overlay } from "./Strategy.ts"
import type { ItemChanges, Strategy } from "./Strategy.ts"

/** Everything a decision depends on, as it is under the locks of the transaction. */
export interface Snapshot {
  readonly now: Timestamp
  /** `null` when there is no such business. */
  readonly business: Place | null
  /** `null` when the business has no such facility. */
  readonly facility: Place | null
  /** The dock of the document's `dockSlug`; `null` when it names none or an unknown one. */
  readonly dock: Dock | null
  /** The shipment of the document's shipment number with all its orders; `null` when there is none yet. */
  readonly target: Shipment | null
  /**
   * Orders with one of the document's order numbers on other shipments of the facility. A store may leave out those that
   * remapping would not choose.
   */
  readonly candidates: ReadonlyArray<Remap.Candidate>
}

/** What becomes of the target shipment. */
export type ShipmentChange =
  | { readonly _tag: "Create"; readonly shipment: ShipmentDraft }
  | { readonly _tag: "Update"; readonly shipment: ShipmentHeader; readonly changed: boolean }

/** What becomes of one order of the document, and of its items. */
export interface OrderChange {
  readonly order:
    | { readonly _tag: "Create"; readonly order: OrderDraft }
    | {
      readonly _tag: "Update"
      readonly order: OrderHeader
      readonly changed: boolean
      /** The shipment the order leaves, when it is remapped. */
      readonly remappedFrom: number | null
    }
  /** The items before the change, in id order. */
  readonly stored: ReadonlyArray<OrderItem>
  readonly items: ItemChanges
}

/** What a document does, ready to be applied as it stands. */
export interface Plan {
  readonly shipment: ShipmentChange
  /** In document order. */
  readonly orders: ReadonlyArray<OrderChange>
  /** Orders of the target that the document does not name: they stay as they are. */
  readonly untouched: ReadonlyArray<Order>
}

/** Why a document is refused once its content is known to be well-formed. */
export type DecisionError =
  | BusinessNotFound
  | FacilityNotFound
  | UnknownDock
  | DuplicateOrderInRequest
  | DuplicateItemInRequest
  | DuplicateOrderItemKey
  | ShipmentConflict
  | ShipmentTooLarge

/**
 * Decides what a document does to the snapshot.
 *
 * Checks in the order of D3.9: unknown business or facility, unknown dock, then conflicts: duplicates within the
 * request, the shipment's direction, the strategy's own, a departed shipment, one that would grow too large.
 */
export const decide = (
  document: Document,
  snapshot: Snapshot,
  strategies: Readonly<Record<string, Strategy>> = defaultStrategies
): Result.Result<Plan, DecisionError> => {
  const refusal = refuse(document, snapshot)
  if (refusal !== undefined) return Result.fail(refusal)
  const target = snapshot.target
  const existing = existingOrders(snapshot)
  const orders: Array<OrderChange> = []
  for (const given of document.orders) {
    const change = decideOrder(given, document.direction, existing, strategies[given.strategy]!)
    if (Result.isFailure(change)) return Result.fail(change.failure)
    orders.push(change.success)
  }
  const named = new Set(document.orders.map((order) => order.orderNumber))
  const plan: Plan = {
    shipment: decideShipment(document, snapshot),
    orders,
    untouched: target === null ? [] : target.orders.filter((order) => !named.has(order.number))
  }
  // A departed shipment is final (D3.2); a document that changes nothing of it is still answered.
  if (target !== null && target.status === "DEPARTED" && changesAnything(plan)) {
    return Result.fail(new ShipmentConflict({ shipmentNumber: target.number, reason: "DEPARTED" }))
  }
  return ShipmentSize.growsTooLarge(sizeAfter(plan), () => sizeBefore(target))
    ? Result.fail(new ShipmentTooLarge({ shipmentNumber: document.shipmentNumber, ...ShipmentSize.limits }))
    : Result.succeed(plan)
}

const sizeBefore = (target: Shipment | null): ShipmentSize.Size =>
  target === null
    ? { items: 0, text: 0 }
    : ShipmentSize.sizeOf(target, target.orders.map(({ items }) => items))

const sizeAfter = ({ orders, shipment, untouched }: Plan): ShipmentSize.Size =>
  ShipmentSize.sizeOf(shipment.shipment, [
    ...untouched.map(({ items }) => items),
    ...orders.flatMap((change) => [itemsKept(change), change.items.updated, change.items.created])
  ])

/** The items that a change neither removes nor updates. */
const itemsKept = ({ stored, items }: OrderChange): ReadonlyArray<OrderItem> => {
  const gone = new Set([...items.removed, ...items.updated].map(({ id }) => id))
  return stored.filter(({ id }) => !gone.has(id))
}

const refuse = (document: Document, snapshot: Snapshot): DecisionError | undefined => {
  const { business, facility } = document
  if (snapshot.business === null) return new BusinessNotFound({ business })
  if (snapshot.facility === null) return new FacilityNotFound({ business, facility })
  if (document.dockSlug !== "" && snapshot.dock === null) {
    return new UnknownDock({ dockSlug: document.dockSlug, facility })
  }
  const duplicate = findDuplicate(document)
  if (duplicate !== undefined) return duplicate
  if (snapshot.target !== null && snapshot.target.direction !== document.direction) {
    return new ShipmentConflict({ shipmentNumber: document.shipmentNumber, reason: "DIRECTION" })
  }
  return undefined
}

/** No order number twice, and no lpn + sku twice over all orders of the document together (D2.1, D3.5). */
const findDuplicate = (document: Document): DuplicateOrderInRequest | DuplicateItemInRequest | undefined => {
  const orderNumbers = new Set<string>()
  const itemKeys = new Set<string>()
  for (const { orderNumber, items } of document.orders) {
    if (orderNumbers.has(orderNumber)) return new DuplicateOrderInRequest({ orderNumber })
    orderNumbers.add(orderNumber)
    for (const item of items) {
      const key = itemKey(item)
      if (itemKeys.has(key)) return new DuplicateItemInRequest({ lpn: item.lpn, sku: item.sku })
      itemKeys.add(key)
    }
  }
  return undefined
}

const decideShipment = (document: Document, snapshot: Snapshot): ShipmentChange => {
  const { target, now } = snapshot
  if (target === null) {
    return {
      _tag: "Create",
      shipment: {
        number: document.shipmentNumber,
        status: "SCHEDULED",
        direction: document.direction,
        scheduledAt: now,
        arrivedAt: null,
        departedAt: null,
        linkedShipmentIds: [],
        expectedArrivalAt: document.expectedArrivalAt ?? now,
        trailerNumber: document.trailerNumber,
        carrier: document.carrier,
        dock: snapshot.dock,
        additionalFields: mergeAdditionalFields([], document.additionalFields)
      }
    }
  }
  const { orders: _, ...stored } = target
  const given = {
    expectedArrivalAt: document.expectedArrivalAt ?? "",
    trailerNumber: document.trailerNumber,
    carrier: document.carrier
  }
  const additionalFields = mergeAdditionalFields(stored.additionalFields, document.additionalFields)
  const dock = snapshot.dock === null || snapshot.dock.id === stored.dock?.id ? stored.dock : snapshot.dock
  const overlaid = overlay<ShipmentHeader>(stored, given, ["expectedArrivalAt", "trailerNumber", "carrier"])
  const changed = overlaid !== stored || additionalFields !== stored.additionalFields || dock !== stored.dock
  return { _tag: "Update", shipment: changed ? { ...overlaid, additionalFields, dock } : stored, changed }
}

/** What there is of each order number, found once for all orders of a document. */
interface ExistingOrders {
  readonly onTarget: ReadonlyMap<string, Order>
  readonly candidates: ReadonlyMap<string, ReadonlyArray<Remap.Candidate>>
}

const existingOrders = ({ target, candidates }: Snapshot): ExistingOrders => ({
  onTarget: new Map(target?.orders.map((order) => [order.number, order])),
  candidates: Map.groupBy(candidates, ({ order }) => order.number)
})

const decideOrder = (
  given: DocumentOrder,
  direction: string,
  existing: ExistingOrders,
  strategy: Strategy
): Result.Result<OrderChange, DuplicateOrderItemKey> => {
  const onTarget = existing.onTarget.get(given.orderNumber)
  const remapped = onTarget === undefined
    ? Remap.choose(existing.candidates.get(given.orderNumber) ?? [], given.orderNumber, direction)
    : undefined
  const matched = onTarget ?? remapped?.order
  const stored = matched?.items ?? []
  const items = given.items.length === 0 ? Result.succeed(noItemChanges) : strategy.apply(stored, given.items)
  return Result.map(items, (changes) => ({
    order: matched === undefined
      ? { _tag: "Create", order: draftOrder(given, direction) }
      : updateOrder(matched, given, remapped?.shipmentId ?? null),
    stored,
    items: changes
  }))
}

const draftOrder = (given: DocumentOrder, direction: string): OrderDraft => ({
  ...given.fields,
  number: given.orderNumber,
  status: "CREATED",
  direction
})

const updateOrder = (
  matched: Order,
  given: DocumentOrder,
  remappedFrom: number | null
): OrderChange["order"] => {
  const { items: _, ...stored } = matched
  const order = overlay<OrderHeader>(stored, given.fields, orderFieldNames)
  return { _tag: "Update", order, changed: order !== stored, remappedFrom }
}

/** The items of a change that have to be written: matched ones that came out as they were are left alone. */
export const changedItems = (change: OrderChange): ReadonlyArray<OrderItem> => {
  const before = new Map(change.stored.map((item) => [item.id, item]))
  return change.items.updated.filter((item) => before.get(item.id) !== item)
}

/** Whether applying the plan writes anything at all. */
export const changesAnything = (plan: Plan): boolean =>
  plan.shipment._tag === "Create" ||
  plan.shipment.changed ||
  plan.orders.some((change) =>
    change.order._tag === "Create" ||
    change.order.changed ||
    change.order.remappedFrom !== null ||
    change.items.created.length > 0 ||
    change.items.removed.length > 0 ||
    changedItems(change).length > 0
  )

/** Items to create, over all orders of the plan, in document order. */
export const createdItems = (plan: Plan): ReadonlyArray<OrderItemDraft> =>
  plan.orders.flatMap((change) => change.items.created)
