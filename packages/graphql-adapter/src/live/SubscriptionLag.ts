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

/** Makes the function that adds a subscription; the function that it returns removes the subscription. */
export const makeLag = (context: Context.Context<never>) => {
  const groups = new Map<string, Group>()
  const clock = Context.get(context, Clock.Clock)
  const age = ({ behindSince }: Followed): number => {
    const since = behindSince()
    return since === undefined ? 0 : (clock.currentTimeMillisUnsafe() - Date.parse(since)) / 1000
  }

  const open = (business: string, client: string): Group => {
    const members = new Set<Followed>()
    const most = (of: (followed: Followed) => number) => () =>
      Array.from(members).reduce((most, followed) => Math.max(most, of(followed)), 0)
    const observe = (metric: typeof GraphqlMetrics.lag, read: () => number) =>
      Metrics.observeUnsafe(metric.of(business, client), context, read)
    return {
      members,
      registrations: [
        observe(GraphqlMetrics.lag, most(age)),
        observe(GraphqlMetrics.waiting, most(({ waiting }) => waiting()))
      ]
    }
  }

  return (business: string, client: string, followed: Followed): () => void => {
    const own = JSON.stringify([business, client])
    const isOwn = groups.has(own) || groups.size < pairLimit
    const key = isOwn ? own : Metrics.other
    const group = groups.get(key) ??
      (isOwn ? open(business, client) : open(Metrics.other, Metrics.other))
    groups.set(key, group)
    group.members.add(followed)
    return () => {
      group.members.delete(followed)
      if (group.members.size > 0 || groups.get(key) !== group) return
      groups.delete(key)
      for (const registration of group.registrations) registration.remove()
    }
  }
}
