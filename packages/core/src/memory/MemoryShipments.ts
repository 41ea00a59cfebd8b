/**
 * Shipments and orders in memory, each found by what it is asked for by: its id, its place and number, its shipment.
 *
 * Guarantee: finding one takes as long whatever else is stored, and what is not stored leaves nothing behind.
 */
import type { Order, OrderHeader } from "../shipment/Order.ts"
import type { OrderItem } from "../shipment/OrderItem.ts"
import type { ShipmentHeader } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** A facility, by slugs. */
interface PlaceSlugs {
  readonly business: string
  readonly facility: string
}

/** A shipment where it belongs, for ever. */
export interface StoredShipment extends PlaceSlugs {
  readonly header: ShipmentHeader
}

/** An order on the shipment that it is on now. */
export interface StoredOrder {
  readonly header: OrderHeader
  readonly shipmentId: number
  readonly createdAt: Timestamp
  readonly items: ReadonlyArray<OrderItem>
}

/** What there is at one facility: ids of shipments and of orders by number. */
interface AtPlace {
  readonly shipments: Map<string, number>
  readonly orders: Map<string, Set<string>>
}

/** The shipments and orders of a database in memory. */
export class MemoryShipments {
  readonly #shipments = new Map<number, StoredShipment>()
  readonly #orders = new Map<string, StoredOrder>()
  readonly #onShipment = new Map<number, Set<string>>()
  readonly #places = new Map<string, AtPlace>()

  /** All shipments, in the order of their creation. */
  all(): Iterable<StoredShipment> {
    return this.#shipments.values()
  }

  /** The shipment of that id. */
  get(id: number): StoredShipment | undefined {
    return this.#shipments.get(id)
  }

  /** The shipment of that number at a facility. */
  find(place: PlaceSlugs, number: string): StoredShipment | undefined {
    const id = this.#at(place)?.shipments.get(number)
    return id === undefined ? undefined : this.#shipments.get(id)
  }

  /** The shipments of a facility, in the order of their creation. */
  at(place: PlaceSlugs): ReadonlyArray<ShipmentHeader> {
    return Array.from(this.#at(place)?.shipments.values() ?? [], (id) => this.#shipments.get(id)!.header)
  }

  /** Adds a shipment, or puts it in the place of the one with its id. */
  put(shipment: StoredShipment): void {
    const { id, number } = shipment.header
    this.#shipments.set(id, shipment)
    this.#made(shipment).shipments.set(number, id)
    if (!this.#onShipment.has(id)) this.#onShipment.set(id, new Set())
  }

  /** The order of that id. */
  order(id: string): StoredOrder | undefined {
    return this.#orders.get(id)
  }

  /** The orders of a shipment as they are stored. */
  storedOn(shipmentId: number): ReadonlyArray<StoredOrder> {
    return Array.from(this.#onShipment.get(shipmentId) ?? [], (id) => this.#orders.get(id)!)
  }

  /** The orders of a shipment, in id order. */
  ordersOf(shipmentId: number): ReadonlyArray<Order> {
    return this.storedOn(shipmentId)
      .map((order): Order => ({ ...order.header, items: order.items }))
      .sort((left, right) => Number(left.id) - Number(right.id))
  }

  /** The orders of a facility that have one of the numbers, in the order of their creation. */
  withNumbers(place: PlaceSlugs, numbers: Iterable<string>): ReadonlyArray<StoredOrder> {
    const byNumber = this.#at(place)?.orders
    return Array.from(new Set(numbers))
      .flatMap((number) => Array.from(byNumber?.get(number) ?? [], (id) => this.#orders.get(id)!))
      .sort((left, right) => Number(left.header.id) - Number(right.header.id))
  }

  /** Adds an order, or puts it in the place of the one with its id, which may be on another shipment. */
  putOrder(order: StoredOrder): void {
    const { id, number } = order.header
    const before = this.#orders.get(id)
    if (before !== undefined) this.#onShipment.get(before.shipmentId)!.delete(id)
    this.#orders.set(id, order)
    this.#onShipment.get(order.shipmentId)!.add(id)
    const { orders } = this.#made(this.#shipments.get(order.shipmentId)!)
    const ids = orders.get(number)
    if (ids === undefined) orders.set(number, new Set([id]))
    else ids.add(id)
  }

  /** What there is at a place; asking about one that holds nothing leaves nothing behind. */
  #at(place: PlaceSlugs): AtPlace | undefined {
    return this.#places.get(keyOf(place))
  }

  #made(place: PlaceSlugs): AtPlace {
    const known = this.#at(place)
    if (known !== undefined) return known
    const made: AtPlace = { shipments: new Map(), orders: new Map() }
    this.#places.set(keyOf(place), made)
    return made
  }
}

const keyOf = ({ business, facility }: PlaceSlugs): string => `${business.length}:${business}${facility}`
