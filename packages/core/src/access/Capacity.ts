/**
 * Port: how much work the process takes on at once. Adapters ask before they work on what does not come as a request
 * of HTTP, which the server has judged already: the operations of a socket or of an event stream.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { Overloaded } from "../values/Errors.ts"

/** Runs work for a client when it is its turn; what would have to wait for too long is refused, and not run. */
export type TakeOn = <A, E, R>(
  clientId: string,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Overloaded, R>

/** How much work is taken on at once; by default all of it. */
export const Capacity: Context.Reference<TakeOn> = Context.Reference<TakeOn>("@dockline/core/Capacity", {
  defaultValue: (): TakeOn => (_clientId, work) => work
})
