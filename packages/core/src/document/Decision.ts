/**
 * The decision of document intake as one pure function: `decide(document, snapshot)` returns all changes of a document.
 *
 * Guarantee: a decision uses no clock, creates no ids and does no I/O, so every rule of intake can be tested without a database. The store
 * loads the snapshot under locks and applies the plan in the same transaction (WIRE.md, D3).
 *
 * An order belongs to the partner of an exchange whose file wrote it first (D23.2). A document in the name of an owner changes nothing that
 * belongs to another owner: it is refused if it names an order of another owner, and leaves the fields of another owner's shipment
 * unchanged. Entities without an owner get this owner, unless the shipment has departed. A document without an owner, such as one from a
 * customer's own system, may change anything and does not change ownership.
 */
import { Result } from "effect"
import { unknownPlace } from "../places/Authorize.ts"
import { defaultReportedTimes, noteStep } from "../shipment/CheckIn.ts"
import type { CheckedIn, CheckInNote, ReportedTimeSettings } from "../shipment/CheckIn.ts"
import {
  itemKey,
  mergeAdditionalFields,
  orderFieldNames,
  shipmentFieldNames,
  takeShipmentFields
} from "../shipment/Shipment.ts"
import type {
  Order,
  OrderDraft,
  OrderHeader,
  OrderItem,
  OrderItemDraft,
  Shipment,
  ShipmentHeader
} from "../shipment/Shipment.ts"
import * as ShipmentSize from "../shipment/ShipmentSize.ts"
import {
  DuplicateItemInRequest,
  DuplicateOrderInRequest,
  InvalidRequest,
  ShipmentCancelled,
  ShipmentConflict,
  ShipmentTooLarge,
  UnknownDock
} from "../values/Errors.ts"
import type { InvalidTransition } from "../values/Errors.ts"
import type { ShipmentId } from "../values/Id.ts"
import type { PreconditionFailed } from "../values/RequestErrors.ts"
import type { CheckInStep } from "../values/Vocabulary.ts"
import type { DecisionRefusal, Document, DocumentOrder, StrategyRefusal } from "./Document.ts"
import { failureOf } from "./DocumentPrecondition.ts"
import type { DocumentPrecondition } from "./DocumentPrecondition.ts"
import { changesAnything, chooseCandidate, itemsAfter } from "./Plan.ts"
import type { OrderChange, Plan, ShipmentChange, Snapshot } from "./Plan.ts"
import { defaultStrategies, noItemChanges, overlay } from "./Strategy.ts"
import type { ItemChanges, Strategy } from "./Strategy.ts"

/**
 * Decides what a document does to the snapshot. It checks in the order of D3.9: unknown business or facility, unknown dock, then conflicts:
 * duplicates within the request, a cancelled shipment, the direction, conflicts of the strategy, a departed shipment, its size.
 */
export const decide = (
  document: Document,
  snapshot: Snapshot,
  strategies: Readonly<Record<string, Strategy>> = defaultStrategies
): Result.Result<Plan, DecisionRefusal> => {
  const refusal = refuse(document, snapshot)
  if (refusal !== undefined) return Result.fail(refusal)
  const target = snapshot.target
  const existing = existingOrders(snapshot)
  const orders: Array<OrderChange> = []
  for (const order of document.orders) {
    // The reader accepts only names of these strategies.
    const change = decideOrder(order, document.direction, existing, strategies[order.strategy]!)
    if (Result.isFailure(change)) return Result.fail(change.failure)
    orders.push(change.success)
  }
  const plan: Plan = { shipment: decideShipment(document, snapshot), orders }
  // A departed shipment is final (D3.2); a document that changes nothing of it still succeeds.
  if (target !== null && target.status === "DEPARTED" && changesAnything(plan)) {
    return Result.fail(new ShipmentConflict({ shipmentNumber: target.number, reason: "DEPARTED" }))
  }
  const sizeAfter = ShipmentSize.sizeOf(plan.shipment.shipment, itemsAfter(snapshot, plan))
  return ShipmentSize.growsTooLarge(sizeAfter, target)
    ? Result.fail(new ShipmentTooLarge({ shipmentNumber: document.shipmentNumber, ...ShipmentSize.limits }))
    : Result.succeed(plan)
}

