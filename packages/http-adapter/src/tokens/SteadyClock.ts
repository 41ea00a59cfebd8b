/**
 * Measures ages by the monotonic clock, so that setting the time of day changes no age.
 */
import { Clock, Effect } from "effect"

export const steadyMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Runs an effect that measures ages by the time of day, such as a cache, with the monotonic time instead. */
export const steadily = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => Effect.provideService(effect, Clock.Clock, steady(clock)))

const steady = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => steadyMillis(clock),
  currentTimeMillis: Effect.sync(() => steadyMillis(clock)),
  currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  currentTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})
