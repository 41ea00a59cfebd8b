/**
 * How long something has been so, by a clock that nobody sets.
 *
 * Guarantee: an age grows as time passes, whatever is done to the time of day: a clock that is set back keeps nothing
 * for longer than it is to be kept, and one that is set forward ends nothing early.
 */
import { Clock, Effect } from "effect"

/** The time of a clock since some moment, in milliseconds: to tell ages with, and never the time of day. */
export const steadyMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** Runs an effect that measures ages by the time of day, such as a cache's, so that it measures them by this clock. */
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
