/**
 * Shipments, orders and pallets in memory, indexed by id, by place and number, and by shipment: the time of a look-up by one of these does
 * not depend on the number of stored entities.
 */
import type { NumberInUse } from "../../document/Plan.ts"
import { isSameLpn, lpnKey } from "../../labels/Lpn.ts"
import type { PalletAnswer, RecordedPallet } from "../../movement/Pallet.ts"
import type { ExpectedElsewhere } from "../../shipment/Discrepancies.ts"
import type { Order, OrderHeader, OrderItem, Shipment, ShipmentHeader } from "../../shipment/Shipment.ts"
import type { SlugsOfPlace } from "../../shipment/ShipmentStore.ts"
import type { Verdict } from "../../shipment/Verdict.ts"
import type { MessageId, PalletId, ShipmentId } from "../../values/Id.ts"
import type { Timestamp } from "../../values/Timestamp.ts"

export interface StoredShipment extends SlugsOfPlace {
  readonly header: ShipmentHeader
}

export interface StoredOrder {
  readonly header: OrderHeader
  readonly shipmentId: ShipmentId
  readonly createdAt: Timestamp
  readonly items: ReadonlyArray<OrderItem>
}

interface AtPlace {
  readonly shipments: Map<string, number>
  readonly orders: Map<string, Set<string>>
}

/** The shipments of all facilities. Invariant: `#shipments` holds each shipment id of the indexes, and `#orders` each order id. */
export class MemoryShipments {
  readonly #shipments = new Map<number, StoredShipment>()
  readonly #orders = new Map<string, StoredOrder>()
  readonly #onShipment = new Map<number, Set<string>>()
  readonly #places = new Map<string, AtPlace>()

  /** All shipments, in the order of their creation. */
  all(): Iterable<StoredShipment> {
    return this.#shipments.values()
  }

  get(id: number): StoredShipment | undefined {
    return this.#shipments.get(id)
  }

  find(place: SlugsOfPlace, number: string): StoredShipment | undefined {
    const id = this.#at(place)?.shipments.get(number)
    return id === undefined ? undefined : this.#shipments.get(id)
  }

  /** The shipments of a facility, in the order of their creation. */
  at(place: SlugsOfPlace): ReadonlyArray<ShipmentHeader> {
    return Array.from(this.#at(place)?.shipments.values() ?? [], (id) => this.#shipments.get(id)!.header)
  }

  /** Adds or replaces a shipment. A shipment that loses an order to it gets a new version. `MemoryPallets` keeps the pallets. */
  put(place: SlugsOfPlace, shipment: Shipment, now: Timestamp): void {
    const { orders, pallets: _, ...header } = shipment
    const { id, number } = header
    const atPlace = this.#getOrAdd(place)
    this.#shipments.set(id, { business: place.business, facility: place.facility, header })
    atPlace.shipments.set(number, id)
    if (!this.#onShipment.has(id)) this.#onShipment.set(id, new Set())
    const leaving = new Set<number>()
    for (const { items, ...order } of orders) {
      const before = this.#orders.get(order.id)
      if (before !== undefined) this.#onShipment.get(before.shipmentId)!.delete(order.id)
      if (before !== undefined && before.shipmentId !== id) leaving.add(before.shipmentId)
      this.#orders.set(order.id, {
        header: order,
        shipmentId: id,
        createdAt: before?.createdAt ?? now,
        items
      })
      this.#onShipment.get(id)!.add(order.id)
      atPlace.orders.set(order.number, (atPlace.orders.get(order.number) ?? new Set()).add(order.id))
    }
    for (const each of leaving) this.touch(each)
  }

