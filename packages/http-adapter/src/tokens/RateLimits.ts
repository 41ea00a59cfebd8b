/**
 * Limits the requests of each client: implements the `RequestLimits` of core with windows of a minute (D10.5).
 *
 * Guarantee: a client that has used up its window is refused until the window ends, and never longer; refused requests do not count. Each
 * instance of the service counts for itself.
 */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import type { Allowance } from "@dockline/core/access/RequestLimits"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { Clock, Effect, Layer } from "effect"
import * as FixedWindows from "./FixedWindows.ts"

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
      const windows = FixedWindows.make(windowSeconds * 1000, clientCapacity)
      return RequestLimits.of({
        take: (clientId) =>
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
