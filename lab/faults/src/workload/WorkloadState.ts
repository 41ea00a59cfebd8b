/**
 * What the clients of one run share: when to stop, which shipments there are, and numbers that nobody else draws.
 */
import { markOf } from "../history/History.ts"
import type { Site } from "./WorkloadClient.ts"

/** A shipment that clients know of. */
export interface Known {
  readonly id: number
  readonly shipmentNumber: string
  readonly business: string
  readonly facility: string
  /** Its orders, as far as its writer has named them. */
  readonly orders: ReadonlyArray<string>
}

/** The first moment at which a pallet passes a dock; each event is a millisecond later than the one before. */
const firstMoment = Date.UTC(2026, 10, 21, 8)

/** The state. */
export class State {
  readonly site: Site
  /** Shipments that are there for sure. */
  readonly shipments: Array<Known> = []
  #numbers = 0
  #moments = 0
  #stopping = false
  #givesUpAt = Infinity

  /** A state that follows on another one knows none of its shipments, and draws no number again. */
  constructor(site: Site, before?: State) {
    this.site = site
    if (before === undefined) return
    this.#numbers = before.#numbers
    this.#moments = before.#moments
  }

  /** Whether writers begin nothing new. */
  get isStopping(): boolean {
    return this.#stopping
  }

  /** Whether to leave a request whose outcome is still not known. */
  readonly isOver = (): boolean => performance.now() > this.#givesUpAt

  /** Nothing new is begun from now on, and what is under way has this long. */
  stop(millis: number): void {
    this.#stopping = true
    this.#givesUpAt = performance.now() + millis
  }

  /** A text of a tenant that there is only one of. */
  name(business: string, facility: string, kind: string): string {
    return `${markOf(business, facility)}${kind}${++this.#numbers}`
  }

  /** A moment that there is only one of. */
  moment(): string {
    return new Date(firstMoment + ++this.#moments).toISOString()
  }

  /** The shipments of a place that are there for sure, the latest last. */
  shipmentsOf({ business, facility }: Pick<Known, "business" | "facility">): ReadonlyArray<Known> {
    return this.shipments.filter((each) => each.business === business && each.facility === facility)
  }

  /** A shipment is there. */
  add(shipment: Known): void {
    if (!this.shipments.some(({ id }) => id === shipment.id)) this.shipments.push(shipment)
  }
}
