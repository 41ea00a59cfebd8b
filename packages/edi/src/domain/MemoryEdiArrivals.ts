/**
 * The reservations of interchanges that are being executed, in memory.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { EdiPartner } from "./EdiPartner.ts"
import { ediLeaseMillis } from "./EdiStore.ts"
import type { EdiArrival, EdiReservation, PartnerName } from "./EdiStore.ts"

export const keyOf = ({ business, partner }: PartnerName): string => JSON.stringify([business, partner])

export const nameOf = ({ business, slug }: Pick<EdiPartner, "business" | "slug">): PartnerName => ({
  business,
  partner: slug
})

interface Reservation extends EdiArrival {
  readonly id: number
  /** The key of its partner. */
  readonly key: string
  readonly series: string
  readonly until: Timestamp.Timestamp
}

export class MemoryEdiArrivals {
  #lastId = 0
  #held: ReadonlyArray<Reservation> = []

  /** Ends the reservations of a partner. */
  forget(key: string): void {
    this.#held = this.#held.filter((each) => each.key !== key)
  }

  holds(reservation: number): boolean {
    return this.#held.some(({ id }) => id === reservation)
  }

  /** Reserves a control number within a series. */
  reserve(key: string, series: string, arrival: EdiArrival, now: Timestamp.Timestamp): EdiReservation {
    const holder = this.#held.find((each) => each.series === series && each.control === arrival.control)
    if (holder !== undefined && holder.until > now) {
      return { _tag: holder.fingerprint === arrival.fingerprint ? "Running" : "Reused" }
    }
    const id = ++this.#lastId
    const others = this.#held.filter((each) => each !== holder)
    this.#held = [...others, { ...arrival, id, key, series, until: leaseFrom(now) }]
    return { _tag: "Reserved", id }
  }

  renew(reservation: number, now: Timestamp.Timestamp): boolean {
    if (!this.holds(reservation)) return false
    this.#held = this.#held.map((each) => each.id === reservation ? { ...each, until: leaseFrom(now) } : each)
    return true
  }

  /** Ends a reservation, if it is held. */
  release(reservation: number): void {
    this.#held = this.#held.filter(({ id }) => id !== reservation)
  }

  /** Drops abandoned reservations older than a time. */
  dropBefore(cutoff: Timestamp.Timestamp): void {
    this.#held = this.#held.filter(({ until }) => until >= cutoff)
  }
}

const leaseFrom = (now: Timestamp.Timestamp): Timestamp.Timestamp =>
  Timestamp.fromMillis(Date.parse(now) + ediLeaseMillis)
