/**
 * The time of day of the storage, which decides when deliveries are due, for how long endpoints fail and how long secrets count, whichever
 * instance has the endpoint and whatever its clock shows (D9.3, D21.6).
 *
 * Guarantee: it is within the way of the last answer of the storage, and passes as the monotonic clock does, so that setting the clock of the
 * machine changes nothing. A clock that was given is the storage's too.
 */
import { clockOf, givenNowOf } from "@dockline/core/values/Timestamp"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { Clock } from "effect"
import { monotonicMillis } from "./Sending.ts"

export interface StorageClock {
  /** Its timers are those of the system. */
  readonly clock: Clock.Clock
  /** What the storage is told: the time of a clock that was given, else `null`. */
  readonly fixedTime: () => Timestamp | null
  /** The storage answered with its time what it was asked at a monotonic time, in milliseconds. */
  readonly onAnswer: (now: Timestamp, askedAt: number) => void
}

/**
 * How far the time of the storage is ahead of the monotonic clock, in milliseconds, after it answered with it: as near to what was known as
 * the answer allows, as the storage took the time after it was asked and before it answered.
 */
export const agree = (ahead: number, time: number, askedAt: number, answeredAt: number): number =>
  Math.min(Math.max(ahead, time - answeredAt), time - askedAt)

/** The clock of the storage, which is that of the system until the storage has answered. */
export const make = (system: Clock.Clock): StorageClock => {
  const fixedTime = () => givenNowOf(system)
  if (fixedTime() !== null) return { clock: system, fixedTime, onAnswer: () => {} }
  let ahead = system.currentTimeMillisUnsafe() - monotonicMillis(system)
  return {
    clock: clockOf(() => ahead + monotonicMillis(system), system),
    fixedTime,
    onAnswer: (now, askedAt) => {
      ahead = agree(ahead, Date.parse(now), askedAt, monotonicMillis(system))
    }
  }
}
