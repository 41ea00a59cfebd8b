/**
 * The state behind every memory implementation of a port: one database in plain maps.
 *
 * Guarantee: every method is synchronous, so it is a transaction of its own; what it returns is immutable.
 */
import { Context, Effect, Layer } from "effect"
import type { Client } from "../access/ClientStore.ts"
import type { SigningKey } from "../access/SigningKeyStore.ts"
import type { Document } from "../document/Document.ts"
import type { NewIds } from "../document/Outcome.ts"
import { changedItems } from "../document/Plan.ts"
import type { OrderChange, Plan, Snapshot } from "../document/Plan.ts"
import type { MessageDraft } from "../messages/Message.ts"
import type { Order } from "../shipment/Order.ts"
import type { OrderItem } from "../shipment/OrderItem.ts"
import type { Shipment, ShipmentHeader } from "../shipment/Shipment.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { MemoryMessages } from "./MemoryMessages.ts"
import { MemoryPallets } from "./MemoryPallets.ts"
import { MemoryPlaces } from "./MemoryPlaces.ts"
import { MemoryShipments } from "./MemoryShipments.ts"
import type { StoredOrder, StoredShipment } from "./MemoryShipments.ts"
import { MemoryWebhooks } from "./MemoryWebhooks.ts"

interface KeptAnswer {
  readonly fingerprint: string
  readonly answer: string
  readonly keptAt: number
}

class State {
  readonly clients = new Map<string, Client>()
  readonly idempotency = { kept: new Map<string, KeptAnswer>(), running: new Set<string>() }
  readonly messages = new MemoryMessages(
    (draft) => this.#checkPlace(draft),
    () => void this.webhooks.dropExpired()
  )
  readonly pallets = new MemoryPallets()
  readonly places = new MemoryPlaces(() => this.nextId())
  readonly webhooks = new MemoryWebhooks(
    this.messages,
    (business, facility) => this.#checkSlugs(business, facility)
  )
  signingKeys: ReadonlyArray<SigningKey> = []

  readonly #shipments = new MemoryShipments()
  #lastId = 0

  /** Everything a document's decision depends on. */
  snapshot(document: Document, now: Timestamp): Snapshot {
    const found = this.#shipments.find(document, document.shipmentNumber)
    const target = found === undefined ? null : this.#withOrders(found.header)
    return {
      now,
      ...this.places.lookup(document.business, document.facility),
      dock: this.places.dock(document.business, document.facility, document.dockSlug),
      target,
      candidates: this.#shipments.withNumbers(document, document.orders.map((order) => order.orderNumber))
        .filter((order) => order.shipmentId !== target?.id)
        .map((order) => ({ order, on: this.#shipments.get(order.shipmentId)! }))
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
      for (const item of created) items.push(item.id)
      written.push({
        header,
        shipmentId: shipment.id,
        createdAt: this.#shipments.order(header.id)?.createdAt ?? now,
        items: [...this.#itemsAfter(header.id, change), ...created]
      })
    }
    this.#shipments.put({ business: document.business, facility: document.facility, header: shipment })
    for (const order of written) this.#shipments.putOrder(order)
    return { shipment: plan.shipment._tag === "Create" ? shipment.id : "", orders, items }
  }

  /** All shipments with where they belong. */
  locatedShipments(): ReadonlyArray<LocatedShipment> {
    return Array.from(this.#shipments.all(), (stored) => this.#locate(stored))
  }

  /** One shipment with where it belongs. */
  locatedShipment(id: number): LocatedShipment | null {
    const stored = this.#shipments.get(id)
    return stored === undefined ? null : this.#locate(stored)
  }

  /** The shipments of a facility, in the order of their creation. */
  shipmentsAt(business: string, facility: string): ReadonlyArray<ShipmentHeader> {
    return this.#shipments.at({ business, facility })
  }

  /** Whether a shipment has an order item of that lpn; none has one of `""`. */
  holdsLpn(shipmentId: number, lpn: string): boolean {
    return lpn !== "" &&
      this.#shipments.storedOn(shipmentId).some(({ items }) => items.some((item) => item.lpn === lpn))
  }

  /** The orders of a shipment, in id order. */
  ordersOf(shipmentId: number): ReadonlyArray<Order> {
    return this.#shipments.ordersOf(shipmentId)
  }

  /** Changes what is given of a shipment. */
  changeShipment(id: number, changes: Partial<ShipmentHeader>): void {
    const stored = this.#shipments.get(id)!
    this.#shipments.put({ ...stored, header: { ...stored.header, ...changes } })
  }

  /** Completes the orders of a shipment. */
  completeOrders(shipmentId: number): void {
    for (const order of this.#shipments.storedOn(shipmentId)) {
      this.#shipments.putOrder({ ...order, header: { ...order.header, status: "COMPLETED" } })
    }
  }

  /** An id that nothing has yet. */
  nextId(): number {
    return ++this.#lastId
  }

  /**
   * Moves the ids of messages beyond an id, and those of all else on by so many where it does; the newest of messages. All
   * leases of endpoints end.
   */
  advance(beyond: number, others: number): number {
    this.webhooks.endLeases()
    if (this.messages.advance(beyond, this.places.slugs)) this.#lastId += others
    return this.messages.newestId
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

  #withOrders(header: ShipmentHeader): Shipment {
    return { ...header, orders: this.ordersOf(header.id) }
  }

  /** From what is stored, not from what the decision saw: applying is the store's own work. */
  #itemsAfter(orderId: string, change: OrderChange): ReadonlyArray<OrderItem> {
    const removed = new Set(change.items.removed.map((item) => item.id))
    const changed = new Map(changedItems(change).map((item) => [item.id, item]))
    return (this.#shipments.order(orderId)?.items ?? [])
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