/** The refusals that a step of a check-in adds to the refusals of a document. */
export type CheckInRefusal = InvalidTransition | InvalidRequest

/** The refusals of a document and of everything that is decided together with it. */
export type AlongsideRefusal = DecisionRefusal | CheckInRefusal | PreconditionFailed

/** The rules of a service for documents and check-ins; by default the rules of the wire contract. */
export interface DecisionRules {
  readonly strategies?: Readonly<Record<string, Strategy>>
  readonly times?: ReportedTimeSettings
}

/**
 * Decides what a document does together with a step of the check-in of its shipment, both or neither (D17.3). The step uses the dock of the
 * document.
 */
const decideWithCheckIn = (
  document: Document,
  { occurredAt, step }: CheckInNote,
  snapshot: Snapshot,
  { strategies, times = defaultReportedTimes }: DecisionRules
): Result.Result<Plan, DecisionRefusal | CheckInRefusal> =>
  Result.flatMap(
    decide(document, snapshot, strategies),
    (plan): Result.Result<Plan, DecisionRefusal | CheckInRefusal> => {
      const { dock, now, target } = snapshot
      const { number } = plan.shipment.shipment
      const { arrivedAt = null, checkIn = {}, dock: atDock = null } = target ?? {}
      const before = { number, arrivedAt, checkIn, dock: atDock }
      const result = noteStep(before, { step, occurredAt, now, dock, times })
      if (Result.isFailure(result)) return Result.fail(result.failure)
      if (result.success === before) return Result.succeed(plan)
      return target?.status === "DEPARTED"
        ? Result.fail(new ShipmentConflict({ shipmentNumber: number, reason: "DEPARTED" }))
        : Result.succeed({ ...plan, shipment: checkedIn(plan.shipment, step, result.success) })
    }
  )

/** Decides a document with its precondition, which is checked last. */
export const decideIf = (
  document: Document,
  precondition: DocumentPrecondition,
  snapshot: Snapshot,
  strategies?: DecisionRules["strategies"]
): Result.Result<Plan, DecisionRefusal | PreconditionFailed> =>
  Result.flatMap(decide(document, snapshot, strategies), (plan) => {
    const failure = failureOf(precondition, document, snapshot, plan)
    return failure === undefined ? Result.succeed(plan) : Result.fail(failure)
  })

/** Parts of a request that are decided together with its document. */
export interface Alongside {
  /** A step of the check-in of its shipment (D17.3). */
  readonly checkIn?: CheckInNote | undefined
  /** The precondition on the stored state (D20.4). */
  readonly precondition?: DocumentPrecondition | undefined
  /** The owner in whose name the document is submitted. */
  readonly owner?: string | undefined
  /**
   * Makes the items of the order at an index of the document, from the items that the stored order has at the time of the decision and the
   * items that the document names. With this function a client can describe changes of existing items instead of complete items.
   */
  readonly items?:
    | ((
      items: ReadonlyArray<OrderItem>,
      inputs: ReadonlyArray<OrderItemDraft>,
      at: number
    ) => ReadonlyArray<OrderItemDraft>)
    | undefined
}

/** Decides a document together with the other parts of its request, all or nothing. */
export const decideAlongside = (
  input: Document,
  also: Alongside,
  snapshot: Snapshot,
  rules: DecisionRules = {}
): Result.Result<Plan, AlongsideRefusal> =>
  Result.gen(function*() {
    const { checkIn, owner, precondition } = also
    const foreign = owner === undefined ? undefined : foreignOrders(input, snapshot, owner)
    if (foreign !== undefined) return yield* Result.fail(foreign)
    const document = withItems(input, also, snapshot)
    const plan = yield* checkIn === undefined
      ? decide(document, snapshot, rules.strategies)
      : decideWithCheckIn(document, checkIn, snapshot, rules)
    const failure = precondition && failureOf(precondition, document, snapshot, plan)
    if (failure !== undefined) return yield* Result.fail(failure)
    return owner === undefined ? plan : withOwner(plan, snapshot, owner)
  })

