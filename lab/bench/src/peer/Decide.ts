/**
 * The rules of intake: what a document changes, given what is there.
 */
import { refuseDuplicates } from "./Document.ts"
import { itemKey } from "./Model.ts"
import type {
  AdditionalField,
  Document,
  DocumentOrder,
  ItemFields,
  ItemRow,
  OrderFields,
  OrderRow,
  ShipmentRow,
  Snapshot
} from "./Model.ts"
import { conflict, Problem } from "./Problems.ts"

/** The shipment after the document; without an id when it has to be created. */
export type ShipmentAfter = Omit<ShipmentRow, "id" | "isLinked"> & { readonly id: string | null }

/** The order after the document; without an id when it has to be created. */
export type OrderAfter = OrderFields & {
  readonly id: string | null
  readonly number: string
  readonly status: string
  readonly direction: string
}

/** What becomes of one order of the document. */
export interface OrderChange {
  readonly order: OrderAfter
  /** Whether an existing order has to be written. */
  readonly changed: boolean
  /** The items that stay, in id order, as they are afterwards. */
  readonly kept: ReadonlyArray<ItemRow>
  readonly created: ReadonlyArray<ItemFields>
  /** Matched items in request order; those of `written` have changed. */
  readonly updated: ReadonlyArray<ItemRow>
  readonly written: ReadonlyArray<ItemRow>
  readonly removed: ReadonlyArray<ItemRow>
}

/** What a document changes. */
export interface Plan {
  readonly shipment: ShipmentAfter
  /** Whether an existing shipment has to be written. */
  readonly shipmentChanged: boolean
  readonly orders: ReadonlyArray<OrderChange>
  /** Orders of the shipment that the document does not name, with their items. */
  readonly others: ReadonlyArray<{ readonly order: OrderRow; readonly items: ReadonlyArray<ItemRow> }>
}

/** Decides, or throws the `Problem` that refuses the document. */
export const decide = (document: Document, snapshot: Snapshot, now: Date): Plan => {
  if (document.dockSlug !== "" && snapshot.place.dockId === null) {
    const detail = `Unknown dock: ${document.dockSlug} of facility ${document.facility}`
    throw new Problem(422, "UNKNOWN_DOCK", detail, [{ path: "dockSlug", detail }])
  }
  refuseDuplicates(document)
  const { shipmentNumber } = document
  const target = snapshot.shipments.find((shipment) => shipment.number === shipmentNumber)
  if (target !== undefined && target.direction !== document.direction) {
    throw conflict("SHIPMENT_CONFLICT", { shipmentNumber, reason: "DIRECTION" })
  }
  const itemsByOrder = Map.groupBy(snapshot.items, (item) => item.orderId)
  const itemsOf = (order: OrderRow) => itemsByOrder.get(order.id) ?? []
  const onTarget = snapshot.orders.filter((order) => order.shipmentId === target?.id)
  const orders = document.orders.map((given) => {
    const order = onTarget.find((order) => order.number === given.orderNumber) ??
      candidate(given.orderNumber, document.direction, snapshot, target)
    return changeOrder(given, order, order === undefined ? [] : itemsOf(order), document.direction, target)
  })
  const shipment = target === undefined
    ? newShipment(document, snapshot, now)
    : changeShipment(target, document, snapshot)
  const named = new Set(document.orders.map((order) => order.orderNumber))
  const plan: Plan = {
    shipment,
    shipmentChanged: target !== undefined && shipment !== target,
    orders,
    others: onTarget.filter(({ number }) => !named.has(number)).map((order) => ({
      order,
      items: itemsOf(order)
    }))
  }
  if (target?.status === "DEPARTED" && writesAnything(plan)) {
    throw conflict("SHIPMENT_CONFLICT", { shipmentNumber, reason: "DEPARTED" })
  }
  return plan
}

/** Whether there is anything to write. */
export const writesAnything = ({ orders, shipment, shipmentChanged }: Plan): boolean =>
  shipment.id === null || shipmentChanged ||
  orders.some((change) =>
    change.order.id === null || change.changed || change.created.length > 0 || change.written.length > 0 ||
    change.removed.length > 0
  )

/** The latest order of that number and direction whose shipment has neither arrived nor is linked. */
const candidate = (
  number: string,
  direction: string,
  { orders, shipments }: Snapshot,
  target: ShipmentRow | undefined
): OrderRow | undefined => {
  const eligible = orders.filter((order) => {
    if (order.number !== number || order.direction !== direction || order.shipmentId === target?.id) {
      return false
    }
    const shipment = shipments.find((shipment) => shipment.id === order.shipmentId)
    return shipment !== undefined && shipment.status === "SCHEDULED" && !shipment.isLinked
  })
  return eligible.sort((left, right) =>
    right.createdAt.getTime() - left.createdAt.getTime() || Number(right.id) - Number(left.id)
  )[0]
}

