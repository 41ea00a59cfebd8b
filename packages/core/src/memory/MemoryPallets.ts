/**
 * The pallets and their events of the database in memory. Every method is synchronous.
 */
import type { PalletAnswer, RecordedPallet } from "../movement/Pallet.ts"

/** A recorded event: what it said and how it was answered. */
export interface RecordedEvent {
  readonly text: string
  readonly answer: PalletAnswer
}

/** The pallets of one shipment. */
export interface ShipmentPallets {
  /** Pallet ids by lpn. */
  readonly byLpn: ReadonlyMap<string, number>
  /** In order of recording. */
  readonly events: ReadonlyArray<RecordedPallet>
  readonly labelText: number
}

interface StoredPallets {
  readonly byLpn: Map<string, number>
  readonly events: Array<RecordedPallet>
  labelText: number
}

const none: ShipmentPallets = { byLpn: new Map(), events: [], labelText: 0 }

const eventKey = (business: string, facility: string, eventId: string): string =>
  JSON.stringify([business, facility, eventId])

/** The pallets of all shipments, and all events. */
export class MemoryPallets {
  readonly #shipments = new Map<number, StoredPallets>()
  readonly #events = new Map<string, RecordedEvent>()

  /** The event of that id that the facility has had. */
  recorded(business: string, facility: string, eventId: string): RecordedEvent | null {
    return this.#events.get(eventKey(business, facility, eventId)) ?? null
  }

  /** The pallets of a shipment. */
  of(shipmentId: number): ShipmentPallets {
    return this.#shipments.get(shipmentId) ?? none
  }

  /** Keeps the event by its id. */
  keep(business: string, facility: string, eventId: string, event: RecordedEvent): void {
    this.#events.set(eventKey(business, facility, eventId), event)
  }

  /** Adds an event to a shipment, and its pallet under the lpn unless that is `""`. */
  add(shipmentId: number, lpn: string, labelText: number, event: RecordedPallet): void {
    const pallets: StoredPallets = this.#shipments.get(shipmentId) ??
      { byLpn: new Map(), events: [], labelText: 0 }
    this.#shipments.set(shipmentId, pallets)
    if (lpn !== "") pallets.byLpn.set(lpn, event.palletId)
    pallets.events.push(event)
    pallets.labelText += labelText
  }
}
