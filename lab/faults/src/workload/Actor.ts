/** A client at work, and the state that the clients of one run share: when to stop, the existing shipments, and unique numbers. */
import type { Random } from "../../../Random.ts"
import { markOf } from "../history/History.ts"
import type { Clock } from "../history/History.ts"
import { Client, newRequest } from "./Client.ts"
import type { Account, Request, Result, Site } from "./Client.ts"

/** A shipment that clients know, with the orders that its writer has named. */
export interface Known {
  readonly id: number
  readonly shipmentNumber: string
  readonly business: string
  readonly facility: string
  readonly orders: ReadonlyArray<string>
}

const day = 86_400_000

/** The moment at which the first pallet passes a dock, in the past; each event is a millisecond later than the previous one. */
const firstMoment = Date.now() - day

/** The offset of each clock, in milliseconds: so far apart that no two clocks show the same moment. */
const offsets: Readonly<Record<Clock, number>> = {
  usual: 0,
  ahead: day + 200_000,
  behind: -19 * day,
  "far ahead": 2 * day,
  "far behind": -31 * day
}

/** The state that clients share. Each number and each moment is used once. */
export class State {
  readonly site: Site
  /** Shipments that certainly exist. */
  readonly shipments: Array<Known> = []
  #numbers = 0
  #moments = 0
  #isStopping = false
  #givesUpAt = Infinity

  /** A state that replaces another one knows none of its shipments, and repeats none of its numbers. */
  constructor(site: Site, before?: State) {
    this.site = site
    if (before === undefined) return
    this.#numbers = before.#numbers
    this.#moments = before.#moments
  }

  /** Whether writers must begin nothing new. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Whether to give up a request whose outcome is still unknown. */
  readonly isOver = (): boolean => performance.now() > this.#givesUpAt

  /** From now on nothing new begins; requests in progress have this much time. */
  stop(millis: number): void {
    this.#isStopping = true
    this.#givesUpAt = performance.now() + millis
  }

  number(): number {
    return ++this.#numbers
  }

  /** A new moment, as a clock shows it. */
  moment(clock: Clock = "usual"): string {
    return new Date(firstMoment + offsets[clock] + ++this.#moments).toISOString()
  }

  /** The shipments of a place that certainly exist, the latest last. */
  shipmentsOf({ business, facility }: Account): ReadonlyArray<Known> {
    return this.shipments.filter((each) => each.business === business && each.facility === facility)
  }
}

/** A client at work, at all instances or at one. */
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

  /** A unique name of the tenant. */
  name(kind: string): string {
    const { business, facility } = this.account
    return `${markOf(business, facility)}${kind}${this.state.number()}`
  }

  /** A number of unique names between two limits. */
  names(kind: string, least: number, most: number): ReadonlyArray<string> {
    return Array.from({ length: this.random.int(least, most) }, () => this.name(kind))
  }

  /** Sends a request until it is done, and repeats this share of requests afterwards: a repeat must have no effect. */
  async finish(request: Request, share = 0.15, id = newRequest()): Promise<Result> {
    const result = await this.settle(request, this.state.isOver, id)
    if (result.outcome.type === "ok" && this.random.chance(share)) await this.attempt(request, id)
    return result
  }

  /** Notes that a shipment of the place exists. */
  knows(id: number, shipmentNumber: string, orders: ReadonlyArray<string>): Known {
    const { business, facility } = this.account
    const known = { id, shipmentNumber, business, facility, orders }
    if (id > 0 && !this.state.shipments.some((each) => each.id === id)) this.state.shipments.push(known)
    return known
  }

  /** Repeats an action, with pauses, until writers must begin nothing new. */
  async repeat(action: () => Promise<unknown>, longestPause: number): Promise<void> {
    while (!this.state.isStopping) {
      await action()
      await this.pause(longestPause)
    }
  }
}
