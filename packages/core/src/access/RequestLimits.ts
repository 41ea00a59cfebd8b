/**
 * Ports: limit the requests of each client (D10.5), whose count all adapters share, and the work that the process does at
 * once. The server limits HTTP requests by itself; adapters ask for other work, such as operations of a socket.
 */
import { Context, Effect, Layer } from "effect"
import type { Overloaded, RateLimited } from "../values/RequestErrors.ts"

/** The remaining requests of a client, as the headers `RateLimit` and `RateLimit-Policy` show them. */
export interface Allowance {
  /** The most requests of one window. */
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** Limits the requests of each client. */
export class RequestLimits extends Context.Service<RequestLimits, {
  /** Counts one request of a client; `null` when there is no limit. */
  readonly take: (clientId: string) => Effect.Effect<Allowance | null, RateLimited>
}>()("@dockline/core/RequestLimits") {
  /** No limit. */
  static readonly layerNone: Layer.Layer<RequestLimits> = Layer.succeed(RequestLimits, {
    take: () => Effect.succeed(null)
  })
}

/** Runs work for a client when its turn comes. Work that would have to wait for too long is refused and does not run. */
export type TakeOn = <A, E, R>(
  clientId: string,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Overloaded, R>

/** Limits the work that the process does at once; without a limit by default. */
export const Capacity: Context.Reference<TakeOn> = Context.Reference<TakeOn>("@dockline/core/Capacity", {
  defaultValue: (): TakeOn => (_clientId, work) => work
})
