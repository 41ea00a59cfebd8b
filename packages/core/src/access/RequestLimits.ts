/**
 * Port: how many requests a client may send (D10.5). Adapters ask before they look at a request of an authenticated
 * client; all of them share one count.
 */
import { Context, Effect, Layer } from "effect"
import type { TooManyRequests } from "../values/Errors.ts"

/** What a client may still send, as `RateLimit` and `RateLimit-Policy` say it. */
export interface Allowance {
  /** The most requests of one window. */
  readonly limit: number
  /** The length of a window, in seconds. */
  readonly windowSeconds: number
  /** Requests left in this window. */
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** How many requests a client may send. */
export class RequestLimits extends Context.Service<RequestLimits, {
  /** Counts one request of a client; `null` when there is no limit. */
  readonly take: (clientId: string) => Effect.Effect<Allowance | null, TooManyRequests>
}>()("@dockline/core/RequestLimits") {
  /** No limit. */
  static readonly layerNone: Layer.Layer<RequestLimits> = Layer.succeed(RequestLimits, {
    take: () => Effect.succeed(null)
  })
}