const newShipment = (document: Document, { place }: Snapshot, now: Date): ShipmentAfter => ({
  id: null,
  number: document.shipmentNumber,
  status: "SCHEDULED",
  direction: document.direction,
  expectedArrivalAt: document.expectedArrivalAt ?? now,
  scheduledAt: now,
  arrivedAt: null,
  pallets: [],
  departedAt: null,
  trailerNumber: document.trailerNumber,
  carrier: document.carrier,
  dockId: place.dockId,
  dockSlug: place.dockId === null ? null : document.dockSlug,
  additionalFields: mergeFields([], document.additionalFields)
})

/** The shipment itself when nothing of it changes. */
const changeShipment = (target: ShipmentRow, document: Document, { place }: Snapshot): ShipmentAfter => {
  const additionalFields = mergeFields(target.additionalFields, document.additionalFields)
  const expectedArrivalAt = document.expectedArrivalAt ?? target.expectedArrivalAt
  const trailerNumber = document.trailerNumber || target.trailerNumber
  const carrier = document.carrier || target.carrier
  const dockId = place.dockId ?? target.dockId
  const same = additionalFields === target.additionalFields && trailerNumber === target.trailerNumber &&
    expectedArrivalAt.getTime() === target.expectedArrivalAt.getTime() && carrier === target.carrier &&
    dockId === target.dockId
  if (same) return target
  const dockSlug = place.dockId === null ? target.dockSlug : document.dockSlug
  return { ...target, additionalFields, expectedArrivalAt, trailerNumber, carrier, dockId, dockSlug }
}

const mergeFields = (
  stored: ReadonlyArray<AdditionalField>,
  given: ReadonlyArray<AdditionalField>
): ReadonlyArray<AdditionalField> => {
  const merged = new Map(stored.map(({ name, value }) => [name, value]))
  let changed = false
  for (const { name, value } of given) {
    if (value === "" || merged.get(name) === value) continue
    merged.set(name, value)
    changed = true
  }
  return changed ? Array.from(merged, ([name, value]) => ({ name, value })) : stored
}

const changeOrder = (
  given: DocumentOrder,
  stored: OrderRow | undefined,
  items: ReadonlyArray<ItemRow>,
  direction: string,
  target: ShipmentRow | undefined
): OrderChange => {
  const changes = changeItems(given, items)
  if (stored === undefined) {
    const order = { id: null, number: given.orderNumber, status: "CREATED", direction, ...given.fields }
    return { order, changed: false, ...changes }
  }
  const order = overlay<OrderRow>(stored, given.fields)
  return { order, changed: order !== stored || stored.shipmentId !== target?.id, ...changes }
}

type ItemChanges = Pick<OrderChange, "kept" | "created" | "updated" | "written" | "removed">

const changeItems = (
  { items: given, strategy }: DocumentOrder,
  stored: ReadonlyArray<ItemRow>
): ItemChanges => {
  const none: ItemChanges = { kept: stored, created: [], updated: [], written: [], removed: [] }
  if (given.length === 0) return none
  if (strategy === "OVERWRITE") return { ...none, kept: [], created: given, removed: stored }
  if (strategy === "DELETE") {
    const keys = new Set(given.map(itemKey))
    const removed = stored.filter((item) => keys.has(itemKey(item)))
    return { ...none, kept: stored.filter((item) => !keys.has(itemKey(item))), removed }
  }
  const byKey = new Map(stored.map((item) => [itemKey(item), item]))
  if (strategy === "APPEND") {
    const duplicate = given.find((item) => byKey.has(itemKey(item)))
    if (duplicate === undefined) return { ...none, created: given }
    throw conflict("DUPLICATE_ORDER_ITEM_KEY", { lpn: duplicate.lpn, sku: duplicate.sku })
  }
  const created: Array<ItemFields> = []
  const updated: Array<ItemRow> = []
  const written: Array<ItemRow> = []
  for (const item of given) {
    const key = itemKey(item)
    const match = byKey.get(key)
    if (match === undefined) {
      created.push(item)
      continue
    }
    const merged = overlay<ItemRow>(match, item)
    if (merged !== match) {
      written.push(merged)
      byKey.set(key, merged)
    }
    updated.push(merged)
  }
  return { kept: Array.from(byKey.values()), created, updated, written, removed: [] }
}

/** Lays the non-empty fields of `given` over `stored`; `stored` itself when nothing changes. */
const overlay = <Row extends object>(stored: Row, given: Partial<Row>): Row => {
  let merged: Row | undefined
  for (const name of Object.keys(given) as Array<keyof Row>) {
    const value = given[name]
    if (value === undefined || value === "" || value === 0 || value === false) continue
    if (Array.isArray(value)) {
      if (value.length === 0 || JSON.stringify(value) === JSON.stringify(stored[name])) continue
    } else if (value === stored[name]) continue
    merged ??= { ...stored }
    merged[name] = value as Row[keyof Row]
  }
  return merged ?? stored
}
