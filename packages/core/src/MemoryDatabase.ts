/**
 * The state behind every memory implementation of a port: one database in plain maps.
 *
 * Guarantee: every method is synchronous, so it is a transaction of its own; what it returns is immutable.
 */
import { Context, Effect, Layer } from "effect"
import type { Client } from "./ClientStore.ts"
import type { Document } from "./Document.ts"
import { BusinessNotFound, FacilityNotFound } from "./Errors.ts"
import { MemoryMessages } from "./MemoryMessages.ts"
import { MemoryPallets } from "./MemoryPallets.ts"
import { MemoryPlaces } from "./MemoryPlaces.ts"
import { MemoryWebhooks } from "./MemoryWebhooks.ts"
import type { MessageDraft } from "./Message.ts"
import type { Order, OrderHeader } from "./Order.ts"
import type { OrderItem } from "./OrderItem.ts"
import { compareIds } from "./Outcome.ts"
import type { NewIds } from "./Outcome.ts"
import { changedItems } from "./Plan.ts"
import type { OrderChange, Plan, Snapshot } from "./Plan.ts"
import type { Shipment, ShipmentHeader } from "./Shipment.ts"
import type { LocatedShipment } from "./ShipmentStore.ts"
import type { SigningKey } from "./SigningKeyStore.ts"
import type { Timestamp } from "./Timestamp.ts"

interface StoredShipment {
  readonly business: string
  readonly facility: string
  readonly header: ShipmentHeader
}

interface StoredOrder {
  readonly header: OrderHeader
  readonly shipmentId: number
  readonly createdAt: Timestamp
  readonly items: ReadonlyArray<OrderItem>
}

interface KeptAnswer {
  readonly fingerprint: string
  readonly answer: string
  readonly keptAt: number
}

