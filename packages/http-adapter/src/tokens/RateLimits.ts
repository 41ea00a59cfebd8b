/**
 * Counts events in windows of fixed length, and limits the requests of each client by them: implements the `RequestLimits` of core with
 * windows of a minute (D10.5).
 *
 * Guarantee: a client that has used up its window is refused until the window ends, and never longer; refused requests do not count. If
 * there are more clients than the capacity, or the clock is set back, a window may end early. Each instance counts for itself.
 */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import type { Allowance } from "@dockline/core/access/RequestLimits"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { Clock, Effect, Layer } from "effect"

/** Settings of the limits. */
export interface RateLimitsConfig {
  /** The most requests of a client in a minute; 0 for no limit. */
  readonly perMinute: number
  /** The most clients that are counted at once. Beyond this number, the counts of the clients whose minute began first restart. */
  readonly clientCapacity: number
}

/** 6,000 requests a minute, counted for 100,000 clients. */
export const defaultRateLimitsConfig: RateLimitsConfig = { perMinute: 6000, clientCapacity: 100_000 }

const windowSeconds = 60

/** Limits for each client. */
export const layer = (
  { perMinute, clientCapacity }: RateLimitsConfig = defaultRateLimitsConfig
): Layer.Layer<RequestLimits> =>
  perMinute === 0 ? RequestLimits.layerNone : Layer.effect(
    RequestLimits,
    Effect.sync(() => {
      const windows = fixedWindows(windowSeconds * 1000, clientCapacity)
      return RequestLimits.of({
        count: (clientId) =>
          Clock.clockWith((clock): Effect.Effect<Allowance, RateLimited> => {
            const now = clock.currentTimeMillisUnsafe()
            const { count, endsAt } = windows.peek(clientId, now)
            const resetSeconds = Math.ceil((endsAt - now) / 1000)
            if (count >= perMinute) {
              const refusal = { limit: perMinute, windowSeconds, retryAfterSeconds: resetSeconds }
              return Effect.fail(new RateLimited(refusal))
            }
            windows.count(clientId, now)
            return Effect.succeed({
              limit: perMinute,
              windowSeconds,
              remaining: perMinute - count - 1,
              resetSeconds
            })
          })
      })
    })
  )

/** The events that one key has had in its window. */
export interface Window {
  readonly count: number
  readonly endsAt: number
}

/** Counts of the windows that are open. */
export interface FixedWindows {
  /** The number of keys that are counted. */
  readonly size: () => number
  /** The open window; a new empty window if none is open. */
  readonly peek: (key: string, now: number) => Window
  /** Counts an event of a key, and returns its open window. */
  readonly count: (key: string, now: number) => Window
}

/**
 * Makes counts in windows, one at a time for each key, in constant time. Beyond the capacity, the keys whose windows began first are
 * forgotten, and their counts restart.
 */
export const fixedWindows = (lengthMillis: number, capacity: number): FixedWindows => {
  /** The windows in the order in which they began. */
  const windows = new Map<string, { count: number; readonly endsAt: number }>()

  /** Whether a window is open. A clock that was set back must not extend a window. */
  const isOpen = ({ endsAt }: Window, now: number): boolean => now < endsAt && endsAt - now <= lengthMillis

  const dropEnded = (now: number): void => {
    for (const [key, window] of windows) {
      if (isOpen(window, now)) return
      windows.delete(key)
    }
  }

  return {
    size: () => windows.size,
    peek: (key, now) => {
      const window = windows.get(key)
      return window !== undefined && isOpen(window, now) ? window : { count: 0, endsAt: now + lengthMillis }
    },
    count: (key, now) => {
      dropEnded(now)
      const window = windows.get(key)
      if (window !== undefined && isOpen(window, now)) {
        window.count++
        return window
      }
      const newWindow = { count: 1, endsAt: now + lengthMillis }
      windows.delete(key)
      windows.set(key, newWindow)
      dropOldest(windows, capacity)
      return newWindow
    }
  }
}

/** Drops the first entries of a map until it has no more than the capacity. */
export const dropOldest = (entries: Map<string, unknown>, capacity: number): void => {
  for (const oldest of entries.keys()) {
    if (entries.size <= capacity) return
    entries.delete(oldest)
  }
}
