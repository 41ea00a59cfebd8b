/**
 * Interchanges that are being done, and the numbers of shipments that are partners' own, in memory.
 */
import type { EdiPartner } from "../edi/EdiPartner.ts"
import { ediLeaseMillis } from "../edi/EdiStore.ts"
import type { EdiArrival, EdiReservation, PartnerName } from "../edi/EdiStore.ts"
import * as Timestamp from "../values/Timestamp.ts"

export const keyOf = ({ business, partner }: PartnerName): string => JSON.stringify([business, partner])

export const nameOf = ({ business, slug }: Pick<EdiPartner, "business" | "slug">): PartnerName => ({
  business,
  partner: slug
})

interface Held extends EdiArrival {
  readonly id: number
  readonly partner: string
  readonly series: string
  readonly until: Timestamp.Timestamp
  /** The newest message when it came: it is about departures after it. */
  readonly namedAfter: number
}

interface Claim {
  readonly namedAfter: number
  readonly claimedAt: Timestamp.Timestamp
}

export class MemoryEdiClaims {
  readonly #partners: ReadonlyMap<string, EdiPartner>
  readonly #lastId: (business: string) => number
  #lastGiven = 0
  /** What tells a partner from an earlier one of its slug. */
  readonly #epochs = new Map<string, number>()
  readonly #claims = new Map<string, Map<string, Claim>>()
  #held: ReadonlyArray<Held> = []

  constructor(partners: ReadonlyMap<string, EdiPartner>, lastId: (business: string) => number) {
    this.#partners = partners
    this.#lastId = lastId
  }

  begin(name: PartnerName): void {
    this.#epochs.set(keyOf(name), ++this.#lastGiven)
  }

  forget(name: PartnerName): void {
    const key = keyOf(name)
    this.#epochs.delete(key)
    this.#claims.delete(key)
    this.#held = this.#held.filter(({ partner }) => partner !== key)
  }

  /** In what the control numbers of a partner are unique: its tests count apart. */
  seriesOf(name: PartnerName): string {
    const key = keyOf(name)
    return JSON.stringify([key, this.#epochs.get(key), this.#partners.get(key)?.usage])
  }

  holds(reservation: number): boolean {
    return this.#held.some(({ id }) => id === reservation)
  }

  reserve(name: PartnerName, arrival: EdiArrival, now: Timestamp.Timestamp): EdiReservation {
    const series = this.seriesOf(name)
    const held = this.#held.find((each) => each.series === series && each.control === arrival.control)
    const isSame = held?.fingerprint === arrival.fingerprint
    if (held !== undefined && held.until > now) return { _tag: isSame ? "Running" : "Reused" }
    if (held !== undefined && !isSame) this.#own(name, held.shipmentNumbers, held.namedAfter, now)
    const id = ++this.#lastGiven
    this.#held = [...this.#held.filter((each) => each !== held), {
      ...arrival,
      id,
      partner: keyOf(name),
      series,
      until: leaseFrom(now),
      namedAfter: this.#lastId(name.business)
    }]
    return { _tag: "Reserved", id }
  }

  renew(
    name: PartnerName,
    reservation: number,
    taken: ReadonlyArray<string>,
    now: Timestamp.Timestamp
  ): boolean {
    const held = this.#held.find(({ id }) => id === reservation)
    if (held === undefined) return false
    this.#own(name, taken, held.namedAfter, now)
    this.#held = this.#held.map((each) => each === held ? { ...held, until: leaseFrom(now) } : each)
    return true
  }

  /** Ends a reservation, if it is held. */
  release(
    name: PartnerName,
    reservation: number,
    taken: ReadonlyArray<string>,
    now: Timestamp.Timestamp
  ): void {
    if (!this.renew(name, reservation, taken, now)) return
    this.#held = this.#held.filter(({ id }) => id !== reservation)
  }

  isOwn(name: PartnerName, number: string, now: Timestamp.Timestamp): boolean {
    const key = keyOf(name)
    return this.#claims.get(key)?.has(number) === true ||
      this.#held.some(({ partner, shipmentNumbers, until }) =>
        partner === key && until <= now && shipmentNumbers.includes(number)
      )
  }

  /** Forgets that a shipment is a partner's own, as the partner was told of it up to a message. What named it later stays. */
  told(name: PartnerName, number: string, messageId: number, now: Timestamp.Timestamp): void {
    const key = keyOf(name)
    const claims = this.#claims.get(key)
    const claim = claims?.get(number)
    if (claim !== undefined && claim.namedAfter < messageId) claims?.delete(number)
    this.#held = this.#held.map((held) =>
      held.partner === key && held.until <= now && held.namedAfter < messageId
        ? { ...held, shipmentNumbers: held.shipmentNumbers.filter((each) => each !== number) }
        : held
    )
  }

  /** Drops claims and abandoned reservations of before a time. */
  dropBefore(cutoff: Timestamp.Timestamp): void {
    this.#held = this.#held.filter(({ until }) => until >= cutoff)
    for (const claims of this.#claims.values()) {
      for (const [number, { claimedAt }] of claims) if (claimedAt < cutoff) claims.delete(number)
    }
  }

  #own(
    name: PartnerName,
    numbers: ReadonlyArray<string>,
    namedAfter: number,
    claimedAt: Timestamp.Timestamp
  ): void {
    const claims = this.#claims.get(keyOf(name)) ?? new Map<string, Claim>()
    this.#claims.set(keyOf(name), claims)
    for (const number of numbers) {
      claims.set(number, { claimedAt, namedAfter: Math.max(namedAfter, claims.get(number)?.namedAfter ?? 0) })
    }
  }
}

const leaseFrom = (now: Timestamp.Timestamp): Timestamp.Timestamp =>
  Timestamp.fromMillis(Date.parse(now) + ediLeaseMillis)
