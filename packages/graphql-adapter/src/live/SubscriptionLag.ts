/**
 * Measures the lag of subscriptions by client and business, when it is read. The first {@link pairLimit} pairs have
 * series of their own, and all others share one.
 */
import * as Metrics from "@dockline/core/internal/values/Metrics"
import type { Timestamp } from "@dockline/core/Timestamp"
import { Clock, Context } from "effect"
import type { Metric } from "effect"
import * as GraphqlMetrics from "../GraphqlMetrics.ts"

export const pairLimit = 200

export interface Followed {
  /** When the oldest message was sent that the subscription lacks; `undefined` when it lacks none. */
  readonly behindSince: () => Timestamp | undefined
  readonly waiting: () => number
}

interface Group {
  readonly members: Set<Followed>
  readonly registrations: ReadonlyArray<Metric.Registration>
}

export class SubscriptionLag {
  readonly #context: Context.Context<never>
  readonly #groups = new Map<string, Group>()

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  /** Adds a subscription; the returned function removes it. */
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
