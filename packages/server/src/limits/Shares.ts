/**
 * Accounts for limited resources by share: how much each client and each business holds, and which of them is next.
 *
 * Guarantee: if the caller ends each turn ({@link Turns.endTurn}), businesses take turns, and the clients of a business take turns, however
 * many waiting entries each of them has.
 */
import type { Share } from "@dockline/core/access/RequestLimits"

/** Sums by key; a key whose sum is 0 takes no memory. */
export class Tally {
  readonly #sums = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(key: string): number {
    return this.#sums.get(key) ?? 0
  }

  /** Adds to the sum of a key; a negative amount reduces the sum. */
  add(key: string, amount: number): void {
    const sum = this.of(key) + amount
    this.#total += amount
    if (sum === 0) this.#sums.delete(key)
    else this.#sums.set(key, sum)
  }
}

/** The amount that one share holds. */
export interface Hold {
  readonly share: Share
  readonly amount: number
}

/** Sums by client and by business. */
export class ShareTally {
  readonly #clients = new Tally()
  readonly #businesses = new Tally()

  get total(): number {
    return this.#clients.total
  }

  ofClient({ client }: Pick<Share, "client">): number {
    return this.#clients.of(client)
  }

  ofBusiness({ business }: Pick<Share, "business">): number {
    return this.#businesses.of(business)
  }

  /** Adds to the sums of a share; a negative amount reduces them. */
  add({ business, client }: Share, amount: number): void {
    this.#clients.add(client, amount)
    this.#businesses.add(business, amount)
  }
}

/**
 * Chooses holds to end, until together they free `need`: each time, of the business that would still hold most, the first hold that
 * `mayGive` allows. `rest` is the amount that the business would still hold. Empty if the holds do not suffice.
 */
export const givingWay = <H extends Hold>(
  tally: ShareTally,
  holds: Iterable<H>,
  need: number,
  mayGive: (rest: number, hold: H) => boolean
): ReadonlyArray<H> => {
  const freedAmounts = new Tally()
  const giving = new Set<H>()
  const rest = ({ share }: H): number => tally.ofBusiness(share) - freedAmounts.of(share.business)
  while (freedAmounts.total < need) {
    let next: H | undefined
    for (const hold of holds) {
      if (giving.has(hold) || !mayGive(rest(hold), hold)) continue
      if (next === undefined || rest(hold) > rest(next)) next = hold
    }
    if (next === undefined) return []
    giving.add(next)
    freedAmounts.add(next.share.business, next.amount)
  }
  return Array.from(giving)
}

/** Entries of one client, in the order of their arrival. */
export interface Line<E> {
  readonly share: Share
  readonly entries: ReadonlySet<E>
}

const none: ReadonlySet<never> = new Set()

interface MutableLine<E> {
  readonly share: Share
  readonly entries: Set<E>
}

/** Entries that wait, by business and client, each in the order of their turns. */
export class Turns<E> {
  readonly #businesses = new Map<string, Map<string, MutableLine<E>>>()
  readonly #sizes = new ShareTally()

  get size(): number {
    return this.#sizes.total
  }

  add(share: Share, entry: E): void {
    const clients = this.#businesses.get(share.business) ?? new Map<string, MutableLine<E>>()
    this.#businesses.set(share.business, clients)
    const line = clients.get(share.client) ?? { share, entries: new Set() }
    clients.set(share.client, line)
    line.entries.add(entry)
    this.#sizes.add(share, 1)
  }

  /** The entries of a client. */
  of({ business, client }: Share): ReadonlySet<E> {
    return this.#businesses.get(business)?.get(client)?.entries ?? none
  }

  delete(share: Share, entry: E): void {
    const clients = this.#businesses.get(share.business)
    const line = clients?.get(share.client)
    if (clients === undefined || line?.entries.delete(entry) !== true) return
    this.#sizes.add(share, -1)
    if (line.entries.size > 0) return
    clients.delete(share.client)
    if (clients.size === 0) this.#businesses.delete(share.business)
  }

  /** Ends the turn of a client and of its business: all others are now before them. */
  endTurn({ business, client }: Share): void {
    const clients = this.#businesses.get(business)
    const line = clients?.get(client)
    if (clients === undefined || line === undefined) return
    clients.delete(client)
    clients.set(client, line)
    this.#businesses.delete(business)
    this.#businesses.set(business, clients)
  }

  /** The lines, in the order of their turns. */
  *lines(): Generator<Line<E>, void, void> {
    for (const clients of this.#businesses.values()) yield* clients.values()
  }

  /** The newest entry of the share that would have most entries if `share` had one more; `undefined` if `share` itself would. */
  newest(share: Share): E | undefined {
    const entries = this.#longest(share, 1)
    return entries === this.of(share) ? undefined : Array.from(entries).at(-1)
  }

  /** The oldest entry of the share that has most entries; the oldest of `share` itself if no share has more. */
  oldest(share: Share): E | undefined {
    const [oldest] = this.#longest(share, 0)
    return oldest
  }

  /** The entries of the largest client of the largest business, as if `share` had `further` more entries. A tie goes to `share`. */
  #longest(share: Share, further: number): ReadonlySet<E> {
    let { business } = share
    let most = this.#sizes.ofBusiness(share) + further
    for (const each of this.#businesses.keys()) {
      const size = this.#sizes.ofBusiness({ business: each })
      if (size > most) [business, most] = [each, size]
    }
    let longest = business === share.business ? this.of(share) : none
    let size = business === share.business ? longest.size + further : 0
    for (const { entries } of this.#businesses.get(business)?.values() ?? []) {
      if (entries.size > size) [longest, size] = [entries, entries.size]
    }
    return longest
  }
}