/** The document with the items that {@link Alongside.items} makes. */
const withItems = (document: Document, { items }: Alongside, snapshot: Snapshot): Document => {
  if (items === undefined) return document
  const existing = existingOrders(snapshot)
  return {
    ...document,
    orders: document.orders.map((order, at) => {
      const match = existing.onTarget.get(order.orderNumber) ??
        existing.choose(order.orderNumber, document.direction)?.order
      return { ...order, items: items(match?.items ?? [], order.items, at) }
    })
  }
}

/** Removes the client of the step, because the record of documents shows who sent the step. */
const checkedIn = (change: ShipmentChange, step: CheckInStep, { checkIn }: CheckedIn): ShipmentChange => {
  if (change._tag === "Create") return { ...change, shipment: { ...change.shipment, checkIn } }
  const { [step]: _, ...stepClients } = change.shipment.stepClients
  return { ...change, shipment: { ...change.shipment, checkIn, stepClients }, isChanged: true }
}

const refuse = (document: Document, snapshot: Snapshot): DecisionRefusal | undefined => {
  const unknown = unknownPlace(snapshot, document)
  if (unknown !== undefined) return unknown
  if (document.dockSlug !== "" && snapshot.dock === null) {
    return new UnknownDock({ dockSlug: document.dockSlug, facility: document.facility })
  }
  const duplicate = findDuplicate(document)
  if (duplicate !== undefined) return duplicate
  if (snapshot.target?.status === "CANCELLED") {
    return new ShipmentCancelled({ shipmentNumber: document.shipmentNumber })
  }
  if (snapshot.target !== null && snapshot.target.direction !== document.direction) {
    return new ShipmentConflict({ shipmentNumber: document.shipmentNumber, reason: "DIRECTION" })
  }
  return undefined
}

/**
 * No order number may appear twice, and no lpn + sku twice in all orders of the document together (D2.1, D3.5), because a pallet is in one
 * place. Items without an lpn are identified only within their order (D17.2).
 */
const findDuplicate = (document: Document): DuplicateOrderInRequest | DuplicateItemInRequest | undefined => {
  const orderNumbers = new Set<string>()
  const itemKeys = new Set<string>()
  for (const { orderNumber, items } of document.orders) {
    if (orderNumbers.has(orderNumber)) return new DuplicateOrderInRequest({ orderNumber })
    orderNumbers.add(orderNumber)
    const looseKeys = new Set<string>()
    for (const item of items) {
      const { identifier, lpn, sku } = item
      const keys = lpn === "" ? looseKeys : itemKeys
      const key = itemKey(item)
      if (keys.has(key)) return new DuplicateItemInRequest({ identifier, lpn, sku })
      keys.add(key)
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
        cancelledAt: null,
        linkedShipmentIds: [],
        checkIn: {},
        stepClients: {},
        expectedArrivalAt: document.expectedArrivalAt ?? now,
        ...takeShipmentFields(document),
        dock: snapshot.dock,
        additionalFields: mergeAdditionalFields([], document.additionalFields)
      }
    }
  }
  const { orders: _, pallets: __, ...header } = target
  const expectedArrivalAt = document.expectedArrivalAt ?? header.expectedArrivalAt
  const fields = { ...takeShipmentFields(document), expectedArrivalAt }
  const additionalFields = mergeAdditionalFields(header.additionalFields, document.additionalFields)
  const dock = snapshot.dock === null || snapshot.dock.id === header.dock?.id ? header.dock : snapshot.dock
  const overlaid = overlay<ShipmentHeader>(header, fields, [
    "expectedArrivalAt",
    ...shipmentFieldNames
  ])
  const isChanged = overlaid !== header || additionalFields !== header.additionalFields ||
    dock !== header.dock
  return { _tag: "Update", shipment: isChanged ? { ...overlaid, additionalFields, dock } : header, isChanged }
}

/** Finds existing orders by number, for all orders of a document. */
interface ExistingOrders {
  readonly onTarget: ReadonlyMap<string, Order>
  readonly choose: ReturnType<typeof chooseCandidate>
}

const existingOrders = ({ target, candidates }: Snapshot): ExistingOrders => ({
  onTarget: new Map(target?.orders.map((order) => [order.number, order])),
  choose: chooseCandidate(candidates)
})

