/**
 * The customer's own count: which pallets of a shipment remain of all that crossed the dock, and whether the
 * service's completion says the same.
 *
 * A pallet that was loaded and then unloaded cancels out. Pallet by pallet, in order of occurrence, repeats of one
 * direction collapse and opposite neighbours cancel. A message is counted once, however often it is handed in, and
 * in whatever order the messages come.
 */
import type { Completion, Pallet, PushMessage } from "./PushMessage.ts"
import { readCompletion, readPallet } from "./PushMessage.ts"

type Direction = Pallet["direction"]

export interface Crossing {
  readonly id: number
  readonly occurredAt: string
  readonly direction: Direction
}

/** A pallet as counted so far. */
export interface CountedPallet {
  readonly lpn: string
  /** In order of occurrence. */
  readonly crossings: ReadonlyArray<Crossing>
}

/** The pallets of a shipment by id. */
export interface CountedShipment {
  readonly orders: ReadonlyArray<string>
  readonly pallets: Readonly<Record<string, CountedPallet>>
}

/** Shipments under way by id, as they are stored. */
export type Counts = Readonly<Record<string, CountedShipment>>

export interface Remaining {
  readonly palletId: string
  readonly lpn: string
  readonly direction: Direction
}

/** Totals of a shipment. */
export interface Summary {
  readonly shipmentId: string
  readonly orders: ReadonlyArray<string>
  readonly remaining: ReadonlyArray<Remaining>
  /** Pallet messages in all. */
  readonly crossings: number
  /** Pairs of loading and unloading that cancelled. */
  readonly cancelledPairs: number
}

/** What a message meant for the count. */
export type Effect =
  /** `counts`: it remains now; `cancels`: it undid an earlier one; `repeats`: nothing new. */
  | { readonly type: "pallet"; readonly pallet: Pallet; readonly change: "counts" | "cancels" | "repeats" }
  /** `differences` is empty when the service and we agree. */
  | {
    readonly type: "completion"
    readonly completion: Completion
    readonly counted: Summary
    readonly differences: ReadonlyArray<string>
  }
  | { readonly type: "unknown" }

/** Shipments counted at a time: what never completes is forgotten, the one longest without a message first. */
export const maxShipments = 1000

interface Open {
  readonly orders: Set<string>
  readonly pallets: Map<string, CountedPallet>
}

export class Ledger {
  readonly #shipments: Map<string, Open>

  constructor(counts: Counts = {}) {
    this.#shipments = new Map(
      Object.entries(counts).map(([id, { orders, pallets }]) => [
        id,
        {
          orders: new Set(orders),
          pallets: new Map(Object.entries(pallets))
        }
      ])
    )
  }

  get counts(): Counts {
    return Object.fromEntries(
      Array.from(this.#shipments, ([id, { orders, pallets }]) => [
        id,
        { orders: Array.from(orders), pallets: Object.fromEntries(pallets) }
      ])
    )
  }

  get summaries(): ReadonlyArray<Summary> {
    return Array.from(this.#shipments, ([id, shipment]) => summaryOf(id, shipment))
  }

  /** What a message would mean, the count being as it is. */
  judge({ messageType, message: payload, id }: PushMessage): Effect {
    if (messageType === "PALLET_EVENT") {
      const pallet = readPallet(payload)
      if (pallet === undefined) return { type: "unknown" }
      const before = this.#crossings(pallet)
      const left = remains(before)
      const change = remains(crossed(before, id, pallet)) === left ? "repeats" : left ? "cancels" : "counts"
      return { type: "pallet", pallet, change }
    }
    if (messageType === "SHIPMENT_COMPLETE") {
      const completion = readCompletion(payload)
      if (completion === undefined) return { type: "unknown" }
      const { serviceShipmentId, orders } = completion
      const shipment = this.#shipments.get(serviceShipmentId) ??
        { orders: new Set(orders), pallets: new Map() }
      const counted = summaryOf(serviceShipmentId, shipment)
      return { type: "completion", completion, counted, differences: differences(completion, counted) }
    }
    return { type: "unknown" }
  }

  /** Takes a message into account, now that it has been handled. */
  take(message: PushMessage, effect: Effect): void {
    if (effect.type === "completion") this.#shipments.delete(effect.completion.serviceShipmentId)
    if (effect.type !== "pallet") return
    const { pallet } = effect
    const { orders, pallets } = this.#open(pallet.serviceShipmentId)
    const crossings = crossed(this.#crossings(pallet), message.id, pallet)
    pallets.set(pallet.servicePalletId, { lpn: pallet.lpn, crossings })
    for (const order of pallet.orders) orders.add(order)
  }

  #crossings({ serviceShipmentId, servicePalletId }: Pallet): ReadonlyArray<Crossing> {
    return this.#shipments.get(serviceShipmentId)?.pallets.get(servicePalletId)?.crossings ?? []
  }

  /** The shipment of that id, from now on the latest of those under way. */
  #open(id: string): Open {
    const shipment = this.#shipments.get(id) ?? { orders: new Set(), pallets: new Map() }
    this.#shipments.delete(id)
    this.#shipments.set(id, shipment)
    for (const oldest of this.#shipments.keys()) {
      if (this.#shipments.size <= maxShipments) break
      this.#shipments.delete(oldest)
    }
    return shipment
  }
}

