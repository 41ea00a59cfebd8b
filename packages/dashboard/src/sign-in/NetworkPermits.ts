/**
 * Limits the number of concurrent effects, in total and for each network, so that one network cannot use up all permits.
 */
import { Effect, Option } from "effect"

/** Runs an effect if a permit is free, both in total and for the network; otherwise returns none. */
export type NetworkPermits = <A, E, R>(
  network: string,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<Option.Option<A>, E, R>

/** Makes `most` permits in total, of which one network gets at most `mostPerNetwork`. */
export const make = (most: number, mostPerNetwork: number): NetworkPermits => {
  const running = new Map<string, number>()
  let all = 0
  const enter = (network: string): boolean => {
    const own = running.get(network) ?? 0
    if (all >= most || own >= mostPerNetwork) return false
    all++
    running.set(network, own + 1)
    return true
  }
  const leave = (network: string): void => {
    all--
    const own = running.get(network)! - 1
    if (own === 0) running.delete(network)
    else running.set(network, own)
  }
  return (network, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => enter(network)),
      (hasEntered) => hasEntered ? Effect.map(effect, Option.some) : Effect.succeed(Option.none()),
      (hasEntered) => Effect.sync(() => hasEntered ? leave(network) : undefined)
    )
}