const decideOrder = (
  order: DocumentOrder,
  direction: string,
  existing: ExistingOrders,
  strategy: Strategy
): Result.Result<OrderChange, StrategyRefusal> => {
  const onTarget = existing.onTarget.get(order.orderNumber)
  const remap = onTarget === undefined
    ? existing.choose(order.orderNumber, direction)
    : undefined
  const match = onTarget ?? remap?.order
  const itemsBefore = match?.items ?? []
  const items = order.items.length === 0
    ? Result.succeed(noItemChanges)
    : strategy.apply(itemsBefore, order.items)
  return Result.map(items, (changes) => ({
    order: match === undefined
      ? { _tag: "Create", order: draftOrder(order, direction) }
      : updateOrder(match, order, remap?.shipmentId ?? null),
    items: changes,
    changedItems: changedItems(itemsBefore, changes)
  }))
}

const draftOrder = (order: DocumentOrder, direction: string): OrderDraft => ({
  ...order.fields,
  number: order.orderNumber,
  status: "CREATED",
  direction
})

const updateOrder = (
  orderBefore: Order,
  input: DocumentOrder,
  remappedFrom: ShipmentId | null
): OrderChange["order"] => {
  const { items: _, ...header } = orderBefore
  const order = overlay<OrderHeader>(header, input.fields, orderFieldNames)
  return { _tag: "Update", order, isChanged: order !== header, remappedFrom }
}

/** The updated items that differ from the stored ones: strategies also return matched items that stay the same. */
const changedItems = (
  items: ReadonlyArray<OrderItem>,
  { updated }: ItemChanges
): ReadonlyArray<OrderItem> => {
  if (updated.length === 0) return updated
  const before = new Map(items.map((item) => [item.id, item]))
  return updated.filter((item) => before.get(item.id) !== item)
}

/** An entity that may have an owner. */
type OwnedEntity = Pick<OrderHeader, "owner">

const isOfAnother = ({ owner }: OwnedEntity, name: string): boolean => owner !== undefined && owner !== name

/** Whether a shipment or one of its orders belongs to another owner. */
export const hasOthers = (
  { orders, ...shipment }: OwnedEntity & { readonly orders: ReadonlyArray<OwnedEntity> },
  owner: string
): boolean => [shipment, ...orders].some((each) => isOfAnother(each, owner))

/** The refusal of a document in the name of `owner` that names orders of another owner. */
const foreignOrders = (
  { direction, orders }: Document,
  { candidates, target }: Snapshot,
  owner: string
): InvalidRequest | undefined => {
  const onTarget = new Map(target?.orders.map((order) => [order.number, order]))
  const choose = chooseCandidate(candidates)
  const errors = orders.flatMap(({ orderNumber }, index) => {
    const order = onTarget.get(orderNumber) ?? choose(orderNumber, direction)?.order
    return order !== undefined && isOfAnother(order, owner)
      ? [{
        path: `orders[${index}].orderNumber`,
        detail: `names the order ${orderNumber}, which belongs to another partner`
      }]
      : []
  })
  return errors.length === 0 ? undefined : new InvalidRequest({ errors })
}

/**
 * The plan in the name of an owner, for a document that names no order of another owner. The entities of a departed shipment get no owner,
 * because it is final.
 */
const withOwner = (plan: Plan, { target }: Snapshot, owner: string): Plan =>
  target?.status === "DEPARTED"
    ? plan
    : { shipment: ownedShipment(plan.shipment, target, owner), orders: plan.orders.map(ownedOrder(owner)) }

const ownedShipment = (change: ShipmentChange, target: Shipment | null, owner: string): ShipmentChange => {
  if (change._tag === "Create") return { ...change, shipment: { ...change.shipment, owner } }
  if (target !== null && isOfAnother(target, owner)) return unchanged(target)
  return change.shipment.owner === owner
    ? change
    : { ...change, shipment: { ...change.shipment, owner }, isChanged: true }
}

const unchanged = ({ orders: _orders, pallets: _pallets, ...shipment }: Shipment): ShipmentChange => ({
  _tag: "Update",
  shipment: shipment satisfies ShipmentHeader,
  isChanged: false
})

const ownedOrder = (owner: string) => (change: OrderChange): OrderChange => {
  const { order } = change
  if (order._tag === "Create") return { ...change, order: { ...order, order: { ...order.order, owner } } }
  return order.order.owner === owner
    ? change
    : { ...change, order: { ...order, order: { ...order.order, owner }, isChanged: true } }
}