class State {
  readonly clients = new Map<string, Client>()
  readonly idempotency = { kept: new Map<string, KeptAnswer>(), running: new Set<string>() }
  readonly messages = new MemoryMessages((draft) => this.#checkPlace(draft))
  readonly pallets = new MemoryPallets()
  readonly places = new MemoryPlaces(() => this.nextId())
  readonly webhooks = new MemoryWebhooks(
    this.messages,
    (business, facility) => this.#checkSlugs(business, facility)
  )
  signingKeys: ReadonlyArray<SigningKey> = []

  readonly #shipments = new Map<number, StoredShipment>()
  readonly #orders = new Map<string, StoredOrder>()
  #lastId = 0

  /** Everything a document's decision depends on. */
  snapshot(document: Document, now: Timestamp): Snapshot {
    const target = this.#findShipment(document)
    const numbers = new Set(document.orders.map((order) => order.orderNumber))
    return {
      now,
      ...this.places.lookup(document.business, document.facility),
      dock: this.places.dock(document.business, document.facility, document.dockSlug),
      target,
      candidates: Array.from(this.#orders.values())
        .filter((order) => numbers.has(order.header.number) && order.shipmentId !== target?.id)
        .map((order) => ({ order, on: this.#shipments.get(order.shipmentId)! }))
        .filter(({ on }) => on.business === document.business && on.facility === document.facility)
        .map(({ order, on }) => ({
          order: { ...order.header, items: order.items },
          createdAt: order.createdAt,
          shipmentId: order.shipmentId,
          shipmentStatus: on.header.status,
          shipmentIsLinked: on.header.linkedShipmentIds.length > 0
        }))
    }
  }

  /** Applies a plan as it stands and says which ids the new entities got. One that cannot be read leaves nothing. */
  apply(document: Document, plan: Plan, now: Timestamp): NewIds {
    const shipment = plan.shipment._tag === "Create"
      ? { ...plan.shipment.shipment, id: this.nextId() }
      : plan.shipment.shipment
    const written: Array<StoredOrder> = []
    const orders: Array<string> = []
    const items: Array<string> = []
    for (const change of plan.orders) {
      const header = change.order._tag === "Create"
        ? { id: String(this.nextId()), ...change.order.order }
        : change.order.order
      if (change.order._tag === "Create") orders.push(header.id)
      const created = change.items.created.map((item) => ({ id: String(this.nextId()), ...item }))
      items.push(...created.map((item) => item.id))
      written.push({
        header,
        shipmentId: shipment.id,
        createdAt: this.#orders.get(header.id)?.createdAt ?? now,
        items: [...this.#itemsAfter(header.id, change), ...created]
      })
    }
    this.#shipments.set(shipment.id, {
      business: document.business,
      facility: document.facility,
      header: shipment
    })
    for (const order of written) this.#orders.set(order.header.id, order)
    return { shipment: plan.shipment._tag === "Create" ? shipment.id : "", orders, items }
  }

  /** All shipments with where they belong. */
  locatedShipments(): ReadonlyArray<LocatedShipment> {
    return Array.from(this.#shipments.values(), (stored) => this.#locate(stored))
  }

  /** One shipment with where it belongs. */
  locatedShipment(id: number): LocatedShipment | null {
    const stored = this.#shipments.get(id)
    return stored === undefined ? null : this.#locate(stored)
  }

  /** The shipments of a facility, in the order of their creation. */
  shipmentsAt(business: string, facility: string): ReadonlyArray<ShipmentHeader> {
    return Array.from(this.#shipments.values())
      .filter((stored) => stored.business === business && stored.facility === facility)
      .map(({ header }) => header)
  }

  /** The shipments with an order item of that lpn; none for `""`. */
  shipmentIdsWithLpn(lpn: string): ReadonlySet<number> {
    const ids = new Set<number>()
    if (lpn === "") return ids
    for (const { shipmentId, items } of this.#orders.values()) {
      if (items.some((item) => item.lpn === lpn)) ids.add(shipmentId)
    }
    return ids
  }

  /** The orders of a shipment, in id order. */
  ordersOf(shipmentId: number): ReadonlyArray<Order> {
    return Array.from(this.#orders.values())
      .filter((order) => order.shipmentId === shipmentId)
      .map((order): Order => ({ ...order.header, items: order.items }))
      .sort((left, right) => compareIds(left.id, right.id))
  }

  /** Changes what is given of a shipment. */
  changeShipment(id: number, changes: Partial<ShipmentHeader>): void {
    const stored = this.#shipments.get(id)!
    this.#shipments.set(id, { ...stored, header: { ...stored.header, ...changes } })
  }

  /** Completes the orders of a shipment. */
  completeOrders(shipmentId: number): void {
    for (const [id, order] of this.#orders) {
      if (order.shipmentId !== shipmentId) continue
      this.#orders.set(id, { ...order, header: { ...order.header, status: "COMPLETED" } })
    }
  }

  /** An id that nothing has yet. */
  nextId(): number {
    return ++this.#lastId
  }

  #checkPlace({ business, facility }: MessageDraft): BusinessNotFound | FacilityNotFound | undefined {
    return this.#checkSlugs(business, facility)
  }

  #checkSlugs(business: string, facility: string | null): BusinessNotFound | FacilityNotFound | undefined {
    const named = this.places.lookup(business, facility ?? "")
    if (named.business === null) return new BusinessNotFound({ business })
    return facility !== null && named.facility === null
      ? new FacilityNotFound({ business, facility })
      : undefined
  }

  #locate(stored: StoredShipment): LocatedShipment {
    const { business, facility } = this.places.lookup(stored.business, stored.facility)
    return {
      location: { business: business!, facility: facility! },
      shipment: this.#withOrders(stored.header)
    }
  }

  #findShipment(document: Document): Shipment | null {
    for (const stored of this.#shipments.values()) {
      if (
        stored.header.number === document.shipmentNumber &&
        stored.business === document.business &&
        stored.facility === document.facility
      ) return this.#withOrders(stored.header)
    }
    return null
  }

  #withOrders(header: ShipmentHeader): Shipment {
    return { ...header, orders: this.ordersOf(header.id) }
  }

  /** From what is stored, not from what the decision saw: applying is the store's own work. */
  #itemsAfter(orderId: string, change: OrderChange): ReadonlyArray<OrderItem> {
    const removed = new Set(change.items.removed.map((item) => item.id))
    const changed = new Map(changedItems(change).map((item) => [item.id, item]))
    return (this.#orders.get(orderId)?.items ?? [])
      .filter((item) => !removed.has(item.id))
      .map((item) => changed.get(item.id) ?? item)
  }
}

/** A database in memory, empty at first; provide it once to the memory layers that shall share it. */
export class MemoryDatabase
  extends Context.Service<MemoryDatabase, State>()("@dockline/core/MemoryDatabase")
{
  /** An empty database. */
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.effect(
    MemoryDatabase,
    Effect.sync(() => new State())
  )
}
