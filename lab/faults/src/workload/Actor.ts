/** A client that works, and what the clients of one run share: when to stop, which shipments there are, and numbers. */
import type { Random } from "../../../Random.ts"
import { markOf } from "../history/History.ts"
import type { Clock } from "../history/History.ts"
import { Client, newRequest } from "./Client.ts"
import type { Account, Request, Result, Site } from "./Client.ts"

/** A shipment that clients know of, with its orders as far as its writer has named them. */
export interface Known {
  readonly id: number
  readonly shipmentNumber: string
  readonly business: string
  readonly facility: string
  readonly orders: ReadonlyArray<string>
}

const day = 86_400_000

/** The first moment at which a pallet passes a dock, which is past; each event is a millisecond later than the one before. */
const firstMoment = Date.now() - day

/** How far each clock is from those moments, in milliseconds: so far apart that no two have one moment. */
const offsets: Readonly<Record<Clock, number>> = {
  usual: 0,
  ahead: day + 200_000,
  behind: -19 * day,
  "far ahead": 2 * day,
  "far behind": -31 * day
}

/** What clients share. Numbers and moments are given once. */
export class State {
  readonly site: Site
  /** Shipments that are there for sure. */
  readonly shipments: Array<Known> = []
  #numbers = 0
  #moments = 0
  #isStopping = false
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
    return this.#isStopping
  }

  /** Whether to leave a request whose outcome is still not known. */
  readonly isOver = (): boolean => performance.now() > this.#givesUpAt

  /** Nothing new is begun from now on, and what is under way has this long. */
  stop(millis: number): void {
    this.#isStopping = true
    this.#givesUpAt = performance.now() + millis
  }

  number(): number {
    return ++this.#numbers
  }

  /** A moment, as a clock tells it. */
  moment(clock: Clock = "usual"): string {
    return new Date(firstMoment + offsets[clock] + ++this.#moments).toISOString()
  }

  /** The shipments of a place that are there for sure, the latest last. */
  shipmentsOf({ business, facility }: Account): ReadonlyArray<Known> {
    return this.shipments.filter((each) => each.business === business && each.facility === facility)
  }
}

/** A client at work: of all instances, or of one. */
export class Actor extends Client {
  readonly state: State
  readonly #pinned: number | undefined

  constructor(state: State, account: Account, random: Random, instance?: number) {
    super(state.site, account, random, { instance })
    this.state = state
    this.#pinned = instance
  }

  /** Another client for the same place. */
  other(name: string, clientId = this.account.clientId): Actor {
    return new Actor(this.state, { ...this.account, clientId }, this.random.split(name), this.#pinned)
  }

  /** A text of the tenant that there is only one of. */
  name(kind: string): string {
    const { business, facility } = this.account
    return `${markOf(business, facility)}${kind}${this.state.number()}`
  }

  /** So many of them. */
  names(kind: string, least: number, most: number): ReadonlyArray<string> {
    return Array.from({ length: this.random.int(least, most) }, () => this.name(kind))
  }

  /** Has a request done, and asks again in doubt, in so large a share: what was done once stays done once. */
  async finish(request: Request, share = 0.15, id = newRequest()): Promise<Result> {
    const result = await this.settle(request, this.state.isOver, id)
    if (result.outcome.type === "ok" && this.random.chance(share)) await this.attempt(request, id)
    return result
  }

  /** A shipment of the place is there. */
  knows(id: number, shipmentNumber: string, orders: ReadonlyArray<string>): Known {
    const { business, facility } = this.account
    const known = { id, shipmentNumber, business, facility, orders }
    if (id > 0 && !this.state.shipments.some((each) => each.id === id)) this.state.shipments.push(known)
    return known
  }

  /** Does something again and again, with pauses, until writers begin nothing new. */
  async repeat(action: () => Promise<unknown>, longestPause: number): Promise<void> {
    while (!this.state.isStopping) {
      await action()
      await this.pause(longestPause)
    }
  }
}