  /** Increments the version of a shipment whose orders or pallets have changed, but not its own fields. */
  touch(id: number): void {
    const shipment = this.#shipments.get(id)!
    this.#shipments.set(id, {
      ...shipment,
      header: { ...shipment.header, version: shipment.header.version + 1 }
    })
  }

  #storedOn(shipmentId: ShipmentId): ReadonlyArray<StoredOrder> {
    return Array.from(this.#onShipment.get(shipmentId) ?? [], (id) => this.#orders.get(id)!)
  }

  ordersOf(shipmentId: ShipmentId): ReadonlyArray<Order> {
    return this.#storedOn(shipmentId)
      .map((order): Order => ({ ...order.header, items: order.items }))
      .sort((left, right) => Number(left.id) - Number(right.id))
  }

  /** Whether a shipment has an order item with this LPN; no item has the LPN `""`. */
  holdsLpn(shipmentId: ShipmentId, lpn: string): boolean {
    return lpn !== "" &&
      this.#storedOn(shipmentId).some(({ items }) => items.some((item) => isSameLpn(item.lpn, lpn)))
  }

  /** The orders of a facility that have one of the numbers, in the order of their creation. */
  withNumbers(place: SlugsOfPlace, numbers: Iterable<string>): ReadonlyArray<StoredOrder> {
    const byNumber = this.#at(place)?.orders
    return Array.from(new Set(numbers))
      .flatMap((number) => Array.from(byNumber?.get(number) ?? [], (id) => this.#orders.get(id)!))
      .sort((left, right) => Number(left.header.id) - Number(right.header.id))
  }

  #at(place: SlugsOfPlace): AtPlace | undefined {
    return this.#places.get(keyOf(place))
  }

  #getOrAdd(place: SlugsOfPlace): AtPlace {
    const atPlace = this.#at(place)
    if (atPlace !== undefined) return atPlace
    const fresh: AtPlace = { shipments: new Map(), orders: new Map() }
    this.#places.set(keyOf(place), fresh)
    return fresh
  }
}

/** The numbers of these orders. `isOpen` says whether an open order of the direction has the number. */
export const numbersInUse = (
  orders: ReadonlyArray<StoredOrder>,
  direction: string
): ReadonlyArray<NumberInUse> =>
  Array.from(
    Map.groupBy(orders.map(({ header }) => header), ({ number }) => number),
    ([orderNumber, headers]) => ({
      orderNumber,
      isOpen: headers.some((order) => order.status === "CREATED" && order.direction === direction)
    })
  )

const keyOf = ({ business, facility }: SlugsOfPlace): string => `${business.length}:${business}${facility}`

interface StoredEvent {
  readonly text: string
  readonly answer: PalletAnswer
}

interface ShipmentPallets {
  /** The ids of pallets, by the keys of their LPNs. */
  readonly byLpn: Map<string, number>
  /** The events, in the order of recording. */
  readonly events: Array<RecordedPallet>
  labelText: number
  /** The open shipments that expected its pallets when it departed. */
  elsewhere: ReadonlyArray<ExpectedElsewhere>
}

const eventKey = (business: string, facility: string, eventId: string): string =>
  JSON.stringify([business, facility, eventId])

export class MemoryPallets {
  readonly #shipments = new Map<number, ShipmentPallets>()
  readonly #events = new Map<string, StoredEvent>()
  /** When pallets were first recorded, by their ids. */
  readonly #recorded = new Map<number, Timestamp>()
  /** The verdicts of events, by the ids of their messages. */
  readonly #verdicts = new Map<number, Verdict>()

  eventById(business: string, facility: string, eventId: string): StoredEvent | null {
    return this.#events.get(eventKey(business, facility, eventId)) ?? null
  }

  /** The pallets of a shipment. Callers do not change the result. */
  of(shipmentId: ShipmentId): ShipmentPallets {
    return this.#shipments.get(shipmentId) ?? { byLpn: new Map(), events: [], labelText: 0, elsewhere: [] }
  }

  /** Stores the open shipments that expect pallets of a departing shipment. */
  depart(shipmentId: ShipmentId, elsewhere: ReadonlyArray<ExpectedElsewhere>): void {
    this.#shipments.set(shipmentId, { ...this.of(shipmentId), elsewhere })
  }

  keep(business: string, facility: string, eventId: string, event: StoredEvent): void {
    this.#events.set(eventKey(business, facility, eventId), event)
    this.#verdicts.set(event.answer.messageId, event.answer.verdict)
  }

  /** The verdict that the tower got for a stored event. */
  verdictOn(messageId: MessageId): Verdict {
    return this.#verdicts.get(messageId)!
  }

  /** When the first event of a pallet was recorded. */
  recordedAt(palletId: PalletId): Timestamp {
    return this.#recorded.get(palletId)!
  }

  /** Adds an event to a shipment, and indexes its pallet by the LPN unless that is `""`. */
  add(shipmentId: ShipmentId, lpn: string, labelText: number, event: RecordedPallet, now: Timestamp): void {
    const pallets = this.of(shipmentId)
    if (!this.#recorded.has(event.palletId)) this.#recorded.set(event.palletId, now)
    this.#shipments.set(shipmentId, pallets)
    if (lpn !== "") pallets.byLpn.set(lpnKey(lpn), event.palletId)
    pallets.events.push(event)
    pallets.labelText += labelText
  }
}