/** With one crossing more, in order of occurrence; one that is counted already is not counted again. */
const crossed = (before: ReadonlyArray<Crossing>, id: number, pallet: Pallet): ReadonlyArray<Crossing> => {
  if (before.some((crossing) => crossing.id === id)) return before
  const { occurredAt, direction } = pallet
  const crossing = { id, occurredAt, direction }
  // As a rule it is the latest.
  const earlier = before.findLastIndex((other) => byOccurrence(other, crossing) < 0)
  return before.toSpliced(earlier + 1, 0, crossing)
}

/** Crossings of one instant in the order in which the service recorded them. */
const byOccurrence = (left: Crossing, right: Crossing): number =>
  Date.parse(left.occurredAt) - Date.parse(right.occurredAt) || left.id - right.id

/** How often a pallet turned: repeats of one direction count once. */
const turnsOf = (crossings: ReadonlyArray<Crossing>): number =>
  crossings.filter(({ direction }, index) => crossings[index - 1]?.direction !== direction).length

/** What is left of the repeats alternates and cancels in pairs: an odd number of turns leaves the last. */
const remains = (crossings: ReadonlyArray<Crossing>): boolean => turnsOf(crossings) % 2 === 1

const summaryOf = (shipmentId: string, { orders, pallets }: Open): Summary => {
  const all = Array.from(pallets)
  return {
    shipmentId,
    orders: Array.from(orders),
    remaining: all.filter(([, { crossings }]) => remains(crossings)).map((
      [palletId, { lpn, crossings }]
    ) => ({
      palletId,
      lpn,
      // What remains has crossed the dock.
      direction: crossings.at(-1)!.direction
    })),
    crossings: all.reduce((sum, [, { crossings }]) => sum + crossings.length, 0),
    cancelledPairs: all.reduce((sum, [, { crossings }]) => sum + Math.floor(turnsOf(crossings) / 2), 0)
  }
}

const differences = (completion: Completion, counted: Summary): ReadonlyArray<string> => {
  const told = new Map(completion.pallets.map((pallet) => [pallet.servicePalletId, pallet.direction]))
  const own = new Map(counted.remaining.map(({ palletId, direction }) => [palletId, direction]))
  return Array.from(new Set([...told.keys(), ...own.keys()]))
    .filter((id) => told.get(id) !== own.get(id))
    .map((id) => `pallet ${id}: the service says ${shown(told.get(id))}, we counted ${shown(own.get(id))}`)
}

const shown = (direction: Direction | undefined): string => direction ?? "nothing"
