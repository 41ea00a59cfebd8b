/**
 * How far subscriptions are behind, by client and business: not by subscription, whose ids are the client's and come
 * without end. Clients and businesses are an operator's, and whom to call is the client.
 *
 * Guarantee: the number of series is bounded: the first so many pairs have one, and all others share one. It is worked
 * out when it is read, and costs nothing else.
 */
import * as Metrics from "@dockline/core/Metrics"
import type { Timestamp } from "@dockline/core/Timestamp"
import { Clock, Context } from "effect"
import type { Metric } from "effect"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"

/** The most pairs of client and business that have series of their own. */
export const pairLimit = 200

/** A subscription, as far as its lag is concerned. */
export interface Followed {
  /** When the oldest message was sent that it has not been sent; `undefined` when it has all. */
  readonly behindSince: () => Timestamp | undefined
  /** How many messages wait for it. */
  readonly waiting: () => number
}

interface Group {
  readonly members: Set<Followed>
  readonly registrations: ReadonlyArray<Metric.Registration>
}

/** The subscriptions that run. */
export class SubscriptionLag {
  readonly #context: Context.Context<never>
  readonly #groups = new Map<string, Group>()

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  /** A subscription begins; the returned function ends it. */
  add(business: string, client: string, followed: Followed): () => void {
    const own = JSON.stringify([business, client])
    const isOwn = this.#groups.has(own) || this.#groups.size < pairLimit
    const key = isOwn ? own : Metrics.other
    const group = this.#groups.get(key) ??
      this.#open(isOwn ? [business, client] : [Metrics.other, Metrics.other])
    this.#groups.set(key, group)
    group.members.add(followed)
    return () => {
      group.members.delete(followed)
      if (group.members.size > 0 || this.#groups.get(key) !== group) return
      this.#groups.delete(key)
      for (const registration of group.registrations) registration.remove()
    }
  }

  #open(labels: readonly [business: string, client: string]): Group {
    const members = new Set<Followed>()
    const most = (of: (followed: Followed) => number): number => {
      let most = 0
      for (const followed of members) most = Math.max(most, of(followed))
      return most
    }
    const age = ({ behindSince }: Followed): number => {
      const since = behindSince()
      return since === undefined
        ? 0
        : (Context.get(this.#context, Clock.Clock).currentTimeMillisUnsafe() - Date.parse(since)) / 1000
    }
    return {
      members,
      registrations: [
        Metrics.observeUnsafe(GraphqlMetrics.lag.of(...labels), this.#context, () => most(age)),
        Metrics.observeUnsafe(
          GraphqlMetrics.waiting.of(...labels),
          this.#context,
          () => most(({ waiting }) => waiting())
        )
      ]
    }
  }
}
