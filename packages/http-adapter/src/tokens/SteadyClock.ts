/** Measures ages by the monotonic clock, so that setting the time of day changes no age. */
import { Effect } from "effect"
import type { Clock } from "effect"

export const steadyMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

/** A clock whose time of day is the monotonic time, for code that measures ages by the time of day, such as a cache. */
export const steady = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => steadyMillis(clock),
  currentTimeMillis: Effect.sync(() => steadyMillis(clock)),
  currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  currentTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})
